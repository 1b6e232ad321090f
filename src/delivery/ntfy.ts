import type { ChannelAgent } from './channel-agent.ts'
import { jsonHeaders, outcomeOf } from './http-outcome.ts'
import { linkOf, type Message, oneLine, subjectOf, urgencyOf } from './render/message.ts'
import { textOf } from './settings.ts'

const MAX_TEXT = 3500
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
  async send(message, settings, { http, clock }) {
    const [first] = message.items
    const token = textOf(settings, 'token')
    const lines = message.items.map((item) =>
      message.kind === 'digest' ? `${item.title || item.url}: ${item.summary}` : item.summary,
    )
    const body = {
      topic: textOf(settings, 'topic'),
      title: subjectOf(message),
      message:
        message.kind === 'test'
          ? 'Messages of eRACE will arrive here.'
          : lines
              .map((line) => oneLine(line, 300))
              .join('\n')
              .slice(0, MAX_TEXT),
      priority: priorities[urgencyOf(message)],
      tags: message.items.length === 1 && first !== undefined ? [tagsOf[first.kind]] : [],
      click: linkOf(message),
    }
    const headers = { ...jsonHeaders, ...(token !== '' && { authorization: `Bearer ${token}` }) }
    return outcomeOf(
      await http({ url: textOf(settings, 'url'), method: 'POST', headers, body: JSON.stringify(body) }),
      clock.now(),
    )
  },
}
