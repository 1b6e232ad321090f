import { minuteText } from '../../core/text/plain-text.ts'
import {
  byProfile,
  kindOf,
  leftOutText,
  lineOf,
  type Message,
  type MessageItem,
  nameOf,
  pieceOf,
  type ShownChange,
  textLines,
} from './message.ts'

const MAX_ADDRESS = 2000

/** Markdown as chats understand it: bold, struck through, links and lists. What comes from pages marks nothing up. */
export function messageMarkdown(message: Message): string {
  const { kind, items, links } = message
  if (kind === 'test')
    return `This is a test. Messages of eRACE will arrive here. [Settings](${address(links.settings)})\n`
  const parts = byProfile(items).map(({ profile, items: own }) => {
    const texts = own.map((item) => itemMarkdown(item, { amount: message.amount, hasHead: true }))
    return kind === 'digest' ? `**${escaped(profile)}**\n\n${texts.join('\n')}` : texts.join('\n')
  })
  const rest = leftOutText(message)
  return `${parts.join('\n')}${rest === '' ? '' : `\n[${rest}](${address(links.inbox)})\n`}`
}

/** One item, with its name and where it is in the first line where `hasHead`. */
export function itemMarkdown(
  item: MessageItem,
  { amount, hasHead }: { amount: Message['amount']; hasHead: boolean },
): string {
  const { url, source, at, summary, parts, changes, moreChanges, links } = item
  const line =
    parts.length > 0
      ? parts.map(({ kind, text }) => (kind === 'removed' ? struck(text) : marked(pieceOf(text)))).join('')
      : escaped(summary)
  const shown = amount === 'summary' || changes.length === 0 ? [line] : changes.map(changeMarkdown)
  const more = amount !== 'summary' && moreChanges > 0 ? [`and ${moreChanges} more`] : []
  return [
    ...(hasHead
      ? [`**[${marked(nameOf(item))}](${address(url)})** (${kindOf(item)}, ${escaped(source)}, ${minuteText(at)})`]
      : []),
    ...[...shown, ...more].filter((each) => each !== '').map((each) => `- ${each}`),
    ...(amount === 'full' ? textLines(item).map((each) => `> ${escaped(each)}`) : []),
    `[What changed](${address(links.change)}) · [Saved copy](${address(links.cached)})`,
    '',
  ].join('\n')
}

function changeMarkdown({ kind, path, before, after }: ShownChange): string {
  const place = path === '' ? '' : `_${escaped(path)}_: `
  switch (kind) {
    case 'added':
      return `${place}**+** ${escaped(after ?? '')}`
    case 'removed':
      return place + struck(before ?? '')
    case 'moved':
      return `${place}moved: ${escaped(after ?? before ?? '')}`
    case 'changed':
      return `${place}${struck(before ?? '')} → ${escaped(after ?? '')}`
  }
}

/** Spaces at the ends would end the marks. */
function struck(text: string): string {
  const line = lineOf(text)
  return line === '' ? '' : `~~${marked(line)}~~`
}

function escaped(text: string): string {
  return marked(lineOf(text))
}

/** What is markup anywhere is escaped, and a name behind an @ calls nobody. */
function marked(line: string): string {
  return line.replace(/[\\`*_{}[\]()#+!|~<>&-]/g, '\\$&').replace(/@/g, '@\u200b')
}

/** Parentheses and spaces would end the link. */
export function address(url: string): string {
  if (!/^https?:\/\//i.test(url)) return '#'
  return url
    .slice(0, MAX_ADDRESS)
    .toWellFormed()
    .replace(/[\s()<>\\\p{Cc}]/gu, (sign) => encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'))
}
