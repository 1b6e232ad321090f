import { setImmediate as nextTurn } from 'node:timers/promises'
import { looksLikeFeed, readFeed } from '../../core/feed/read-feed.ts'
import { decodeText, detectCharset } from '../../core/http/charset.ts'
import { decodeBody } from '../../core/http/decode-body.ts'
import { addEntry, emptySitemap, maxSitemapBytes, type Sitemap } from './sitemap.ts'

const beginning = 8192
const xmlSitemap = /<(?:[a-z][\w.-]*:)?(?:urlset|sitemapindex)[\s>/]/i

/** Whether a document that wasn't announced as a sitemap starts like one. */
export const looksLikeSitemap = (body: Buffer): boolean => xmlSitemap.test(body.toString('latin1', 0, beginning))

export type SitemapSource = {
  url: string
  contentType: string | undefined
  maxBytes: number
  /** The body is incomplete, or was cut at a limit. */
  isCut: boolean
}

/** A sitemap in any of its forms; null for anything else. `isCut`: there is more than was read. */
export type SitemapReading = { sitemap: Sitemap; isCut: boolean } | null

/**
 * Reads a document that was announced as a sitemap: XML, a list of URLs or a feed, each optionally compressed with gzip. The content
 * decides, not the media type: servers use all kinds of types for sitemaps. An HTML page, as some servers send for everything, isn't one.
 */
export async function readSitemap(body: Buffer, source: SitemapSource): Promise<SitemapReading> {
  const maxBytes = Math.min(source.maxBytes, maxSitemapBytes)
  // A compressed file, on top of any content encoding.
  const unpacked = isGzip(body) ? await decodeBody(body, 'gzip', maxBytes) : null
  if (unpacked?.kind === 'failed') return null
  const bytes = unpacked?.body ?? (body.length > maxBytes ? body.subarray(0, maxBytes) : body)
  const isCut = source.isCut || (unpacked?.truncated ?? bytes !== body)
  const contentType = unpacked === null ? source.contentType : undefined
  const sitemap = await readUnpacked(bytes, { url: source.url, contentType, isCut })
  return sitemap === null ? null : { sitemap, isCut }
}

async function readUnpacked(
  bytes: Buffer,
  { url, contentType, isCut }: Omit<SitemapSource, 'maxBytes'>,
): Promise<Sitemap | null> {
  const { charset } = detectCharset({ bytes, contentType: charsetOnly(contentType) })
  // In UTF-16 the first element can only be found in the decoded text.
  const isWide = charset.startsWith('utf-16')
  const start = isWide ? decodeText(bytes.subarray(0, beginning), charset) : bytes.toString('latin1', 0, beginning)
  if (xmlSitemap.test(start))
    return (await import('./sitemap-xml.ts')).readXmlSitemap(decodeText(bytes, charset), nextTurn)
  if (looksLikeFeed(bytes)) return readFeedSitemap(bytes, url)
  return readTextSitemap(decodeText(bytes, charset), isCut)
}

/** XML in `text/plain` is still XML; only the charset of the type is trusted. */
function charsetOnly(contentType: string | undefined): string | undefined {
  return contentType !== undefined && /charset/i.test(contentType) ? contentType : undefined
}

function readFeedSitemap(bytes: Buffer, url: string): Sitemap | null {
  const feed = readFeed(bytes, { contentType: 'application/xml', url })
  if (feed === null) return null
  const sitemap = emptySitemap('feed')
  for (const { link, date } of feed.entries) {
    // An entry without a link of its own has the link of the site.
    if (link !== feed.site) addEntry(sitemap, sitemap.pages, { url: link, modifiedAt: date, priority: null })
  }
  return sitemap
}

const isUrl = /^https?:\/\/[^\s<>]+$/i

/** A list may begin with a remark or a heading of this many lines. */
const maxLeadLines = 10

/** Reads one URL per line. Null if the text neither begins with a URL nor consists of them for the most part: then it is some other text. */
function readTextSitemap(text: string, isCut: boolean): Sitemap | null {
  const sitemap = emptySitemap('text')
  let leadLines = 0
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at)
    // Half a URL would be a different URL.
    if (isCut && end === text.length) break
    const line = text.slice(at, end).trim()
    at = end + 1
    if (line === '') continue
    if (isUrl.test(line)) addEntry(sitemap, sitemap.pages, { url: line, modifiedAt: null, priority: null })
    else if (sitemap.pages.length === 0 && ++leadLines > maxLeadLines) return null
    else sitemap.unreadable++
  }
  const { pages, unreadable } = sitemap
  return pages.length === 0 || (leadLines > 0 && pages.length <= unreadable) ? null : sitemap
}

function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x0d) return at
  }
  return text.length
}

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b
