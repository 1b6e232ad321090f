import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { cutTo, kindOf, type Message, nameOf, oneLine, subjectOf } from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

export const teams: ChannelAgent = {
  kind: 'teams',
  label: 'Microsoft Teams',
  about: 'Posts an adaptive card to a Teams channel through a workflow address.',
  digest: { maxItems: 20, rest: 'count' },
  settings: [{ name: 'url', label: 'Workflow address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send: (message, settings, { http, clock }) =>
    postJson(http, { url: textOf(settings, 'url'), body: teamsCard(message) }, clock.now()),
}

function teamsCard(message: Message): unknown {
  const block = (text: string, more: object = {}): object => ({
    type: 'TextBlock',
    text: cutTo(text, 2000),
    wrap: true,
    ...more,
  })
  const plain = (text: string): string => oneLine(text, 1000).replace(/[\\`*_[\]()#~<>]/g, '\\$&')
  const items = message.items.flatMap((item) => [
    block(plain(nameOf(item)), { weight: 'Bolder' }),
    block(plain(item.summary === '' ? kindOf(item) : item.summary)),
  ])
  const [first] = message.items
  const url = message.items.length === 1 && first !== undefined ? first.links.change : message.links.inbox
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [block(subjectOf(message), { size: 'Medium' }), ...items.slice(0, 40)],
    ...(/^https?:/i.test(url) && { actions: [{ type: 'Action.OpenUrl', title: 'What changed', url }] }),
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: card }] }
}
