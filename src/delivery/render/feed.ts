import { beginning, isolated } from '../../core/change/shown-text.ts'
import { escapeReadable } from '../../xml/xml-text.ts'
import { itemHtml } from './html.ts'
import { oneLine } from './lines.ts'
import { kindOf, type MessageItem, nameOf, summaryLine } from './message.ts'

/** A feed, newest entries first. Ids are permanent, even if the server is renamed. */
export type Feed = {
  /** A URI, as are the ids of the entries. */
  readonly id: string
  readonly title: string
  readonly updatedAt: number
  readonly links: { readonly self: string; readonly home: string }
  readonly entries: readonly FeedEntry[]
}

export type FeedEntry = { readonly id: string; readonly item: MessageItem }

const MAX_TITLE = 200
const MAX_SUMMARY = 1000
const GENERATOR = 'eRACE'

/** Atom 1.0, RFC 4287. */
export function atomFeed({ id, title, updatedAt, links, entries }: Feed): string {
  const rows = entries.map(({ id: own, item }) =>
    element('entry', [
      leaf('id', own),
      leaf('title', titleOf(item)),
      leaf('updated', isoOf(item.at)),
      leaf('published', isoOf(item.at)),
      empty('link', { rel: 'alternate', href: linkOf(item) }),
      empty('link', { rel: 'related', title: 'What changed', href: item.links.change }),
      empty('category', { term: oneLine(item.profile, MAX_TITLE) || 'inbox' }),
      leaf('summary', summaryOf(item)),
      leaf('content', contentOf(item), { type: 'html' }),
    ]),
  )
  return document(
    element(
      'feed',
      [
        leaf('id', id),
        leaf('title', oneLine(title, MAX_TITLE)),
        leaf('updated', isoOf(updatedAt)),
        element('author', [leaf('name', GENERATOR)]),
        leaf('generator', GENERATOR),
        empty('link', { rel: 'self', type: 'application/atom+xml', href: links.self }),
        empty('link', { rel: 'alternate', type: 'text/html', href: links.home }),
        ...rows,
      ],
      { xmlns: 'http://www.w3.org/2005/Atom' },
    ),
  )
}

/** RSS 2.0, with the self link that the RSS Advisory Board asks for. A description is HTML. */
export function rssFeed({ title, updatedAt, links, entries }: Feed): string {
  const rows = entries.map(({ id, item }) =>
    element('item', [
      leaf('title', titleOf(item)),
      leaf('link', linkOf(item)),
      leaf('guid', id, { isPermaLink: 'false' }),
      leaf('pubDate', new Date(item.at).toUTCString()),
      leaf('category', oneLine(item.profile, MAX_TITLE) || 'inbox'),
      leaf('description', contentOf(item)),
    ]),
  )
  const channel = element('channel', [
    leaf('title', oneLine(title, MAX_TITLE)),
    leaf('link', links.home),
    leaf('description', 'Changes on the pages you watch'),
    leaf('generator', GENERATOR),
    leaf('lastBuildDate', new Date(updatedAt).toUTCString()),
    empty('atom:link', { rel: 'self', type: 'application/rss+xml', href: links.self }),
    ...rows,
  ])
  return document(element('rss', [channel], { version: '2.0', 'xmlns:atom': 'http://www.w3.org/2005/Atom' }))
}

/** JSON Feed 1.1. */
export function jsonFeed({ title, links, entries }: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: oneLine(title, MAX_TITLE),
    home_page_url: links.home,
    feed_url: links.self,
    items: entries.map(({ id, item }) => ({
      id,
      url: linkOf(item),
      title: titleOf(item),
      summary: summaryOf(item),
      content_html: contentOf(item),
      date_published: isoOf(item.at),
      tags: [oneLine(item.profile, MAX_TITLE) || 'inbox'],
    })),
  })
}

/** Feed readers list titles, so the title says what changed, or that the page is gone or back. */
function titleOf(item: MessageItem): string {
  const name = nameOf(item)
  if (item.kind === 'gone' || item.kind === 'back') return oneLine(`${kindOf(item)}: ${name}`, MAX_TITLE)
  return item.parts.length === 0
    ? oneLine(name, MAX_TITLE)
    : beginning(`${isolated(name)}: ${summaryLine(item)}`, MAX_TITLE)
}

function summaryOf({ summary }: MessageItem): string {
  return oneLine(summary, MAX_SUMMARY)
}

function contentOf(item: MessageItem): string {
  return itemHtml(item, { amount: 'change', form: 'feed' })
}

/** The page if a browser can open it, otherwise `links.open`. */
function linkOf({ url, links }: MessageItem): string {
  const page = URL.parse(url)
  return page !== null && /^https?:$/.test(page.protocol) ? strictUri(page.href) : links.open
}

/** Validators follow RFC 3986, which allows fewer characters than browsers do. Host names are in their strict form already. */
function strictUri(href: string): string {
  const path = href.indexOf('/', href.indexOf('//') + 2)
  const [before = '', ...fragments] = href.slice(path).split('#')
  const rest = fragments.length === 0 ? before : `${before}#${fragments.join('%23')}`
  return (
    href.slice(0, path) +
    rest.replace(/%(?![\da-f]{2})|[^\w\-.~:/?#@!$&'()*+,;=%]/gi, (sign) => encodeURIComponent(sign))
  )
}

const isoOf = (at: number): string => new Date(at).toISOString()

const document = (root: string): string => `<?xml version="1.0" encoding="utf-8"?>\n${root}`

type Attributes = Readonly<Record<string, string>>

function element(name: string, children: readonly string[], attributes: Attributes = {}): string {
  return `<${name}${attributesOf(attributes)}>\n${children.join('')}</${name}>\n`
}

function leaf(name: string, text: string, attributes: Attributes = {}): string {
  return `<${name}${attributesOf(attributes)}>${escapeReadable(text)}</${name}>\n`
}

function empty(name: string, attributes: Attributes): string {
  return `<${name}${attributesOf(attributes)}/>\n`
}

function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeReadable(value)}"`)
    .join('')
}
