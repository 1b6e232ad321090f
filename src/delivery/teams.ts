import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { changeText } from './render/change-words.ts'
import { fitted } from './render/fitting.ts'
import { cutTo, lineOf } from './render/lines.ts'
import {
  byProfile,
  kindOf,
  leftOutText,
  linkOf,
  type Message,
  type MessageItem,
  moreText,
  nameOf,
  onlyItem,
  othersOf,
  shownOf,
  subjectOf,
  summaryLine,
  waysOf,
} from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

/** Teams accepts 28 KB, including what it adds itself. */
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
  const isAlone = onlyItem(message) !== null
  const rows =
    kind === 'test'
      ? [block('Messages of eRACE will arrive here.')]
      : byProfile(items).flatMap(({ profile, items: own }) => [
          ...(kind === 'digest' ? [block(plain(lineOf(profile)), { weight: 'Bolder', separator: true })] : []),
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
      // A single change has its own heading.
      ...(isAlone ? [] : [block(plain(subjectOf(message)), { size: 'Medium', weight: 'Bolder' })]),
      ...rows,
      ...(rest === '' ? [] : [block(rest, { isSubtle: true })]),
    ],
    ...(isHttp(url) && {
      actions: [{ type: 'Action.OpenUrl', title: items.length === 1 ? 'Open in the inbox' : 'Inbox', url }],
    }),
  }
}

function itemBlocks(item: MessageItem, message: Message): object[] {
  const { url, source } = item
  const { isInLine, changes, more, text } = shownOf(item, message.amount)
  const lines = isInLine ? [summaryLine(item)] : changes.map(changeText)
  const facts = [kindOf(item), lineOf(source)].filter((fact) => fact !== '').map(plain)
  const ways = waysOf(item).map(({ label, address }) => link(address, label))
  const head = onlyItem(message) === null ? {} : { size: 'Medium' }
  return [
    block(`**${link(url, nameOf(item))}**`, { spacing: 'Medium', ...head }),
    block([...facts, ...ways].join(' · '), { isSubtle: true, size: 'Small', spacing: 'None' }),
    ...[...lines, more === 0 ? '' : moreText(more), ...text]
      .filter((line) => line !== '')
      .map((line) => block(plain(line), { spacing: 'Small' })),
    ...alsoBlocks(item),
  ]
}

function alsoBlocks(item: MessageItem): object[] {
  const { shown, more } = othersOf(item)
  if (shown.length === 0) return []
  const links = shown.map(({ label, address }) => link(address, label)).join(', ')
  return [block(`Also at ${links}${more === 0 ? '' : ` and ${more} more`}`, { isSubtle: true, size: 'Small' })]
}

function block(text: string, more: object = {}): object {
  return { type: 'TextBlock', text: cutTo(text, 5000), wrap: true, ...more }
}

/** Escapes Markdown, some of which text blocks support. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]()#~<>!+-]/g, '\\$&').replace(/^(\d+)\./, '$1\\.')
}

const isHttp = (url: string): boolean => /^https?:\/\//i.test(url) && url.length <= 2000

function link(url: string, text: string): string {
  if (!isHttp(url)) return plain(text)
  const address = url
    .toWellFormed()
    .replace(/[\s()<>\\\p{Cc}]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `[${plain(text)}](${address})`
}
