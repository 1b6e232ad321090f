import type { LinkTag } from './link-collector.ts'
import { extractPage } from './page.ts'

/** Absolute form of a link; null if it isn't one. */
export type Resolve = (href: string, base: string) => string | null

const resolveWithUrl: Resolve = (href, base) => URL.parse(href, base === '' ? undefined : base)?.href ?? null

export type PageLink = { url: string; nofollow: boolean; tag: LinkTag }

/** Absolute http(s) links of a page without fragments, deduplicated, in document order. */
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

/** By the standard, a base that can't be parsed, or is a data: or javascript: URL, is ignored. */
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
