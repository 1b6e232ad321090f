import { withoutAccess } from '../../core/url/access.ts'
import type { FoundLink } from '../extract/fastfind.ts'
import { isNoPageLink } from '../extract/link-text.ts'
import { parseMetaRefresh } from '../extract/url-attributes.ts'

/** One link of a `Link` header field (RFC 8288). */
export type HeaderLink = {
  /** As written in the header. */
  href: string
  /** In lower case. */
  rels: string[]
  /** What a preload is for; '' if it doesn't say. */
  as: string
  /** The link has another context than the page. */
  isElsewhere: boolean
}

/** Maximum per response. A header has room for thousands; no honest one has that many. */
const maxLinks = 1000

const white = /[\t ]*/y
const target = /<([^>]*)>/y
const parameterName = /[\t ]*;[\t ;]*([!#$%&'*+\-.^_`|~\w]+)[\t ]*(=?)[\t ]*/y
const bareValue = /[^\t ;,]*/y

/** Parses the links of the fields, which are octets. A field ends at the first syntax error; links before it count. */
export function parseLinkHeaders(values: readonly string[]): HeaderLink[] {
  const links: HeaderLink[] = []
  for (const value of values) readField(textOf(value), links)
  return links
}

function readField(text: string, links: HeaderLink[]): void {
  let at = 0
  while (links.length < maxLinks) {
    // Skip empty list members.
    while (at < text.length && (text[at] === ',' || text[at] === ' ' || text[at] === '\t')) at++
    target.lastIndex = at
    const href = target.exec(text)?.[1]
    if (href === undefined) return
    at = target.lastIndex
    const link: HeaderLink = { href: href.trim(), rels: [], as: '', isElsewhere: false }
    const seen = new Set<string>()
    for (;;) {
      parameterName.lastIndex = at
      const found = parameterName.exec(text)
      if (found === null) break
      at = parameterName.lastIndex
      const name = found[1]!.toLowerCase()
      const read = found[2] === '=' ? readValue(text, at) : { value: '', end: at }
      at = read.end
      // The first of duplicate parameters counts.
      if (!seen.has(name)) setParameter(link, name, read.value)
      seen.add(name)
    }
    links.push(link)
    white.lastIndex = at
    white.exec(text)
    at = white.lastIndex
    // Skip anything unexpected: the next link begins after the next comma.
    const comma = text.indexOf(',', at)
    at = comma === -1 ? text.length : comma
  }
}

function readValue(text: string, at: number): { value: string; end: number } {
  if (text[at] !== '"') {
    bareValue.lastIndex = at
    return { value: bareValue.exec(text)![0], end: bareValue.lastIndex }
  }
  let value = ''
  let next = at + 1
  for (; next < text.length && text[next] !== '"'; next++) {
    if (text[next] === '\\') next++
    value += text[next] ?? ''
  }
  return { value, end: next + 1 }
}

function setParameter(link: HeaderLink, name: string, value: string): void {
  if (name === 'rel')
    link.rels = value
      .toLowerCase()
      .split(/[\t ]+/)
      .filter((rel) => rel !== '')
  else if (name === 'as') link.as = value.toLowerCase()
  // A fragment is part of the page.
  else if (name === 'anchor') link.isElsewhere = value !== '' && !value.startsWith('#')
}

/** Relations that lead to documents. Others name styles, scripts, hosts, hubs and interfaces, which are for programs. */
const toDocuments: ReadonlySet<string> = new Set([
  ...['next', 'prev', 'previous', 'first', 'last', 'start', 'up', 'contents', 'index', 'toc', 'section', 'subsection'],
  ...['chapter', 'appendix', 'glossary', 'item', 'collection', 'archives', 'alternate', 'canonical', 'amphtml'],
  ...['latest-version', 'predecessor-version', 'successor-version', 'version-history', 'working-copy', 'original'],
  ...['memento', 'duplicate', 'related', 'via', 'cite-as', 'describedby', 'describes', 'about', 'author', 'bookmark'],
  ...['help', 'license', 'copyright', 'privacy-policy', 'terms-of-service', 'enclosure', 'prefetch', 'prerender'],
])

/** Whether a crawler should follow this link like a link of the page. */
export function leadsToDocument({ rels, as, isElsewhere, href }: HeaderLink): boolean {
  if (isElsewhere || href === '' || href.startsWith('#')) return false
  return rels.some((rel) => toDocuments.has(rel)) || (rels.includes('preload') && as === 'document')
}

/** Converts them to links of the page. They are relative to its own URL, even if the page declares another base. */
export function headerLinks(links: readonly HeaderLink[], url: string): FoundLink<never>[] {
  const base = withoutAccess(url)
  return links.filter(leadsToDocument).map(({ href }) => ({
    ...{ href: URL.parse(href, base)?.href ?? href, tag: 'link', nofollow: false, known: null },
  }))
}

/** The target of a `Refresh` field, relative to the page's own URL like those above. Of several fields, the first counts. */
export function refreshLinks(values: readonly string[], url: string): FoundLink<never>[] {
  const target = values.length === 0 ? undefined : parseMetaRefresh(textOf(values[0]!))?.url?.trim()
  if (target === undefined || target === '' || isNoPageLink(target)) return []
  return [{ href: URL.parse(target, withoutAccess(url))?.href ?? target, tag: 'meta', nofollow: false, known: null }]
}

/** URLs of the sitemaps among them. */
export const sitemapsOf = (links: readonly HeaderLink[]): string[] =>
  links.filter(({ rels, href }) => rels.includes('sitemap') && href !== '').map(({ href }) => href)

/** Servers that send non-ASCII bytes here mean UTF-8. */
function textOf(octets: string): string {
  return /[\x80-\xff]/.test(octets) ? Buffer.from(octets, 'latin1').toString('utf8') : octets
}
