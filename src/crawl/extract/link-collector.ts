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
import { AMPERSAND } from './byte-class.ts'
import { hasListWord, isNoPageLink, isNoPageLinkAt, trimHtmlWhitespace } from './link-text.ts'
import { parseMetaRefresh } from './meta-refresh.ts'
import {
  asciiText,
  attributeText,
  type Decode,
  decodeUtf8,
  skipWhitespace,
  titleText,
  trimWhitespaceEnd,
} from './page-text.ts'
import { plainAmpersandText } from './plain-ampersands.ts'
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
  /** Links that were not returned: beyond `maxLinks`, or longer than `maxValueBytes`. */
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
  maxValueBytes?: number
  /** For values with bytes that are not ASCII; the default takes them for UTF-8. */
  decode?: Decode
  /**
   * Given for pages that are not UTF-8: percent-encodes what is not ASCII in the query of a link in the page's
   * encoding, as browsers do. The path needs nothing of the kind, it always goes out as UTF-8.
   */
  encodeQuery?: (href: string) => string
}

/** The text of a value that can be told without decoding. */
function plainText(bytes: Buffer, start: number, end: number, classes: number): string | undefined {
  if (classes === 0) return asciiText(bytes, start, end)
  return classes === AMPERSAND ? plainAmpersandText(bytes, start, end) : undefined
}

const MAX_METAS = 100
const MAX_META_BYTES = 4096
const MAX_TITLE_BYTES = 1024

export type LinkCollector = {
  startTag(tag: KnownTag, attributes: TagAttributes): void
  endTag(tag: KnownTag): void
  title(start: number, end: number): void
  readonly found: Found
}

/**
 * Keeps what the tags of one page tell. Four things are remembered between tags: whether a form is open (a form
 * inside a form does not exist), how deep in templates the page is (their content is inert: a base, title or meta
 * there is none of the page's; links are still taken), and whether a refresh and a title were seen (the first counts).
 */
export function createLinkCollector(bytes: Buffer, options: LinkOptions): LinkCollector {
  const { maxLinks = 10_000, maxValueBytes = 100_000, decode = decodeUtf8, encodeQuery } = options
  const found: Found = { links: [], droppedLinks: 0, metas: [], title: '' }
  let isFormOpen = false
  let templateDepth = 0
  let hasRefresh = false
  let hasTitle = false

  function text(ranges: Int32Array, slot: number): string {
    return attributeText(bytes, ranges[slot]!, ranges[slot + 1]!, ranges[slot + 2]!, decode)
  }

  function byteLength(ranges: Int32Array, slot: number): number {
    return ranges[slot] === -1 ? -1 : ranges[slot + 1]! - ranges[slot]!
  }

  function addLink(href: string, tag: LinkTag, nofollow: boolean): void {
    if (found.links.length >= maxLinks) found.droppedLinks++
    else found.links.push({ href: encodeQuery === undefined ? href : encodeQuery(href), tag, nofollow })
  }

  function addLinkText(value: string, tag: LinkTag, nofollow: boolean): void {
    const href = trimHtmlWhitespace(value)
    if (href !== '' && !isNoPageLink(href)) addLink(href, tag, nofollow)
  }

  function addAttribute(ranges: Int32Array, slot: number, tag: LinkTag): void {
    if (ranges[slot] === -1) return
    const start = skipWhitespace(bytes, ranges[slot]!, ranges[slot + 1]!)
    const end = trimWhitespaceEnd(bytes, start, ranges[slot + 1]!)
    if (start === end || isNoPageLinkAt(bytes, start)) return
    if (end - start > maxValueBytes || found.links.length >= maxLinks) {
      found.droppedLinks++
      return
    }
    const isRelRead = (tag === 'a' || tag === 'area') && ranges[REL] !== -1
    const nofollow = isRelRead && hasListWord(bytes, ranges[REL]!, ranges[REL + 1]!, 'nofollow')
    const classes = ranges[slot + 2]!
    const plain = plainText(bytes, start, end, classes)
    if (plain !== undefined) addLink(plain, tag, nofollow)
    else addLinkText(attributeText(bytes, start, end, classes, decode), tag, nofollow)
  }

  function addSrcset(ranges: Int32Array, tag: LinkTag): void {
    const length = byteLength(ranges, SRCSET)
    if (length > maxValueBytes) found.droppedLinks++
    else if (length > 0) for (const url of parseSrcset(text(ranges, SRCSET))) addLinkText(url, tag, false)
  }

  function addForm(ranges: Int32Array): void {
    if (isFormOpen && templateDepth === 0) return
    isFormOpen = templateDepth === 0
    // Every unknown method means GET; a dialog goes nowhere.
    const isGet = byteLength(ranges, METHOD) < 0 || !/^(?:post|dialog)$/i.test(shortText(ranges, METHOD))
    if (isGet) addAttribute(ranges, ACTION, 'form')
  }

  /** For values that are compared with a keyword: what is longer than any keyword is none. */
  function shortText(ranges: Int32Array, slot: number): string {
    return byteLength(ranges, slot) > 100 ? '' : text(ranges, slot)
  }

  function addMeta(ranges: Int32Array): void {
    const contentLength = byteLength(ranges, CONTENT)
    if (contentLength < 0 || templateDepth > 0) return
    if (byteLength(ranges, HTTP_EQUIV) >= 0) addRefresh(ranges, contentLength)
    const nameLength = byteLength(ranges, NAME)
    if (nameLength <= 0 || nameLength + contentLength > MAX_META_BYTES || found.metas.length >= MAX_METAS) return
    const name = trimHtmlWhitespace(text(ranges, NAME)).toLowerCase()
    found.metas.push({ name, content: text(ranges, CONTENT) })
  }

  function addRefresh(ranges: Int32Array, contentLength: number): void {
    if (hasRefresh || shortText(ranges, HTTP_EQUIV).toLowerCase() !== 'refresh') return
    if (contentLength > maxValueBytes) {
      found.droppedLinks++
      return
    }
    const refresh = parseMetaRefresh(text(ranges, CONTENT))
    if (refresh === undefined) return
    hasRefresh = true
    if (refresh.url === undefined) return
    const href = trimHtmlWhitespace(refresh.url)
    const url = encodeQuery === undefined ? href : encodeQuery(href)
    found.refresh = { seconds: refresh.seconds, url }
    addLinkText(href, 'meta', false)
  }

  function setBase(ranges: Int32Array): void {
    if (found.base !== undefined || templateDepth > 0 || ranges[HREF] === -1) return
    if (byteLength(ranges, HREF) <= maxValueBytes) found.base = trimHtmlWhitespace(text(ranges, HREF))
  }

  function startTag(tag: KnownTag, { ranges }: TagAttributes): void {
    switch (tag) {
      case 'a':
      case 'area':
      case 'link':
        addAttribute(ranges, HREF, tag)
        break
      case 'iframe':
      case 'frame':
      case 'script':
        addAttribute(ranges, SRC, tag)
        break
      case 'img':
      case 'image':
        addAttribute(ranges, SRC, 'img')
        addSrcset(ranges, 'img')
        break
      case 'source':
        addSrcset(ranges, tag)
        break
      case 'form':
        addForm(ranges)
        break
      case 'meta':
        addMeta(ranges)
        break
      case 'base':
        setBase(ranges)
        break
      case 'template':
        templateDepth++
        break
      default:
    }
  }

  return {
    found,
    startTag,
    endTag(tag) {
      if (tag === 'template' && templateDepth > 0) templateDepth--
      else if (tag === 'form' && templateDepth === 0) isFormOpen = false
    },
    title(start, end) {
      if (hasTitle || templateDepth > 0) return
      hasTitle = true
      found.title = titleText(bytes, start, Math.min(end, start + MAX_TITLE_BYTES), decode)
    },
  }
}
