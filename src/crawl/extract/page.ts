import { type Charset, decodeText, detectCharset, isAsciiCompatible, resolveEncoding } from '../../core/charset.ts'
import type { FindOptions } from './fastfind.ts'
import { type Found, fastfind } from './fastfind.ts'
import type { Recall } from './link-collector.ts'
import { createQueryEncoder } from './query-encoder.ts'
import type { LinkTag } from './tag-table.ts'

/** What a page tells. `base` and the links stand as the page has them; resolving is the business of later steps. */
export type ExtractedPage<Known = unknown> = Found<Known> & { charset: Charset }

export type PageSource<Known = unknown> = {
  /** Recognises links of the page without making text of them; asked only where the page has no base of its own. */
  recall?: Recall<Known> | undefined
  contentType?: string | null | undefined
  /** Known from elsewhere: nothing is detected then. */
  charset?: string | null | undefined
  url: string
  maxLinks?: number | undefined
}

/** Detects the encoding of an HTML or XHTML page and finds what it links to, in one pass over its bytes. */
export function extractPage<Known = unknown>(body: Uint8Array, source: PageSource<Known>): ExtractedPage<Known> {
  const given = source.charset ? resolveEncoding(source.charset) : undefined
  const charset: Charset =
    given === undefined
      ? detectCharset({ bytes: body, contentType: source.contentType })
      : { charset: given, source: 'header' }
  const options: FindOptions<Known> = { ...findOptions(charset.charset), xml: isXhtml(source.contentType) }
  if (source.maxLinks !== undefined) options.maxLinks = source.maxLinks
  const page = isAsciiCompatible(charset.charset) ? body : Buffer.from(decodeText(body, charset.charset))
  const found = fastfind(page, { ...options, recall: source.recall })
  // What was recalled was recalled for the page's own address; a base means all links are others.
  return Object.assign(found.base === undefined ? found : fastfind(page, options), { charset })
}

function isXhtml(contentType: string | null | undefined): boolean {
  return contentType != null && /^[\t ]*application\/xhtml\+xml/i.test(contentType)
}

function findOptions(charset: string): Pick<FindOptions, 'decode' | 'encodeQuery'> {
  if (charset === 'utf-8' || !isAsciiCompatible(charset)) return {}
  const decoder = new TextDecoder(charset, { ignoreBOM: true })
  return { decode: (bytes) => decoder.decode(bytes), encodeQuery: createQueryEncoder(charset) }
}

/** Absolute form of a link, or null when it is none. */
export type Resolve = (href: string, base: string) => string | null

const resolveWithUrl: Resolve = (href, base) => URL.parse(href, base === '' ? undefined : base)?.href ?? null

export type PageLink = { url: string; nofollow: boolean; tag: LinkTag }

/** Absolute http(s) links of a page without fragments, each once, in document order. */
export function extractLinks(
  body: Uint8Array,
  url: string,
  encoding?: string | null,
  resolve: Resolve = resolveWithUrl,
): PageLink[] {
  const page = extractPage(body, { url, charset: encoding })
  const base = resolveBase(page.base, url, resolve)
  const links = new Map<string, PageLink>()
  for (const { href, nofollow, tag } of page.links) {
    const absolute = resolve(href, base)
    if (absolute === null || !/^https?:/i.test(absolute)) continue
    const fragment = absolute.indexOf('#')
    const link = fragment === -1 ? absolute : absolute.slice(0, fragment)
    if (!links.has(link)) links.set(link, { url: link, nofollow, tag })
  }
  return [...links.values()]
}

/** By the standard a base that cannot be parsed, or is a data: or javascript: URL, counts as none. */
function resolveBase(base: string | undefined, url: string, resolve: Resolve): string {
  if (base === undefined) return url
  const absolute = resolve(base, url)
  return absolute === null || /^(?:data|javascript):/i.test(absolute) ? url : absolute
}

/** The URL that relative links of the page are resolved against. */
export function baseUrl(html: Uint8Array, url: string, encoding?: string | null): string {
  return resolveBase(extractPage(html, { url, charset: encoding }).base, url, resolveWithUrl)
}

/** The page's declarative refresh with its absolute URL. */
export function metaRefresh(
  html: Uint8Array,
  url: string,
  encoding?: string | null,
): { seconds: number; url: string } | null {
  const page = extractPage(html, { url, charset: encoding })
  if (page.refresh === undefined) return null
  const target = resolveWithUrl(page.refresh.url, resolveBase(page.base, url, resolveWithUrl))
  return target === null ? null : { seconds: page.refresh.seconds, url: target }
}
