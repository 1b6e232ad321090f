import type { Found } from '../extract/fastfind.ts'
import { readTable, writeTable } from './table-text.ts'

/**
 * PARCAHYD's table of links: the links of a document in a small file next to it, so that a crawler has the links before it has the
 * document. `in` and `out` distinguish links within the site from others; a crawler trusts neither and decides by itself.
 */
export type LinkTable = {
  /** SHA-256 of the document that it was made from. */
  document: Buffer
  /** Href of the document's `<base>`; undefined for none. */
  base: string | undefined
  /** As written in the document. */
  links: readonly string[]
}

/** Maximum size of a table: a page has at most ten thousand links by default. */
export const MAX_TOL_BYTES = 4 << 20

/** How the links of a table are written. */
export type LinkTableOptions = {
  document: Uint8Array
  /** The URL of the document, to make links absolute. Null to leave them as written. */
  url: string | null
  /** The document asks not to follow its links. */
  isNofollow: boolean
}

export function writeLinkTable(found: Pick<Found, 'links' | 'base'>, options: LinkTableOptions): string {
  const { document, url } = options
  const base = url === null ? found.base : undefined
  const entries = base === undefined ? [] : [`base ${oneLine(base)}`]
  const from = url === null ? null : (urlOf(found.base ?? '', url) ?? new URL(url))
  const hrefs = options.isNofollow ? [] : found.links.map(({ href }) => oneLine(href))
  for (const href of new Set(hrefs)) {
    const resolved = from === null ? null : urlOf(href, from.href)
    if (from !== null && resolved === null) continue
    const isInside = resolved === null ? !hasHost.test(href) : resolved.origin === new URL(url!).origin
    entries.push(`${isInside ? 'in' : 'out'} ${resolved?.href ?? href}`)
  }
  return writeTable('TOL', document, entries)
}

/** Null if it isn't a table of links, or has invalid lines. */
export function readLinkTable(bytes: Buffer, maxLinks: number): LinkTable | null {
  const table = readTable('TOL', bytes)
  if (table === null) return null
  let base: string | undefined
  const links: string[] = []
  for (const line of table.entries) {
    const space = line.indexOf(' ')
    const value = line.slice(space + 1)
    switch (line.slice(0, Math.max(0, space))) {
      case 'in':
      case 'out':
        if (links.length < maxLinks) links.push(value)
        break
      case 'base':
        base = value
        break
      default:
        return null
    }
  }
  return { document: table.document, base, links }
}

const hasHost = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i

/** Removes tabs and line ends, as URL parsers do anyway. */
const oneLine = (href: string): string => href.replaceAll(/[\t\n\r]/g, '')

function urlOf(href: string, base: string): URL | null {
  return URL.parse(href, base)
}
