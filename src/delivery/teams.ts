import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import {
  byProfile,
  changeText,
  cutTo,
  fitted,
  kindOf,
  leftOutText,
  lineOf,
  linkOf,
  type Message,
  type MessageItem,
  nameOf,
  subjectOf,
  textLines,
} from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

/** Teams takes 28 KB, with what it adds itself. */
const MAX_BYTES = 20_000

export const teams: ChannelAgent = {
  kind: 'teams',
  label: 'Microsoft Teams',
  about:
    'Posts an Adaptive Card to a Teams channel through a workflow ("Post to a channel when a webhook request is received").',
  digest: { maxItems: 20, rest: 'count' },
  settings: [{ name: 'url', label: 'Workflow address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send(message, settings, tools) {
    const shown = fitted(message, (smaller) => Buffer.byteLength(JSON.stringify(cardOf(smaller))) <= MAX_BYTES)
    const attachment = {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: cardOf(shown),
    }
    const body = { type: 'message', attachments: [attachment] }
    return postJson(tools, { url: textOf(settings, 'url'), body })
  },
}

function cardOf(message: Message): object {
  const { kind, items } = message
  const rows =
    kind === 'test'
      ? [block('Messages of eRACE will arrive here.')]
      : byProfile(items).flatMap(({ profile, items: own }) => [
          ...(kind === 'digest' ? [block(plain(profile), { weight: 'Bolder', separator: true })] : []),
          ...own.flatMap((item) => itemBlocks(item, message)),
        ])
  const rest = leftOutText(message)
  const url = linkOf(message)
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      block(plain(subjectOf(message)), { size: 'Medium', weight: 'Bolder' }),
      ...rows,
      ...(rest === '' ? [] : [block(rest, { isSubtle: true })]),
    ],
    ...(isHttp(url) && { actions: [{ type: 'Action.OpenUrl', title: items.length === 1 ? 'Open' : 'Inbox', url }] }),
  }
}

function itemBlocks(item: MessageItem, { amount }: Message): object[] {
  const { changes, moreChanges, summary, url, source, links } = item
  const showsChanges = amount !== 'summary' && changes.length > 0
  const lines = showsChanges ? changes.map(changeText) : [summary]
  const more = showsChanges && moreChanges > 0 ? [`and ${moreChanges} more`] : []
  const ways = [link(links.change, 'What changed'), link(links.cached, 'Saved copy')]
  return [
    block(`**${link(url, nameOf(item))}**`, { spacing: 'Medium' }),
    block([kindOf(item), plain(source), ...ways].join(' · '), { isSubtle: true, size: 'Small', spacing: 'None' }),
    ...[...lines, ...more, ...(amount === 'full' ? textLines(item) : [])]
      .filter((line) => line.trim() !== '')
      .map((line) => block(plain(line), { spacing: 'Small' })),
  ]
}

function block(text: string, more: object = {}): object {
  return { type: 'TextBlock', text: cutTo(text, 5000), wrap: true, ...more }
}

/** Text blocks know some Markdown. */
function plain(text: string): string {
  return lineOf(text).replace(/[\\`*_[\]()#~<>!+-]/g, '\\$&')
}

const isHttp = (url: string): boolean => /^https?:\/\//i.test(url) && url.length <= 2000

function link(url: string, text: string): string {
  if (!isHttp(url)) return plain(text)
  const address = url
    .toWellFormed()
    .replace(/[\s()<>\\\p{Cc}]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `[${plain(text)}](${address})`
}
