import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { byProfile, changeText, cutTo, kindOf, leftOutText, type Message, nameOf, oneLine } from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

/** Slack's own markup: three signs are escaped, and `<url|text>` is a link. */
function slackText(message: Message): string {
  if (message.kind === 'test') return 'Messages of eRACE will arrive here.'
  const escaped = (text: string): string =>
    oneLine(text, 1000).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const link = (url: string, text: string): string =>
    /^https?:/i.test(url)
      ? `<${url.replace(/[<>|\s]/g, encodeURIComponent)}|${escaped(text).replaceAll('|', '¦')}>`
      : escaped(text)
  const parts = byProfile(message.items).flatMap(({ profile, items }) => [
    ...(message.kind === 'digest' ? [`*${escaped(profile)}*`] : []),
    ...items.map((item) => {
      const changes =
        message.amount === 'summary' || item.changes.length === 0 ? [item.summary] : item.changes.map(changeText)
      return [
        `*${link(item.url, nameOf(item))}* (${kindOf(item)})`,
        ...changes.map((each) => `• ${escaped(each)}`),
        link(item.links.change, 'What changed'),
      ].join('\n')
    }),
  ])
  const rest = leftOutText(message)
  return [...parts, ...(rest === '' ? [] : [link(message.links.inbox, rest)])].join('\n\n')
}

export const slack: ChannelAgent = {
  kind: 'slack',
  label: 'Slack',
  about: 'Posts to a Slack channel through an incoming webhook.',
  digest: { maxItems: 20, rest: 'count' },
  settings: [{ name: 'url', label: 'Webhook address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send: (message, settings, { http, clock }) =>
    postJson(
      http,
      { url: textOf(settings, 'url'), body: { text: cutTo(slackText(message), 35_000), unfurl_links: false } },
      clock.now(),
    ),
}
