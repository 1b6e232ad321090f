import {
  ACTION,
  CONTENT,
  HREF,
  HTTP_EQUIV,
  METHOD,
  NAME,
  REL,
  SRC,
  SRCSET,
  type TagAttributes,
} from './attribute-scan.ts'
import { matchesWord } from './byte-class.ts'
import { hasListWord, isNoPageLink } from './link-text.ts'
import { parseMetaRefresh } from './meta-refresh.ts'
import { attributeText, type Decode, decodeUtf8, skipWhitespace, titleText, trimWhitespaceEnd } from './page-text.ts'
import { parseSrcset } from './srcset.ts'
import type { KnownTag, LinkTag } from './tag-table.ts'

export type FoundLink = {
  /** As the page has it: entities decoded, white space trimmed, not resolved. */
  href: string
  tag: LinkTag
  nofollow: boolean
}

export type Found = {
  /** In document order, repetitions included; the target of a refresh is among them as tag `meta`. */
  links: FoundLink[]
  /** Links that were not returned: beyond `maxLinks`, or longer than `maxHrefBytes`. */
  droppedLinks: number
  /** `href` of the first `<base>` that has one. */
  base?: string
  refresh?: { seconds: number; url: string }
  /** Names are lower-case. */
  metas: { name: string; content: string }[]
  title: string
}

export type LinkOptions = {
  maxLinks?: number
  maxHrefBytes?: number
  /** For values with bytes that are not ASCII; the default takes them for UTF-8. */
  decode?: Decode
  /**
   * Given for pages that are not UTF-8: percent-encodes what is not ASCII in the query of a link in the page's
   * encoding, as browsers do. The path needs nothing of the kind, it always goes out as UTF-8.
   */
  encodeQuery?: (href: string) => string
}

export type LinkCollector = {
  startTag(tag: KnownTag, attributes: TagAttributes): void
  endTag(tag: KnownTag): void
  title(start: number, end: number): void
  found(): Found
}

const MAX_METAS = 100
const MAX_META_BYTES = 4096
const MAX_TITLE_BYTES = 1024

/**
 * Keeps what the tags of one page tell. Three things are remembered between tags: whether a form is open (a form
 * inside a form does not exist), how deep in templates the page is (their content is inert: a base, title, meta or
 * form there is none of the page's; links are still taken), and whether a refresh was seen (the first one counts).
 */
export function createLinkCollector(bytes: Buffer, options: LinkOptions): LinkCollector {
  const { maxLinks = 10_000, maxHrefBytes = 100_000, decode = decodeUtf8, encodeQuery } = options
  const result: Found = { links: [], droppedLinks: 0, metas: [], title: '' }
  let isFormOpen = false
  let templateDepth = 0
  let hasRefresh = false
  let hasTitle = false

  function text(ranges: Int32Array, slot: number): string {
    return attributeText(bytes, ranges[slot]!, ranges[slot + 1]!, ranges[slot + 2]!, decode)
  }

  function encoded(href: string): string {
    return encodeQuery === undefined ? href : encodeQuery(href)
  }

  function addText(href: string, tag: LinkTag, nofollow: boolean): void {
    const trimmed = href.replace(/^[\t\n\f\r ]+/, '').trimEnd()
    if (trimmed === '' || isNoPageLink(trimmed)) return
    if (result.links.length >= maxLinks) result.droppedLinks++
    else result.links.push({ href: encoded(trimmed), tag, nofollow })
  }

  return { startTag, endTag, title, found: () => result }
}
