import { AMPERSAND } from '../../core/html/byte-class.ts'
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
import { hasListWord, isNoPageLink, isNoPageLinkAt, trimHtmlWhitespace } from './link-text.ts'
import {
  asciiText,
  attributeText,
  type Decode,
  decodeUtf8,
  plainAmpersandText,
  skipWhitespace,
  titleText,
  trimWhitespaceEnd,
} from './page-text.ts'
import type { KnownTag, LinkTag } from './tag-table.ts'
import { parseMetaRefresh, parseSrcset } from './url-attributes.ts'

export type FoundLink<Known = unknown> = {
  /** As the page has it: entities decoded, white space trimmed, not resolved. Empty for a link that was recalled. */
  href: string
  tag: LinkTag
  nofollow: boolean
  /** What `recall` said of it. */
  known: Known | null
  /** Added to its priority: how much later it is worth fetching than others that are as far from the seed. */
  hint?: number
  /** Of an `<a>`: what stands between its tags, without them; only where it was asked for. */
  text?: string
}

/** Recognises a link by its bytes, so that no text need be made of it. Asked for links of plain ASCII. */
export type Recall<Known> = (bytes: Uint8Array, start: number, end: number) => Known | undefined

export type Found<Known = unknown> = {
  /** In document order, repetitions included; the target of a refresh is among them as tag `meta`. */
  links: FoundLink<Known>[]
  /** Links that were not returned: beyond `maxLinks`, or longer than `maxValueBytes`. */
  droppedLinks: number
  /** Those of them that were too long. */
  longLinks: number
  /** `href` of the first `<base>` that has one. */
  base?: string
  refresh?: { seconds: number; url: string }
  /** Names are lower-case. */
  metas: { name: string; content: string }[]
  title: string
}

export type LinkOptions<Known = unknown> = {
  recall?: Recall<Known> | undefined
  maxLinks?: number
  withTexts?: boolean
  maxValueBytes?: number
  /** For values with bytes that are not ASCII; the default takes them for UTF-8. */
  decode?: Decode
  /**
   * Given for pages that are not UTF-8: percent-encodes what is not ASCII in the query of a link in the page's
   * encoding, as browsers do. The path needs nothing of the kind, it always goes out as UTF-8.
   */
  encodeQuery?: (href: string) => string
}

/** The text of a value that needs no decoding. */
function plainText(bytes: Buffer, start: number, end: number, classes: number): string | undefined {
  if (classes === 0) return asciiText(bytes, start, end)
  return classes === AMPERSAND ? plainAmpersandText(bytes, start, end) : undefined
}

const MAX_METAS = 100
const MAX_META_BYTES = 4096
const MAX_TITLE_BYTES = 1024
const MAX_KEYWORD_BYTES = 100
const MAX_LINK_TEXT_BYTES = 1024

/**
 * Keeps what the tags of one page tell. Four things are remembered between tags: whether a form is open (a form
 * inside a form does not exist), how deep in templates the page is (their content is inert: a base, title or meta
 * there is none of the page's; links are still taken), and whether a refresh and a title were seen (the first counts).
 *
 * A class, and not a factory of closures, because the compiler can follow calls to methods that all pages share.
 */
export class LinkCollector {
  readonly found: Found = { links: [], droppedLinks: 0, longLinks: 0, metas: [], title: '' }
  private readonly bytes: Buffer
  private readonly maxLinks: number
  private readonly maxValueBytes: number
  private readonly decode: Decode
  private readonly encodeQuery: ((href: string) => string) | undefined
  private readonly recall: Recall<unknown> | undefined
  private readonly withTexts: boolean
  /** The link whose text is being read, by its place, and where the text begins. */
  private anchor: { link: number; start: number } | null = null
  private isFormOpen = false
  private templateDepth = 0
  private hasRefresh = false
  private hasTitle = false

  constructor(bytes: Buffer, options: LinkOptions) {
    this.bytes = bytes
    this.maxLinks = options.maxLinks ?? 10_000
    this.maxValueBytes = options.maxValueBytes ?? 100_000
    this.decode = options.decode ?? decodeUtf8
    this.encodeQuery = options.encodeQuery
    this.recall = options.recall
    this.withTexts = options.withTexts === true
  }

  /** `after`: where the tag ends. */
  startTag(tag: KnownTag, { ranges }: TagAttributes, after: number): void {
    switch (tag) {
      case 'a':
        if (this.withTexts) {
          this.addAnchor(ranges, after)
          break
        }
        this.addAttribute(ranges, HREF, tag)
        break
      case 'area':
      case 'link':
        this.addAttribute(ranges, HREF, tag)
        break
      case 'iframe':
      case 'frame':
      case 'script':
        this.addAttribute(ranges, SRC, tag)
        break
      case 'img':
      case 'image':
        this.addAttribute(ranges, SRC, 'img')
        this.addSrcset(ranges, 'img')
        break
      case 'source':
        this.addSrcset(ranges, tag)
        break
      case 'form':
        this.addForm(ranges)
        break
      case 'meta':
        this.addMeta(ranges)
        break
      case 'base':
        this.setBase(ranges)
        break
      case 'template':
        this.templateDepth++
        break
      default:
    }
  }

  /** `start`: where the tag begins. */
  endTag(tag: KnownTag, start: number): void {
    if (tag === 'a' && this.anchor !== null) this.endAnchor(start)
    if (tag === 'template' && this.templateDepth > 0) this.templateDepth--
    else if (tag === 'form' && this.templateDepth === 0) this.isFormOpen = false
  }

  /** Where the text of a title lies. */
  title(start: number, end: number): void {
    if (this.hasTitle || this.templateDepth > 0) return
    this.hasTitle = true
    this.found.title = titleText(this.bytes, start, Math.min(end, start + MAX_TITLE_BYTES), this.decode)
  }

  /** An anchor inside another ends it. */
  private addAnchor(ranges: Int32Array, after: number): void {
    if (this.anchor !== null) this.endAnchor(after)
    const { links } = this.found
    const link = links.length
    this.addAttribute(ranges, HREF, 'a')
    if (links.length > link) this.anchor = { link, start: after }
  }

  private endAnchor(end: number): void {
    const { link, start } = this.anchor!
    this.anchor = null
    const text = this.decode(this.bytes.subarray(start, Math.min(end, start + MAX_LINK_TEXT_BYTES)))
    this.found.links[link]!.text = text.replace(/<[^>]*>?/g, ' ').trim()
  }

  private addAttribute(ranges: Int32Array, slot: number, tag: LinkTag): void {
    if (ranges[slot] === -1) return
    const { bytes, found } = this
    const start = skipWhitespace(bytes, ranges[slot]!, ranges[slot + 1]!)
    const end = trimWhitespaceEnd(bytes, start, ranges[slot + 1]!)
    if (start === end || isNoPageLinkAt(bytes, start)) return
    if (end - start > this.maxValueBytes) {
      this.dropLong()
      return
    }
    if (found.links.length >= this.maxLinks) {
      found.droppedLinks++
      return
    }
    const isRelRead = (tag === 'a' || tag === 'area') && ranges[REL] !== -1
    const nofollow = isRelRead && hasListWord(bytes, ranges[REL]!, ranges[REL + 1]!, 'nofollow')
    const classes = ranges[slot + 2]!
    const known = classes === 0 && this.recall !== undefined ? this.recall(bytes, start, end) : undefined
    if (known !== undefined) {
      found.links.push({ href: '', tag, nofollow, known })
      return
    }
    const plain = plainText(bytes, start, end, classes)
    if (plain !== undefined) this.addLink(plain, tag, nofollow)
    else this.addLinkText(attributeText(bytes, start, end, classes, this.decode), tag, nofollow)
  }

  private addLink(href: string, tag: LinkTag, nofollow: boolean): void {
    if (this.found.links.length >= this.maxLinks) this.found.droppedLinks++
    else this.found.links.push({ href: this.encoded(href), tag, nofollow, known: null })
  }

  private addLinkText(value: string, tag: LinkTag, nofollow: boolean): void {
    const href = trimHtmlWhitespace(value)
    if (href !== '' && !isNoPageLink(href)) this.addLink(href, tag, nofollow)
  }

  private dropLong(): void {
    this.found.droppedLinks++
    this.found.longLinks++
  }

  private encoded(href: string): string {
    return this.encodeQuery === undefined ? href : this.encodeQuery(href)
  }

  private addSrcset(ranges: Int32Array, tag: LinkTag): void {
    const length = byteLength(ranges, SRCSET)
    if (length > this.maxValueBytes) this.dropLong()
    else if (length > 0) for (const url of parseSrcset(this.text(ranges, SRCSET))) this.addLinkText(url, tag, false)
  }

  private addForm(ranges: Int32Array): void {
    if (this.isFormOpen && this.templateDepth === 0) return
    this.isFormOpen ||= this.templateDepth === 0
    // Every unknown method means GET; a dialog goes nowhere.
    if (!/^(?:post|dialog)$/i.test(this.shortText(ranges, METHOD))) this.addAttribute(ranges, ACTION, 'form')
  }

  private addMeta(ranges: Int32Array): void {
    const contentLength = byteLength(ranges, CONTENT)
    if (contentLength < 0 || this.templateDepth > 0) return
    this.addRefresh(ranges, contentLength)
    const nameLength = byteLength(ranges, NAME)
    const { metas } = this.found
    if (nameLength <= 0 || nameLength + contentLength > MAX_META_BYTES || metas.length >= MAX_METAS) return
    const name = trimHtmlWhitespace(this.text(ranges, NAME)).toLowerCase()
    metas.push({ name, content: this.text(ranges, CONTENT) })
  }

  private addRefresh(ranges: Int32Array, contentLength: number): void {
    if (this.hasRefresh || this.shortText(ranges, HTTP_EQUIV).toLowerCase() !== 'refresh') return
    if (contentLength > this.maxValueBytes) {
      this.dropLong()
      return
    }
    const refresh = parseMetaRefresh(this.text(ranges, CONTENT))
    if (refresh === undefined) return
    this.hasRefresh = true
    if (refresh.url === undefined) return
    const href = trimHtmlWhitespace(refresh.url)
    this.found.refresh = { seconds: refresh.seconds, url: this.encoded(href) }
    this.addLinkText(href, 'meta', false)
  }

  private setBase(ranges: Int32Array): void {
    const length = byteLength(ranges, HREF)
    if (this.found.base !== undefined || this.templateDepth > 0 || length < 0 || length > this.maxValueBytes) return
    this.found.base = trimHtmlWhitespace(this.text(ranges, HREF))
  }

  private text(ranges: Int32Array, slot: number): string {
    return attributeText(this.bytes, ranges[slot]!, ranges[slot + 1]!, ranges[slot + 2]!, this.decode)
  }

  /** For values that are compared with a keyword: one that is missing, or longer than any keyword, equals none. */
  private shortText(ranges: Int32Array, slot: number): string {
    const length = byteLength(ranges, slot)
    return length < 0 || length > MAX_KEYWORD_BYTES ? '' : this.text(ranges, slot)
  }
}

/** -1 for an attribute that the tag does not have. */
function byteLength(ranges: Int32Array, slot: number): number {
  return ranges[slot] === -1 ? -1 : ranges[slot + 1]! - ranges[slot]!
}
