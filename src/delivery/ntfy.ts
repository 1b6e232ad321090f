import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { changeText } from './render/change-words.ts'
import { fitted } from './render/fitting.ts'
import { lineOf } from './render/lines.ts'
import {
  itemLine,
  leftOutText,
  linkOf,
  type Message,
  type MessageItem,
  moreText,
  onlyItem,
  shownOf,
  summaryLine,
  titleOf,
  urgencyOf,
} from './render/message.ts'
import { textOf } from './settings.ts'

/** ntfy turns longer texts into an attachment. */
const MAX_BYTES = 3500
const tagsOf: Record<Message['items'][number]['kind'], string> = {
  new: 'new',
  changed: 'pencil2',
  gone: 'wastebasket',
  back: 'leftwards_arrow_with_hook',
}

const priorities = { low: 2, normal: 3, high: 4, urgent: 5 } as const

export const ntfy: ChannelAgent = {
  kind: 'ntfy',
  label: 'ntfy',
  about: 'Publishes to a topic of ntfy.sh or of your own ntfy server, with priority, tags and a link.',
  digest: { maxItems: 10, rest: 'count' },
  settings: [
    { name: 'url', label: 'Server', type: 'url', isRequired: true, usual: 'https://ntfy.sh' },
    { name: 'topic', label: 'Topic', type: 'text', isRequired: true },
    { name: 'token', label: 'Access token', type: 'secret' },
  ],
  send(message, settings, tools) {
    const token = textOf(settings, 'token')
    const shown = fitted(message, (smaller) => Buffer.byteLength(linesOf(smaller)) <= MAX_BYTES)
    const body = {
      topic: textOf(settings, 'topic'),
      title: titleOf(message),
      message: linesOf(shown),
      priority: priorities[urgencyOf(message)],
      tags: [...new Set(message.items.map(({ kind }) => tagsOf[kind]))],
      ...(/^https?:/i.test(linkOf(message)) && { click: linkOf(message) }),
    }
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    return postJson(tools, { url: textOf(settings, 'url'), body, headers })
  },
}

function linesOf(message: Message): string {
  const { kind, items, amount } = message
  if (kind === 'test') return 'Messages of eRACE will arrive here.'
  const item = onlyItem(message)
  const lines = item === null ? items.map((each) => itemLine(each)) : itemLines(item, amount)
  const rest = leftOutText(message)
  return [...lines, ...(rest === '' ? [] : [rest])].filter((line) => line !== '').join('\n')
}

/** Never empty: ntfy shows "triggered" for a message without text. */
function itemLines(item: MessageItem, amount: Message['amount']): string[] {
  const { isInLine, changes, more, text } = shownOf(item, amount)
  const lines = isInLine ? [summaryLine(item)] : changes.map(changeText)
  const all = [...lines, more === 0 ? '' : moreText(more), ...text].filter((line) => line !== '')
  return all.length === 0 ? [lineOf(item.url)] : all
}
