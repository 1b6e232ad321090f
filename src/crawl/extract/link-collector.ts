import { cssAddresses } from '../../core/css/css-addresses.ts'
import { isNoPageLink, trimHtmlWhitespace } from './link-text.ts'
import { asciiText, attributeText, type Decode, decodeUtf8, plainAmpersandText, titleText } from './page-text.ts'
import {
  A,
  AMPERSAND,
  FORM,
  FOUND_ANCHOR,
  FOUND_ANCHOR_END,
  FOUND_BASE,
  FOUND_FORM,
  FOUND_LINK,
  FOUND_META,
  FOUND_REPEAT,
  FOUND_SRCSET,
  FOUND_STYLE,
  FOUND_STYLE_ATTRIBUTE,
  FOUND_TITLE,
} from './scanner/assembly/wire.ts'
import type { LinkMemo } from './scanner/link-memo.ts'
import { parseMetaRefresh, parseSrcset } from './url-attributes.ts'

/** Indexed by the tag numbers in wire.ts. */
const linkTags = [
  ...['', 'a', 'area', 'link', 'iframe', 'frame', 'img', 'source', 'script', 'form'],
  ...['video', 'audio', 'track', 'embed', 'object', 'meta'],
] as const
export type LinkTag = Exclude<(typeof linkTags)[number], ''>

export type FoundLink<Known = unknown> = {
  /** As written in the page: entities decoded, white space trimmed, not resolved. Empty for a link found in the memo. */
  href: string
  tag: LinkTag
  nofollow: boolean
  /** The memo's value for the link; null if it has none. */
  known: Known | null
  /** The memo's slot for the link. */
  slot?: number
  /** Added to its priority: how much later to fetch it than other links that are as far from the seed. */
  hint?: number
  /** Text content of an `<a>`, without tags; only if requested. */
  text?: string
}

export type Found<Known = unknown> = {
  /** In document order, including the target of a refresh as tag `meta`. Repetitions are included unless the memo recognises them. */
  links: FoundLink<Known>[]
  /** Number of links not returned: beyond `maxLinks`, or longer than `maxValueBytes`. */
  droppedLinks: number
  /** How many of them were too long. */
  longLinks: number
  /** `href` of the first `<base>` that has one. */
  base?: string
  refresh?: { seconds: number; url: string }
  /** Names are lower-case. */
  metas: { name: string; content: string }[]
  title: string
}

export type LinkOptions<Known = unknown> = {
  /** Recognises links by their bytes, which saves converting them to text. */
  memo?: LinkMemo<Known> | undefined
  maxLinks?: number
  withTexts?: boolean
  maxValueBytes?: number
  /** Decodes values with non-ASCII bytes; UTF-8 by default. */
  decode?: Decode
  /**
   * Given for pages that are not UTF-8: percent-encodes non-ASCII characters in the query of a link in the page's
   * encoding, as browsers do. The path doesn't need this, it is always sent as UTF-8.
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
const MAX_STYLE_BYTES = 1024 * 1024

/**
 * Converts the scanner's findings in one page to links, metas and a title. The first refresh, base and title count.
 *
 * A class instead of a factory of closures, because the compiler can optimise calls to methods that all pages share.
 */
export class LinkCollector<Known> {
  readonly found: Found<Known> = { links: [], droppedLinks: 0, longLinks: 0, metas: [], title: '' }
  /** Number of links looked up in the memo, and of those it had. */
  asked = 0
  recalled = 0
  /** Repeated links of the page that are left out. They count towards the limit, so that it doesn't depend on what the memo knows. */
  private repeats = 0
  private readonly bytes: Buffer
  private readonly maxLinks: number
  private readonly maxValueBytes: number
  private readonly decode: Decode
  private readonly encodeQuery: ((href: string) => string) | undefined
  private readonly memo: LinkMemo<Known> | undefined
  /** The link whose text is being read, by index, and the offset at which the text begins. */
  private anchor: { link: number; start: number } | null = null
  /** End of the last `<a>` start tag. */
  private anchorEnd = -1
  private isFormSent = false
  private hasRefresh = false
  private hasTitle = false

  constructor(bytes: Buffer, options: LinkOptions<Known>) {
    this.bytes = bytes
    this.maxLinks = options.maxLinks ?? 10_000
    this.maxValueBytes = options.maxValueBytes ?? 100_000
    this.decode = options.decode ?? decodeUtf8
    this.encodeQuery = options.encodeQuery
    this.memo = options.memo
  }

  /** Reads the first `count` numbers of the findings. */
  take(numbers: Int32Array, count: number): void {
    for (let at = 0; at < count; ) {
      switch (numbers[at]) {
        case FOUND_LINK:
          this.addLinkAt(numbers, at + 1)
          at += 7
          break
        case FOUND_REPEAT:
          if (this.isFull()) this.found.droppedLinks++
          else this.repeats++
          at++
          break
        case FOUND_SRCSET:
          this.addSrcset(numbers, at + 2, linkTags[numbers[at + 1]!] as LinkTag)
          at += 5
          break
        case FOUND_FORM:
          // Every unknown method means GET; `dialog` sends no request.
          this.isFormSent = !/^(?:post|dialog)$/i.test(this.shortText(numbers, at + 1))
          at += 4
          break
        case FOUND_META:
          this.addMeta(numbers, at + 1, at + 4, at + 7)
          at += 10
          break
        case FOUND_BASE:
          this.setBase(numbers, at + 1)
          at += 4
          break
        case FOUND_TITLE:
          this.setTitle(numbers[at + 1]!, numbers[at + 2]!)
          at += 3
          break
        case FOUND_STYLE:
          this.addStyle(numbers[at + 1]!, numbers[at + 2]!)
          at += 3
          break
        case FOUND_STYLE_ATTRIBUTE:
          this.addStyleAttribute(numbers, at + 1)
          at += 4
          break
        case FOUND_ANCHOR:
          // An anchor inside another ends it.
          this.endAnchor(numbers[at + 1]!)
          this.anchorEnd = numbers[at + 1]!
          at += 2
          break
        case FOUND_ANCHOR_END:
          this.endAnchor(numbers[at + 1]!)
          at += 2
          break
        default:
          throw new Error(`the scanner found ${numbers[at]}, which nothing is known of`)
      }
    }
  }

  private setTitle(start: number, end: number): void {
    if (this.hasTitle) return
    this.hasTitle = true
    this.found.title = titleText(this.bytes, start, Math.min(end, start + MAX_TITLE_BYTES), this.decode)
  }

  private endAnchor(end: number): void {
    if (this.anchor === null) return
    const { link, start } = this.anchor
    this.anchor = null
    const text = this.decode(this.bytes.subarray(start, Math.min(end, start + MAX_LINK_TEXT_BYTES)))
    this.found.links[link]!.text = text.replace(/<[^>]*>?/g, ' ').trim()
  }

  /** The numbers are tag, nofollow, start, end, classes, slot. */
  private addLinkAt(numbers: Int32Array, at: number): void {
    const number = numbers[at]!
    if (number === FORM && !this.isFormSent) return
    const { found } = this
    const start = numbers[at + 2]!
    const end = numbers[at + 3]!
    if (end - start > this.maxValueBytes) {
      this.dropLong()
      return
    }
    const { links } = found
    const place = links.length
    if (this.isFull()) {
      found.droppedLinks++
      return
    }
    const tag = linkTags[number] as LinkTag
    const nofollow = numbers[at + 1] === 1
    const slot = numbers[at + 5]!
    const known = slot === -1 ? null : this.recall(slot)
    if (known !== null) links.push({ href: '', tag, nofollow, known })
    else this.addText(start, end, numbers[at + 4]!, tag, nofollow, slot)
    if (number === A && this.anchorEnd !== -1 && links.length > place) {
      this.anchor = { link: place, start: this.anchorEnd }
    }
  }

  private isFull(): boolean {
    return this.found.links.length + this.repeats >= this.maxLinks
  }

  private recall(slot: number): Known | null {
    const known = this.memo!.at(slot)
    this.asked++
    if (known !== null) this.recalled++
    return known
  }

  private addText(start: number, end: number, classes: number, tag: LinkTag, nofollow: boolean, slot: number): void {
    const plain = plainText(this.bytes, start, end, classes)
    if (plain !== undefined) this.addLink(plain, tag, nofollow, slot)
    else this.addLinkText(attributeText(this.bytes, start, end, classes, this.decode), tag, nofollow, slot)
  }

  private addLink(href: string, tag: LinkTag, nofollow: boolean, slot: number): void {
    const { found } = this
    if (this.isFull()) found.droppedLinks++
    else if (slot === -1) found.links.push({ href: this.encoded(href), tag, nofollow, known: null })
    else found.links.push({ href: this.encoded(href), tag, nofollow, known: null, slot })
  }

  private addLinkText(value: string, tag: LinkTag, nofollow: boolean, slot: number): void {
    const href = trimHtmlWhitespace(value)
    if (href !== '' && !isNoPageLink(href)) this.addLink(href, tag, nofollow, slot)
  }

  private dropLong(): void {
    this.found.droppedLinks++
    this.found.longLinks++
  }

  private encoded(href: string): string {
    return this.encodeQuery === undefined ? href : this.encodeQuery(href)
  }

  private addSrcset(numbers: Int32Array, range: number, tag: LinkTag): void {
    const length = byteLength(numbers, range)
    if (length > this.maxValueBytes) this.dropLong()
    else for (const url of parseSrcset(this.text(numbers, range))) this.addLinkText(url, tag, false, -1)
  }

  private addStyle(start: number, end: number): void {
    const sheet = this.decode(this.bytes.subarray(start, Math.min(end, start + MAX_STYLE_BYTES)))
    this.addStyleLinks(cssAddresses(sheet))
  }

  private addStyleAttribute(numbers: Int32Array, range: number): void {
    if (byteLength(numbers, range) > this.maxValueBytes) return
    this.addStyleLinks(cssAddresses(this.text(numbers, range), 'attribute'))
  }

  private addStyleLinks(addresses: readonly string[]): void {
    for (const address of addresses) this.addLinkText(address, 'link', false, -1)
  }

  private addMeta(numbers: Int32Array, content: number, nameRange: number, httpEquiv: number): void {
    const contentLength = byteLength(numbers, content)
    this.addRefresh(numbers, content, httpEquiv)
    const nameLength = byteLength(numbers, nameRange)
    const { metas } = this.found
    if (nameLength <= 0 || nameLength + contentLength > MAX_META_BYTES || metas.length >= MAX_METAS) return
    const name = trimHtmlWhitespace(this.text(numbers, nameRange)).toLowerCase()
    metas.push({ name, content: this.text(numbers, content) })
  }

  private addRefresh(numbers: Int32Array, content: number, httpEquiv: number): void {
    if (this.hasRefresh || this.shortText(numbers, httpEquiv).toLowerCase() !== 'refresh') return
    if (byteLength(numbers, content) > this.maxValueBytes) {
      this.dropLong()
      return
    }
    const refresh = parseMetaRefresh(this.text(numbers, content))
    if (refresh === undefined) return
    this.hasRefresh = true
    if (refresh.url === undefined) return
    const href = trimHtmlWhitespace(refresh.url)
    this.found.refresh = { seconds: refresh.seconds, url: this.encoded(href) }
    this.addLinkText(href, 'meta', false, -1)
  }

  private setBase(numbers: Int32Array, range: number): void {
    if (this.found.base !== undefined || byteLength(numbers, range) > this.maxValueBytes) return
    this.found.base = trimHtmlWhitespace(this.text(numbers, range))
  }

  private text(numbers: Int32Array, range: number): string {
    return attributeText(this.bytes, numbers[range]!, numbers[range + 1]!, numbers[range + 2]!, this.decode)
  }

  /** For values compared with a keyword: empty if the value is missing, or longer than any keyword. */
  private shortText(numbers: Int32Array, range: number): string {
    const length = byteLength(numbers, range)
    return length < 0 || length > MAX_KEYWORD_BYTES ? '' : this.text(numbers, range)
  }
}

/** -1 if the tag does not have the attribute. */
function byteLength(numbers: Int32Array, range: number): number {
  return numbers[range] === -1 ? -1 : numbers[range + 1]! - numbers[range]!
}
