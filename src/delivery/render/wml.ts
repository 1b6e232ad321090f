import { minuteText, shortened } from '../../core/text/plain-text.ts'
import { DECK_BYTES, wmlCard, wmlText } from '../../xml/wml.ts'
import { changeText } from './change-words.ts'
import { lineOf } from './lines.ts'
import { kindOf, leftOutText, type Message, type MessageItem, nameOf, shownOf, titleOf } from './message.ts'

const TITLE_CHARS = 20
const NAME_CHARS = 60

/**
 * A WML 1.1 deck for devices with a few lines of text: as many items as fit; the rest is counted. A single item is cut to fit.
 */
export function messageWml(message: Message): string {
  const { kind, items, links } = message
  if (kind === 'test') return deckOf(message, '<p>This is a test. Messages of eRACE will arrive here.</p>\n')
  if (kind === 'single' && items[0] !== undefined) return singleOf(message, items[0])
  const shown = (count: number, room = DECK_BYTES): string => {
    const rest = leftOutText({ leftOut: message.leftOut + items.length - count })
    const rows = items.slice(0, count).map((item) => row(item, shortened(item.summary, room)))
    return deckOf(message, rows.join('') + (rest === '' ? '' : `<p>${goLink(links.inbox, rest)}</p>\n`))
  }
  let count = items.length
  while (count > 1 && bytesOf(shown(count)) > DECK_BYTES) count--
  return count === 1 ? withinDeck((room) => shown(1, room)) : shown(count)
}

function singleOf(message: Message, item: MessageItem): string {
  const { isInLine, changes, text } = shownOf(item, message.amount)
  const lines = isInLine ? [lineOf(item.summary)] : changes.map(changeText)
  const whole = [...lines, ...text].join(' / ')
  return withinDeck((room) => deckOf(message, row(item, shortened(whole, room))))
}

/** Renders the longest text that fits into a deck. */
function withinDeck(render: (room: number) => string): string {
  let low = 0
  let high = DECK_BYTES
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (bytesOf(render(middle)) <= DECK_BYTES) low = middle
    else high = middle - 1
  }
  return render(low)
}

function row(item: MessageItem, words: string): string {
  const { at, links, zone } = item
  const facts = `${kindOf(item)}, ${minuteText(at, zone)}`
  return `<p><b>${goLink(links.open, shortened(nameOf(item), NAME_CHARS))}</b><br/><small>${wmlText(facts)}</small><br/>${wmlText(words)}</p>\n`
}

function deckOf(message: Message, inner: string): string {
  return wmlCard('message', wmlText(shortened(titleOf(message), TITLE_CHARS)), inner)
}

const MAX_ADDRESS = 300

/** Plain text instead of a link if the URL is too long: it may be longer than a deck. */
function goLink(address: string, words: string): string {
  return /^https?:\/\//i.test(address) && address.length <= MAX_ADDRESS
    ? `<a href="${wmlText(address)}">${wmlText(words)}</a>`
    : wmlText(words)
}

const bytesOf = (text: string): number => Buffer.byteLength(text)
