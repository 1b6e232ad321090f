import { createRequire } from 'node:module'
import { readJsonTree } from '../text/blocks/json-blocks.ts'
import { readSource } from '../text/text-source.ts'
import { type Feed, resolveFeed } from './feed.ts'
import { readJsonFeed } from './json-feed.ts'

/** Reads a feed of any kind (RSS, Atom, RDF, JSON Feed), with absolute addresses; null for anything else. */
export function readFeed(
  body: Uint8Array,
  { contentType, url }: { contentType: string | undefined; url: string },
): Feed | null {
  const source = readSource(body, contentType)
  if (source === null) return null
  const { kind, page, isCut } = source
  if (looksLikeFeed(page)) {
    const feed = readXmlFeed(page.toString('utf8'))
    return feed === null ? null : resolveFeed({ ...feed, isCut: feed.isCut || isCut }, url)
  }
  if (kind !== 'plain' || !/^\ufeff?\s*\{/.test(page.toString('utf8', 0, 256))) return null
  const tree = readJsonTree(page, isCut)
  const feed = tree === null ? null : readJsonFeed(tree.root, tree.isCut)
  return feed === null ? null : resolveFeed(feed, url)
}

const beginning = 8192

const feedRoot = /<(?:[a-z][\w-]*:)?(?:rss|rdf|feed)[\s>]/iy
const rssInRdf = /purl\.org\/rss\/1\.0|rdf\/simple\/0\.9/

/** Whether the first element of a document is the root of a feed, regardless of its media type. */
export function looksLikeFeed(page: Buffer): boolean {
  const start = page.toString('latin1', 0, beginning)
  feedRoot.lastIndex = firstElementAt(start)
  const root = feedRoot.exec(start)?.[0]
  return root !== undefined && (!/rdf/i.test(root) || rssInRdf.test(start))
}

/** Skips declarations and comments. */
function firstElementAt(text: string): number {
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    if (text.startsWith('<!--', at)) {
      at = text.indexOf('-->', at)
      if (at === -1) break
    } else if (/[a-z]/i.test(text[at + 1] ?? '')) return at
  }
  return text.length
}

type XmlFeed = typeof import('./xml-feed.ts')
let loaded: XmlFeed | null = null

/** The parser is loaded with the first feed: most threads never need it. */
export function readXmlFeed(source: string): Feed | null {
  loaded ??= createRequire(import.meta.url)(import.meta.url.replace(/.*\/read-feed/, './xml-feed')) as XmlFeed
  return loaded.readXmlFeed(source)
}
