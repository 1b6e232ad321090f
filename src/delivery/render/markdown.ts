import type { LinePart } from '../../core/change/change-line.ts'
import { minuteText } from '../../core/text/plain-text.ts'
import { lineParts, markedPart } from './change-words.ts'
import { lineOf } from './lines.ts'
import {
  byProfile,
  kindOf,
  leftOutText,
  type Message,
  type MessageItem,
  moreText,
  nameOf,
  othersOf,
  type ShownChange,
  shownOf,
  waysOf,
} from './message.ts'

const MAX_ADDRESS = 2000

/** Markdown as chats understand it: bold, struck through, links and lists. Text from pages is escaped. */
export function messageMarkdown(message: Message): string {
  const { kind, items, links } = message
  if (kind === 'test')
    return `This is a test. Messages of eRACE will arrive here. ${link(links.settings, 'Settings')}\n`
  const parts = byProfile(items).map(({ profile, items: own }) => {
    const texts = own.map((item) => itemMarkdown(item, { amount: message.amount, head: 'all' }))
    return kind === 'digest' ? `**${escaped(profile)}**\n\n${texts.join('\n')}` : texts.join('\n')
  })
  const rest = leftOutText(message)
  return `${parts.join('\n')}${rest === '' ? '' : `\n${link(links.inbox, rest)}\n`}`
}

/** One item. If its name is shown elsewhere, its head is only the source and the time (`facts`), or empty (`none`). */
export function itemMarkdown(
  item: MessageItem,
  { amount, head }: { amount: Message['amount']; head: 'all' | 'facts' | 'none' },
): string {
  const { url, source, at, summary, parts, zone } = item
  const { isInLine, changes, more, text } = shownOf(item, amount)
  const line = parts.length > 0 ? parts.map(partMarkdown).join('') : escaped(summary)
  const lines = isInLine ? [line] : changes.map(changeMarkdown)
  const told = [...lines, more === 0 ? '' : moreText(more)].filter((each) => each !== '')
  const facts = [kindOf(item), escaped(source), minuteText(at, zone)].filter((fact) => fact !== '')
  const blocks = [
    head === 'all' ? `**${link(url, nameOf(item))}** (${facts.join(', ')})` : '',
    head === 'facts' ? [link(url, source), minuteText(at, zone)].filter((fact) => fact !== '').join(', ') : '',
    told.map((each) => `- ${each}`).join('\n'),
    // Consecutive lines would be joined into one.
    text.map((each) => `> ${escaped(each)}`).join('\n> \n'),
    alsoMarkdown(item),
    waysOf(item)
      .map(({ label, address }) => link(address, label))
      .join(' · '),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function changeMarkdown(change: ShownChange): string {
  const place = change.path === '' ? '' : `_${escaped(change.path)}_: `
  return place + lineParts(change).map(partMarkdown).join('').trim()
}

function partMarkdown(part: LinePart): string {
  return markedPart(part, (words) => (part.kind === 'removed' ? `~~${marked(words)}~~` : marked(words)))
}

function alsoMarkdown(item: MessageItem): string {
  const { shown, more } = othersOf(item)
  if (shown.length === 0) return ''
  const links = shown.map(({ label, address }) => link(address, label))
  return `Also at ${links.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

function escaped(text: string): string {
  return marked(lineOf(text))
}

/** Escapes everything that is markup in any dialect, and keeps @names from being mentions. */
function marked(line: string): string {
  return line
    .replace(/[\\`*_{}[\]()#+!|~<>&-]/g, '\\$&')
    .replace(/^(\d+)\./, '$1\\.')
    .replace(/@/g, '@\u200b')
}

/** Parentheses and spaces would end the link. */
function link(url: string, words: string): string {
  if (!/^https?:\/\//i.test(url) || url.length > MAX_ADDRESS) return marked(words)
  const address = url
    .toWellFormed()
    .replace(/[\s()<>\\\p{Cc}]/gu, (sign) => encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'))
  return `[${marked(words)}](${address})`
}
