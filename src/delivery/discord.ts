import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { messageMarkdown } from './render/markdown.ts'
import { cutTo } from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

export const discord: ChannelAgent = {
  kind: 'discord',
  label: 'Discord',
  about: 'Posts to a Discord channel through a webhook.',
  digest: { maxItems: 10, rest: 'count' },
  settings: [{ name: 'url', label: 'Webhook address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send: (message, settings, { http, clock }) =>
    postJson(
      http,
      {
        url: textOf(settings, 'url'),
        // Nobody is called by what a page says.
        body: { content: cutTo(messageMarkdown(message), 2000), allowed_mentions: { parse: [] }, flags: 4 },
      },
      clock.now(),
    ),
}
