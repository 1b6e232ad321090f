import type { ChannelAgent } from './channel-agent.ts'
import { jsonHeaders, outcomeOf } from './http-outcome.ts'
import { type Message, oneLine, subjectOf } from './render/message.ts'
import { textOf } from './settings.ts'

const MAX_TEXT = 3500
const tagsOf: Record<Message['items'][number]['kind'], string> = {
  new: 'new',
  changed: 'pencil2',
  gone: 'wastebasket',
  back: 'leftwards_arrow_with_hook',
}

/** 3 is the usual priority there, and 1 the usual urgency here. */
function priorityOf({ items }: Message): number {
  const urgency = Math.max(1, ...items.map((item) => item.urgency))
  return Math.min(5, Math.max(1, Math.round(urgency) + 2))
}

export const ntfy: ChannelAgent = {
  kind: 'ntfy',
  label: 'ntfy',
  about: 'Publishes to a topic of ntfy.sh or of your own ntfy server, with priority, tags and a link.',
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
      priority: priorityOf(message),
      tags: message.items.length === 1 && first !== undefined ? [tagsOf[first.kind]] : [],
      click: message.items.length === 1 && first !== undefined ? first.links.open : message.links.inbox,
    }
    const headers = { ...jsonHeaders, ...(token !== '' && { authorization: `Bearer ${token}` }) }
    return outcomeOf(
      await http({ url: textOf(settings, 'url'), method: 'POST', headers, body: JSON.stringify(body) }),
      clock.now(),
    )
  },
}
