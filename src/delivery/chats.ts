import type { ChannelAgent, HttpSender, SendOutcome } from './channel-agent.ts'
import { jsonHeaders, outcomeOf } from './http-outcome.ts'
import { messageHtml } from './render/html.ts'
import { messageMarkdown } from './render/markdown.ts'
import {
  byProfile,
  changeText,
  kindOf,
  leftOutText,
  type Message,
  nameOf,
  oneLine,
  subjectOf,
} from './render/message.ts'
import { messageText } from './render/text.ts'
import { textOf } from './settings.ts'

/** Chats take JSON at an address; what differs is how they write a message. */

type Sending = { url: string; body: unknown; method?: 'POST' | 'PUT'; headers?: Record<string, string> }

async function post(
  http: HttpSender,
  { url, body, method = 'POST', headers = {} }: Sending,
  now: number,
): Promise<SendOutcome> {
  return outcomeOf(
    await http({ url, method, headers: { ...jsonHeaders, ...headers }, body: JSON.stringify(body) }),
    now,
  )
}

const inPieces = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`

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
  settings: [{ name: 'url', label: 'Webhook address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send: (message, settings, { http, clock }) =>
    post(
      http,
      { url: textOf(settings, 'url'), body: { text: inPieces(slackText(message), 35_000), unfurl_links: false } },
      clock.now(),
    ),
}

export const discord: ChannelAgent = {
  kind: 'discord',
  label: 'Discord',
  about: 'Posts to a Discord channel through a webhook.',
  settings: [{ name: 'url', label: 'Webhook address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send: (message, settings, { http, clock }) =>
    post(
      http,
      {
        url: textOf(settings, 'url'),
        // Nobody is called by what a page says.
        body: { content: inPieces(messageMarkdown(message), 2000), allowed_mentions: { parse: [] }, flags: 4 },
      },
      clock.now(),
    ),
}

export const teams: ChannelAgent = {
  kind: 'teams',
  label: 'Microsoft Teams',
  about: 'Posts an adaptive card to a Teams channel through a workflow address.',
  settings: [{ name: 'url', label: 'Workflow address', type: 'secret', isRequired: true }],
  check: (settings) => urlFault(textOf(settings, 'url')),
  send: (message, settings, { http, clock }) =>
    post(http, { url: textOf(settings, 'url'), body: teamsCard(message) }, clock.now()),
}

function teamsCard(message: Message): unknown {
  const block = (text: string, more: object = {}): object => ({
    type: 'TextBlock',
    text: inPieces(text, 2000),
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

export const telegram: ChannelAgent = {
  kind: 'telegram',
  label: 'Telegram',
  about: 'Writes to a Telegram chat through a bot of yours.',
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
      text: inPieces(text, 4096),
      link_preview_options: { is_disabled: true },
    }
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/bot${textOf(settings, 'token')}/sendMessage`
    return post(http, { url, body }, clock.now())
  },
}

export const gotify: ChannelAgent = {
  kind: 'gotify',
  label: 'Gotify',
  about: 'Sends to your own Gotify server, with priority and a link.',
  settings: [
    { name: 'url', label: 'Server', type: 'url', isRequired: true },
    { name: 'token', label: 'Application token', type: 'secret', isRequired: true },
  ],
  send(message, settings, { http, clock }) {
    const [first] = message.items
    const click = message.items.length === 1 && first !== undefined ? first.links.open : message.links.inbox
    const body = {
      title: subjectOf(message),
      message: inPieces(messageMarkdown(message), 20_000),
      priority: Math.min(10, 4 + Math.max(1, ...message.items.map(({ urgency }) => Math.round(urgency)))),
      extras: {
        'client::display': { contentType: 'text/markdown' },
        'client::notification': { click: { url: click } },
      },
    }
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/message`
    return post(http, { url, body, headers: { 'x-gotify-key': textOf(settings, 'token') } }, clock.now())
  },
}

export const matrix: ChannelAgent = {
  kind: 'matrix',
  label: 'Matrix',
  about: 'Writes to a Matrix room, as text and HTML. A repeat is recognised by its transaction id.',
  settings: [
    { name: 'url', label: 'Home server', type: 'url', isRequired: true },
    { name: 'room', label: 'Room', hint: 'Its internal id: !abc:example.org', type: 'text', isRequired: true },
    { name: 'token', label: 'Access token', type: 'secret', isRequired: true },
  ],
  check: (settings) =>
    /^[!#]\S+:\S+$/.test(textOf(settings, 'room')) ? null : 'a room is named like !abc:example.org',
  send(message, settings, { http, clock }) {
    const transaction = encodeURIComponent(message.id)
    const url = `${textOf(settings, 'url').replace(/\/+$/, '')}/_matrix/client/v3/rooms/${encodeURIComponent(textOf(settings, 'room'))}/send/m.room.message/${transaction}`
    const html = messageHtml(message)
      .replace(/^[\s\S]*?<body[^>]*>/, '')
      .replace(/<\/body>[\s\S]*$/, '')
    const body = {
      msgtype: 'm.text',
      body: inPieces(messageText(message), 20_000),
      format: 'org.matrix.custom.html',
      formatted_body: inPieces(html, 30_000),
    }
    return post(
      http,
      { url, body, method: 'PUT', headers: { authorization: `Bearer ${textOf(settings, 'token')}` } },
      clock.now(),
    )
  },
}

/** Where the address itself is the secret. */
function urlFault(url: string): string | null {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? null : 'expected an address that begins with https://'
}
