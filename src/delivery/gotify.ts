import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { messageMarkdown } from './render/markdown.ts'
import { cutTo, subjectOf } from './render/message.ts'
import { textOf } from './settings.ts'

export const gotify: ChannelAgent = {
  kind: 'gotify',
  label: 'Gotify',
  about: 'Sends to your own Gotify server, with priority and a link.',
  settings: [
    { name: 'url', label: 'Server', type: 'url', isRequired: true },
    { name: 'token', label: 'Application token', type: 'secret', isRequired: true },
  ],
  send(message, settings, { http, clock }) {
    const [first] = message.items
    const click = message.items.length === 1 && first !== undefined ? first.links.open : message.links.inbox
    const body = {
      title: subjectOf(message),
      message: cutTo(messageMarkdown(message), 20_000),
      priority: Math.min(10, 4 + Math.max(1, ...message.items.map(({ urgency }) => Math.round(urgency)))),
      extras: {
        'client::display': { contentType: 'text/markdown' },
        'client::notification': { click: { url: click } },
      },
    }
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/message`
    return postJson(http, { url, body, headers: { 'x-gotify-key': textOf(settings, 'token') } }, clock.now())
  },
}
