import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import {
  changeText,
  fitted,
  leftOutText,
  lineOf,
  linkOf,
  type Message,
  nameOf,
  subjectOf,
  textLines,
  urgencyOf,
} from './render/message.ts'
import { textOf } from './settings.ts'

/** Longer texts become an attachment. */
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
      title: subjectOf(message),
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
  const lines = items.flatMap((item) => {
    if (kind === 'digest') return [`${nameOf(item)}: ${lineOf(item.summary)}`]
    const changes = amount === 'summary' ? [] : item.changes.map(changeText)
    return [...(changes.length === 0 ? [item.summary] : changes), ...(amount === 'full' ? textLines(item) : [])]
  })
  const rest = leftOutText(message)
  return [...lines.map(lineOf), ...(rest === '' ? [] : [rest])].filter((line) => line !== '').join('\n')
}
