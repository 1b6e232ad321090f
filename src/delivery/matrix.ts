import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { messageHtml } from './render/html.ts'
import { cutTo } from './render/message.ts'
import { messageText } from './render/text.ts'
import { textOf } from './settings.ts'

export const matrix: ChannelAgent = {
  kind: 'matrix',
  label: 'Matrix',
  about: 'Writes to a Matrix room, as text and HTML. A repeat is recognised by its transaction id.',
  digest: { maxItems: 30, rest: 'count' },
  settings: [
    { name: 'url', label: 'Home server', type: 'url', isRequired: true },
    { name: 'room', label: 'Room', hint: 'Its internal id: !abc:example.org', type: 'text', isRequired: true },
    { name: 'token', label: 'Access token', type: 'secret', isRequired: true },
  ],
  check: (settings) =>
    /^[!#]\S+:\S+$/.test(textOf(settings, 'room')) ? null : 'a room is named like !abc:example.org',
  send(message, settings, { http, clock }) {
    const transaction = encodeURIComponent(message.id)
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/_matrix/client/v3/rooms/${encodeURIComponent(textOf(settings, 'room'))}/send/m.room.message/${transaction}`
    const html = messageHtml(message)
      .replace(/^[\s\S]*?<body[^>]*>/, '')
      .replace(/<\/body>[\s\S]*$/, '')
    const body = {
      msgtype: 'm.text',
      body: cutTo(messageText(message), 20_000),
      format: 'org.matrix.custom.html',
      formatted_body: cutTo(html, 30_000),
    }
    return postJson(
      http,
      { url, body, method: 'PUT', headers: { authorization: `Bearer ${textOf(settings, 'token')}` } },
      clock.now(),
    )
  },
}
