import type { ChannelAgent } from './channel-agent.ts'
import { postJson } from './http-outcome.ts'
import { changeText } from './render/change-words.ts'
import { fitted } from './render/fitting.ts'
import { cutTo, lineOf } from './render/lines.ts'
import {
  byProfile,
  kindOf,
  leftOutText,
  type Message,
  type MessageItem,
  moreText,
  nameOf,
  othersOf,
  shownOf,
  subjectOf,
  summaryLine,
  waysOf,
} from './render/message.ts'
import { textOf, urlFault } from './settings.ts'

/** Maximum length of a text; that of an address leaves room for other ones beside it. */
const MAX_SECTION = 3000
const MAX_ADDRESS = 1000
const MAX_BLOCKS = 50
/** Maximum length of all blocks together. Slack documents no such limit, but refuses more than some 13,000 characters. */
const MAX_JSON = 12_000

export const slack: ChannelAgent = {
  kind: 'slack',
  label: 'Slack',
  about: 'Posts to a Slack channel through an incoming webhook.',
  digest: { maxItems: 20, rest: 'count' },
  settings: [{ name: 'url', label: 'Webhook address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send(message, settings, tools) {
    const blocks = blocksOf(
      fitted(message, (smaller) => {
        const all = blocksOf(smaller)
        return all.length <= MAX_BLOCKS && JSON.stringify(all).length <= MAX_JSON
      }),
    )
    // The text is for notifications, which show no blocks.
    const body = { text: escaped(subjectOf(message)), blocks, unfurl_links: false, unfurl_media: false }
    return postJson(tools, { url: textOf(settings, 'url'), body })
  },
}

function blocksOf(message: Message): object[] {
  const { kind, items, links } = message
  if (kind === 'test') return [section('This is a test. Messages of eRACE will arrive here.')]
  const blocks = byProfile(items).flatMap(({ profile, items: own }) => [
    ...(kind === 'digest' ? [header(profile)] : []),
    ...own.flatMap((item) => [section(itemText(item, message)), context(contextOf(item))]),
  ])
  const rest = leftOutText(message)
  return rest === '' ? blocks : [...blocks, context(link(links.inbox, rest))]
}

const section = (text: string): object => ({
  type: 'section',
  text: { type: 'mrkdwn', text: cutTo(text, MAX_SECTION) },
})

const context = (text: string): object => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] })

function header(text: string): object {
  return { type: 'header', text: { type: 'plain_text', text: cutTo(lineOf(text), 150) || 'eRACE', emoji: false } }
}

/** Each line is a link or plain text, so that truncating the end breaks no other line. */
function itemText(item: MessageItem, { amount }: Message): string {
  const { isInLine, changes, more, text } = shownOf(item, amount)
  const lines = isInLine ? [summaryLine(item)] : changes.map(changeText)
  return [
    `*${link(item.url, nameOf(item))}*`,
    ...[...lines, more === 0 ? '' : moreText(more)].filter((line) => line !== '').map((line) => `• ${escaped(line)}`),
    ...text.map((line) => `> ${escaped(line)}`),
  ].join('\n')
}

function contextOf(item: MessageItem): string {
  const facts = [kindOf(item), lineOf(item.source)].filter((fact) => fact !== '').map(escaped)
  const ways = waysOf(item).map(({ label, address }) => link(address, label))
  const { shown, more } = othersOf(item)
  const others = shown.map(({ label, address }) => link(address, label))
  const withOthers = (count: number): string => {
    const rest = more + others.length - count
    const also = `Also at ${others.slice(0, count).join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`
    return [...facts, ...ways, ...(count === 0 ? [] : [also])].join(' · ')
  }
  // A link that was cut would be shown as text.
  let count = others.length
  while (count > 0 && withOthers(count).length > MAX_SECTION) count--
  return cutTo(withOthers(count), MAX_SECTION)
}

/** Escapes the three special characters of Slack's markup. A zero-width space keeps marks such as * from pairing. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[*_~`]/g, '$&\u200b')
}

/** `<url|text>` is a link. */
function link(url: string, text: string): string {
  const address = url
    .toWellFormed()
    .replace(/[<>|\s\p{Cc}]/gu, encodeURIComponent)
    .replaceAll('&', '&amp;')
  if (!/^https?:\/\//i.test(url) || address.length > MAX_ADDRESS) return escaped(text)
  return `<${address}|${escaped(text).replaceAll('|', '¦')}>`
}
