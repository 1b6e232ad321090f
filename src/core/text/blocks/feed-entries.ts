import { decodeHTML } from 'entities'
import type { Block, Blocks } from '../../change/change.ts'
import { readHtmlBlocks } from './html-blocks.ts'
import type { JsonNode } from './json-tree.ts'
import { lineOf } from './seen-text.ts'

/** An entry as its feed has it; '' where something is missing. Texts are HTML. */
export type FeedEntry = { id: string; title: string; link: string; html: string }
export type Feed = {
  title: string
  /** Address of the site that the feed belongs to. */
  site: string
  entries: FeedEntry[]
  isCut: boolean
}

export const maxEntries = 20_000
const maxEntryBlocks = 2000
const maxKeyCharacters = 1000

const beginning = 8192

const feedRoot = /<(?:rss|(?:[a-z][\w-]*:)?(?:rdf|feed))[\s>]/iy
const rssInRdf = /purl\.org\/rss\/1\.0|rdf\/simple\/0\.9/

/** Whether a document, whatever its media type, begins as a feed does: its first element is the root of one. */
export function looksLikeFeed(page: Buffer): boolean {
  const start = page.toString('latin1', 0, beginning)
  feedRoot.lastIndex = firstElementAt(start)
  const root = feedRoot.exec(start)?.[0]
  return root !== undefined && (!/rdf/i.test(root) || rssInRdf.test(start))
}

/** Behind declarations and comments. */
function firstElementAt(text: string): number {
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    if (text.startsWith('<!--', at)) {
      at = text.indexOf('-->', at)
      if (at === -1) break
    } else if (/[a-z]/i.test(text[at + 1] ?? '')) return at
  }
  return text.length
}

/**
 * An entry is known by its id, else by its link, else by its title. One without a title is called by the beginning of its
 * text, or by its address.
 */
export function feedBlocks({ title, site, entries, isCut }: Feed, url: string | undefined): Blocks {
  const home = absolute(site.trim(), url)
  const keys = new Map<string, number>()
  const blocks: Block[] = []
  for (const entry of entries) {
    const ownTitle = titleText(entry.title)
    const link = absolute(entry.link.trim(), home || url) || home
    const content = htmlText(entry.html)
    const text = content.startsWith(ownTitle) ? content : [ownTitle, content].filter(Boolean).join(' — ')
    const name = (entry.id.trim() || entry.link.trim() || ownTitle || content).slice(0, maxKeyCharacters)
    if ((text || name) === '') continue
    // Some feeds give the same id to several entries.
    const count = (keys.get(name) ?? 0) + 1
    keys.set(name, count)
    blocks.push({
      kind: 'entry',
      text: text || link || name,
      trail: [],
      key: count === 1 ? name : `${name} (${count})`,
      place: '',
      level: 0,
      title: ownTitle || beginningOf(content) || link || name,
      ...(link === '' ? {} : { link }),
    })
  }
  return { kind: 'feed', title: titleText(title) || home, blocks, isCut }
}

const maxTitleCharacters = 100

/** Cut between words. */
function beginningOf(text: string): string {
  if (text.length <= maxTitleCharacters) return text
  const start = text.slice(0, maxTitleCharacters)
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), maxTitleCharacters / 2)).toWellFormed()}…`
}

function absolute(link: string, base: string | undefined): string {
  if (link === '' || base === undefined || /^https?:/i.test(link)) return link
  return URL.parse(link, base)?.href ?? link
}

const titleMarkup =
  /<\/?(?:a|abbr|b|big|br|center|cite|code|del|div|em|font|h[1-6]|i|img|ins|mark|p|q|s|small|span|strong|sub|sup|tt|u|wbr)(?:\s[^<>]*)?\/?>/i

/** Of a title only what is certainly markup is taken out: `The <blink> element` is none. */
function titleText(html: string): string {
  return titleMarkup.test(html) ? htmlText(html) : lineOf(decodeHTML(html))
}

export function htmlText(html: string): string {
  if (!/[<&]/.test(html)) return lineOf(html)
  const { blocks } = readHtmlBlocks(Buffer.from(html), maxEntryBlocks)
  return lineOf(blocks.map(({ text }) => text).join(' '))
}

/** Null where it is JSON of another kind. */
export function readJsonFeed(root: JsonNode, isCut: boolean): Feed | null {
  if (!/^https?:\/\/(?:www\.)?jsonfeed\.org\/version\//.test(textOf(root, 'version'))) return null
  const items = field(root, 'items')
  const found = items?.kind === 'array' ? items.values : []
  const entries = found.slice(0, maxEntries).map((item): FeedEntry => {
    const plain = textOf(item, 'content_text') || textOf(item, 'summary')
    return {
      id: textOf(item, 'id'),
      title: escaped(textOf(item, 'title')),
      link: textOf(item, 'url') || textOf(item, 'external_url'),
      html: textOf(item, 'content_html') || escaped(plain),
    }
  })
  return {
    title: escaped(textOf(root, 'title')),
    site: textOf(root, 'home_page_url'),
    entries,
    isCut: isCut || found.length > maxEntries,
  }
}

function field(node: JsonNode, name: string): JsonNode | undefined {
  return node.kind === 'object' ? node.values[node.names.indexOf(name)] : undefined
}

function textOf(node: JsonNode, name: string): string {
  const value = field(node, name)
  if (value?.kind === 'string') return value.text
  return value?.kind === 'word' && value.text !== 'null' ? value.text : ''
}

/** Text as HTML that shows it. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
