import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { cutTo } from './render/message.ts'
import { messageText } from './render/text.ts'
import { textOf } from './settings.ts'

export const telegram: ChannelAgent = {
  kind: 'telegram',
  label: 'Telegram',
  about: 'Writes to a Telegram chat through a bot of yours.',
  digest: { maxItems: 10, rest: 'count' },
  settings: [
    { name: 'token', label: 'Bot token', type: 'secret', isRequired: true },
    {
      name: 'chat',
      label: 'Chat',
      hint: 'The number of the chat, or @name of a channel.',
      type: 'text',
      isRequired: true,
    },
    { name: 'url', label: 'Server', type: 'url', usual: 'https://api.telegram.org' },
  ],
  check: (settings) =>
    /^[\w:-]{5,200}$/.test(textOf(settings, 'token')) ? null : 'the bot token has characters that none has',
  send(message, settings, { http, clock }) {
    const text = message.kind === 'test' ? 'Messages of eRACE will arrive here.' : messageText(message)
    const body = {
      chat_id: textOf(settings, 'chat'),
      text: cutTo(text, 4096),
      link_preview_options: { is_disabled: true },
    }
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/bot${textOf(settings, 'token')}/sendMessage`
    return postJson(http, { url, body }, clock.now())
  },
}
