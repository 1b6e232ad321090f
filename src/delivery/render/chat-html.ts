import { escapeHtml } from '../../core/html/escape.ts'
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

/**
 * The few elements that chats understand: `b`, `u`, `del` and `a`, in lines. Telegram wants line feeds between them, Matrix `<br>`.
 */
export function messageChatHtml(message: Message, lineEnd: '\n' | '<br>'): string {
  const { kind, items, links } = message
  if (kind === 'test') return 'This is a test. Messages of eRACE will arrive here.'
  const parts = byProfile(items).map(({ profile, items: own }) => {
    const texts = own.map((item) => itemLines(item, message).join(lineEnd))
    return [...(kind === 'digest' ? [`<b>${text(profile)}</b>`] : []), ...texts].join(lineEnd + lineEnd)
  })
  const rest = leftOutText(message)
  return [...parts, ...(rest === '' ? [] : [`… ${link(links.inbox, rest)}`])].join(lineEnd + lineEnd)
}

/** How many characters of it are shown. */
export function shownLength(html: string): number {
  return html.replace(/<[^>]*>/g, '').replace(/&[#\w]+;/g, '.').length
}

function itemLines(item: MessageItem, { amount }: Message): string[] {
  const { url, source, summary, parts, changes, moreChanges, links } = item
  const line =
    parts.length === 0
      ? text(summary)
      : parts.map(({ kind, text: words }) => (kind === 'removed' ? gone(words) : escapeHtml(pieceOf(words)))).join('')
  const showsChanges = amount !== 'summary' && changes.length > 0
  return [
    `<b>${link(url, nameOf(item))}</b>`,
    `${kindOf(item)} · ${text(source)}`,
    ...(showsChanges ? changes.map(changeLine) : [line]).filter((each) => each !== ''),
    ...(showsChanges && moreChanges > 0 ? [`and ${moreChanges} more`] : []),
    ...(amount === 'full' ? textLines(item).map(text) : []),
    `${link(links.change, 'What changed')} · ${link(links.cached, 'Saved copy')}`,
  ]
}

function changeLine({ kind, before, after }: ShownChange): string {
  switch (kind) {
    case 'added':
      return `+ <u>${text(after ?? '')}</u>`
    case 'removed':
      return gone(before ?? '')
    case 'moved':
      return `moved: ${text(after ?? before ?? '')}`
    case 'changed':
      return `${gone(before ?? '')} → <u>${text(after ?? '')}</u>`
  }
}

const gone = (words: string): string => (lineOf(words) === '' ? '' : `<del>${text(words)}</del>`)

const text = (words: string): string => escapeHtml(lineOf(words))

const MAX_ADDRESS = 2000

function link(address: string, words: string): string {
  if (!/^https?:\/\//i.test(address) || address.length > MAX_ADDRESS) return text(words)
  return `<a href="${escapeHtml(address.toWellFormed())}">${text(words)}</a>`
}
