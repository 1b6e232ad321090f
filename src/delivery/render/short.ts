import { countText, itemLine, type Message, nameOf, onlyItem } from './message.ts'

/** An SMS has 160 characters of the GSM alphabet (some count twice), or 70 of UCS-2 if it contains any other character. */
const GSM_ROOM = 160
const UCS2_ROOM = 70
/** Leaves room for the change after it. */
const MAX_UCS2_NAME = 24

const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
const doubled = new Set('^{}\\[~]|€')

/** Length of a text in an SMS, and the room in its alphabet. */
export function shortLength(text: string): { length: number; room: number } {
  let length = 0
  for (const character of text) {
    if (basic.has(character)) length++
    else if (doubled.has(character)) length += 2
    else return { length: text.length, room: UCS2_ROOM }
  }
  return { length, room: GSM_ROOM }
}

const isGsm = (text: string): boolean => shortLength(simple(text)).room === GSM_ROOM

/** One SMS, with the link to the rest if it fits. */
export function messageShort(message: Message): string {
  const { kind, items, leftOut, links } = message
  if (kind === 'test') return 'This is a test message from eRACE.'
  if (items.length === 0) return ''
  const item = onlyItem(message)
  if (item !== null) {
    const line = itemLine(item)
    return fit(isGsm(line) ? line : itemLine(item, MAX_UCS2_NAME), item.links.open)
  }
  return fit(`${countText(items.length + leftOut)}: ${items.map(nameOf).join('; ')}`, links.inbox)
}

/** Replaces characters that the GSM alphabet lacks with ones that it has. */
function simple(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u00ad\u200b\u2060\u2068\u2069]/g, '')
    .replaceAll('→', '->')
    .replaceAll('−', '-')
    .replaceAll('·', '-')
    .replaceAll('…', '...')
    .replace(/[“”„]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/[–—]/g, '-')
}

/** Cuts the text so that it fits with the link after it. The link is omitted if it would leave less than half for the text. */
function fit(text: string, link: string): string {
  const plain = simple(text).toWellFormed()
  const tail = ` ${link}`
  const { room } = shortLength(plain)
  const isWithLink = /^https?:/i.test(link) && shortLength(tail).length <= room / 2
  const end = isWithLink ? tail : ''
  const fits = (cut: string): boolean => {
    const whole = shortLength(cut + end)
    return whole.length <= whole.room
  }
  if (fits(plain)) return plain + end
  const characters = [...plain]
  let low = 0
  let high = characters.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(`${characters.slice(0, middle).join('').trimEnd()}...`)) low = middle
    else high = middle - 1
  }
  return `${characters.slice(0, low).join('').trimEnd()}...${end}`
}
