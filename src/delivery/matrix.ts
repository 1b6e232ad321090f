import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { messageChatHtml } from './render/chat-html.ts'
import { fitted } from './render/fitting.ts'
import type { Message } from './render/message.ts'
import { messageText } from './render/text.ts'
import { textOf } from './settings.ts'

const MAX_BYTES = 40_000

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
    // The ids of rooms have no server since version 12 of rooms.
    /^(?:!\S+|#\S+:\S+)$/.test(textOf(settings, 'room')) ? null : 'a room is named like !abc:example.org',
  send(message, settings, tools) {
    const transaction = encodeURIComponent(message.id)
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/_matrix/client/v3/rooms/${encodeURIComponent(textOf(settings, 'room'))}/send/m.room.message/${transaction}`
    // An event is at most 64 KB, including what the server adds.
    const shown = fitted(message, (smaller) => Buffer.byteLength(JSON.stringify(contentOf(smaller))) <= MAX_BYTES)
    const body = contentOf(shown)
    return postJson(tools, {
      url,
      body,
      method: 'PUT',
      headers: { authorization: `Bearer ${textOf(settings, 'token')}` },
    })
  },
}

function contentOf(message: Message): object {
  // Other people in the room must not be able to unsubscribe.
  const shared = { ...message, links: { ...message.links, unsubscribe: null } }
  return {
    msgtype: 'm.text',
    body: messageText(shared),
    format: 'org.matrix.custom.html',
    formatted_body: messageChatHtml(message, '<br>'),
    // Text from a page must not mention anyone.
    'm.mentions': {},
  }
}
