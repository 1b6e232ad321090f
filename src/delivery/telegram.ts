import type { ChannelAgent, HttpAnswer } from './channel-agent.ts'
import { outcomeOf, postJson } from './http-outcome.ts'
import { messageChatHtml, shownLength } from './render/chat-html.ts'
import { fitted } from './render/fitting.ts'
import { urgencyOf } from './render/message.ts'
import { textOf } from './settings.ts'

/** Maximum length of the visible text: tags and URLs don't count. */
const MAX_TEXT = 4096

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
  send(message, settings, tools) {
    const shown = fitted(message, (smaller) => shownLength(messageChatHtml(smaller, '\n')) <= MAX_TEXT)
    const body = {
      chat_id: textOf(settings, 'chat'),
      text: messageChatHtml(shown, '\n'),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      disable_notification: urgencyOf(message) === 'low',
    }
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/bot${textOf(settings, 'token')}/sendMessage`
    return postJson(tools, { url, body }, (answer, now) => outcomeOf(withWait(answer), now))
  },
}

/** Telegram says in the body how long to wait. */
function withWait(answer: HttpAnswer): HttpAnswer {
  const seconds = /"retry_after":\s*(\d{1,9})/.exec(answer.text)?.[1]
  if (answer.status !== 429 || seconds === undefined || answer.headers.has('retry-after')) return answer
  return { ...answer, headers: new Map([...answer.headers, ['retry-after', seconds]]) }
}
