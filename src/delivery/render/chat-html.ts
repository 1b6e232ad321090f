import type { LinePart } from '../../core/change/change-line.ts'
import { escapeHtml } from '../../core/html/escape.ts'
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
  type Shown,
  shownOf,
  waysOf,
} from './message.ts'

/**
 * HTML with the few elements that chats support: `b`, `i`, `u`, `del`, `blockquote` and `a`. Telegram needs line feeds between lines,
 * Matrix `<br>`.
 */
export function messageChatHtml(message: Message, lineEnd: '\n' | '<br>'): string {
  const { kind, items, links } = message
  if (kind === 'test') return 'This is a test. Messages of eRACE will arrive here.'
  const parts = byProfile(items).map(({ profile, items: own }) => {
    const texts = own.map((item) => itemLines(item, message, lineEnd).join(lineEnd))
    return [...(kind === 'digest' ? [`<b>${text(profile)}</b>`] : []), ...texts].join(lineEnd + lineEnd)
  })
  const rest = leftOutText(message)
  return [...parts, ...(rest === '' ? [] : [`… ${link(links.inbox, rest)}`])].join(lineEnd + lineEnd)
}

/** The number of visible characters. */
export function shownLength(html: string): number {
  return html.replace(/<[^>]*>/g, '').replace(/&[#\w]+;/g, '.').length
}

function itemLines(item: MessageItem, { amount, kind }: Message, lineEnd: string): string[] {
  const { url, source, profile, summary, parts } = item
  const shown = shownOf(item, amount)
  const facts = [kindOf(item), source, kind === 'digest' ? '' : profile].map(text)
  const line = parts.length === 0 ? text(summary) : parts.map(partHtml).join('')
  return [
    `<b>${link(url, nameOf(item))}</b>`,
    facts.filter((fact) => fact !== '').join(' · '),
    ...(shown.isInLine ? [line] : changeLines(shown)).filter((each) => each !== ''),
    ...(shown.text.length === 0 ? [] : [`<blockquote>${shown.text.map(text).join(lineEnd)}</blockquote>`]),
    ...alsoLines(item),
    waysOf(item)
      .map(({ label, address }) => link(address, label))
      .join(' · '),
  ]
}

/** The changes, each below the heading it is under on the page. */
function changeLines({ changes, more }: Shown): string[] {
  const lines = changes.flatMap((change, i) => {
    const isBelow = change.path === '' || change.path === changes[i - 1]?.path
    const line = lineParts(change).map(partHtml).join('')
    return isBelow ? [line] : [`<i>${text(change.path)}</i>`, line]
  })
  return more === 0 ? lines : [...lines, moreText(more)]
}

function alsoLines(item: MessageItem): string[] {
  const { shown, more } = othersOf(item)
  if (shown.length === 0) return []
  const links = shown.map(({ address, label }) => link(address, label)).join(', ')
  return [`Also at ${links}${more === 0 ? '' : ` and ${more} more`}`]
}

function partHtml(part: LinePart): string {
  return markedPart(part, (words) => {
    const inner = escapeHtml(words)
    return part.kind === 'removed' ? `<del>${inner}</del>` : part.kind === 'added' ? `<u>${inner}</u>` : inner
  })
}

const text = (words: string): string => escapeHtml(lineOf(words))

const MAX_ADDRESS = 2000

function link(address: string, words: string): string {
  if (!/^https?:\/\//i.test(address) || address.length > MAX_ADDRESS) return text(words)
  return `<a href="${escapeHtml(address.toWellFormed())}">${text(words)}</a>`
}
