import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { fittedForm } from './render/fitting.ts'
import { itemMarkdown, messageMarkdown } from './render/markdown.ts'
import { linkOf, type Message, onlyItem, titleOf, urgencyOf } from './render/message.ts'
import { textOf } from './settings.ts'

const MAX_BYTES = 20_000
/** From 4, a notification makes a sound; from 8, it is shown over everything. */
const priorities = { low: 2, normal: 5, high: 7, urgent: 9 } as const

export const gotify: ChannelAgent = {
  kind: 'gotify',
  label: 'Gotify',
  about: 'Sends to your own Gotify server, with priority and a link.',
  digest: { maxItems: 30, rest: 'count' },
  settings: [
    { name: 'url', label: 'Server', type: 'url', isRequired: true },
    { name: 'token', label: 'Application token', type: 'secret', isRequired: true },
  ],
  send(message, settings, tools) {
    const body = {
      title: titleOf(message),
      message: fittedForm(message, textIn, MAX_BYTES),
      priority: priorities[urgencyOf(message)],
      extras: {
        'client::display': { contentType: 'text/markdown' },
        'client::notification': { click: { url: linkOf(message) } },
      },
    }
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/message`
    return postJson(tools, { url, body, headers: { 'x-gotify-key': textOf(settings, 'token') } })
  },
}

/** Omits the name of a single page, which is in the title. */
function textIn(message: Message): string {
  const item = onlyItem(message)
  return item === null ? messageMarkdown(message) : itemMarkdown(item, { amount: message.amount, head: 'facts' })
}
