import { byteClass, findByte, LETTER, type PageBytes, TAG_NAME_END } from '../../core/html/byte-class.ts'
import { findRawTextEnd, findScriptEnd, skipBogusComment, skipCdata, skipComment } from '../../core/html/raw-text.ts'
import { skipTag } from '../../core/html/skip-tag.ts'
import { createTagAttributes, readAttributes, type TagAttributes } from './attribute-scan.ts'
import { type Found, LinkCollector, type LinkOptions } from './link-collector.ts'
import { breakoutTable, type KnownTag, tagTable } from './tag-table.ts'

// An imported binding is looked up at each use; in the loops below that costs a tenth of the time.
const classes = byteClass
const NAME_END = TAG_NAME_END
const NAME_START = LETTER

/** Between tags there is either next to nothing or a sentence. */
const NEAR_BYTES = 12

export type { Found, FoundLink } from './link-collector.ts'

export type FindOptions<Known = unknown> = LinkOptions<Known> & {
  /** The page is XHTML served as XML: CDATA sections are text and `<script/>` is closed at once. */
  xml?: boolean
}

/**
 * Step one of the link pipe: one pass over the bytes of an HTML page in any encoding that agrees with ASCII on bytes
 * below 0x80 where markup is concerned (UTF-8, all single-byte ones, GBK, Big5, Shift_JIS, EUC; not UTF-16 and not
 * ISO-2022-JP: those are turned into UTF-8 first).
 *
 * The page is cut into tags exactly as the HTML standard's tokenizer does with scripting off. There is no tree, so
 * what only tree construction would drop (a link inside `<select>`, a frame inside `<body>`) is found as well.
 * Time is linear in the length of the page, memory in the number of links up to the limit.
 */
export function fastfind<Known = unknown>(body: Uint8Array, options: FindOptions<Known> = {}): Found<Known> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.length)
  const scan: Scan = {
    page: { bytes, text: bytes.toString('latin1') },
    xml: options.xml ?? false,
    attributes: createTagAttributes(),
    foreign: new ForeignContent(),
    collector: new LinkCollector(bytes, options),
  }
  const length = bytes.length
  let at = 0
  while (at < length) {
    at = findByte(scan.page, 0x3c, '<', at, NEAR_BYTES) + 1
    if (at >= length) break
    const next = bytes[at]!
    if (classes[next]! & NAME_START) at = startTag(scan, at)
    else if (next === 0x2f) at = endTag(scan, at + 1)
    else if (next === 0x21) at = markupDeclaration(scan, at + 1)
    else if (next === 0x3f) at = skipBogusComment(scan.page, at)
  }
  return scan.collector.found as Found<Known>
}

type Scan = {
  readonly page: PageBytes
  readonly xml: boolean
  readonly attributes: TagAttributes
  readonly foreign: ForeignContent
  readonly collector: LinkCollector
}

/** `from` is the first letter of the name. Each of these returns where the scan goes on; a cut-off tag is no tag. */
function startTag(scan: Scan, from: number): number {
  const { page, foreign } = scan
  const { bytes } = page
  const length = bytes.length
  let at = from + 1
  while (at < length && !(classes[bytes[at]!]! & NAME_END)) at++
  if (foreign.inside !== null && breakoutTable.find(bytes, from, at) !== undefined) foreign.breakOut()
  const tag = tagTable.find(bytes, from, at)
  if (tag === undefined) {
    if (bytes[at] === 0x3e) return at + 1
    const after = skipTag(page, at)
    return after === -1 ? length : after
  }
  const after = readAttributes(page, at, scan.attributes)
  if (after === -1) return length
  return enterTag(scan, tag, after)
}

function enterTag(scan: Scan, tag: KnownTag, after: number): number {
  const { attributes, foreign, collector } = scan
  if (foreign.inside !== null) {
    // A link of SVG is a link; nothing else of foreign content is.
    if (tag === 'a' && foreign.inside === 'svg') collector.startTag(tag, attributes, after)
    else if (!attributes.selfClosing) foreign.open(tag)
    return after
  }
  collector.startTag(tag, attributes, after)
  if (isForeignRoot(tag)) {
    if (!attributes.selfClosing) foreign.open(tag)
    return after
  }
  return scan.xml && attributes.selfClosing ? after : afterContent(scan, tag, after)
}

/** Passes over the content of elements that hold text alone. Their end tag is left to be read. */
function afterContent(scan: Scan, tag: KnownTag, from: number): number {
  switch (tag) {
    case 'script':
      return findScriptEnd(scan.page, from)
    case 'title': {
      const end = findRawTextEnd(scan.page, from, tag)
      scan.collector.title(from, end)
      return end
    }
    case 'style':
    case 'textarea':
    case 'xmp':
    case 'iframe':
    case 'noembed':
    case 'noframes':
      return findRawTextEnd(scan.page, from, tag)
    case 'plaintext':
      return scan.page.bytes.length
    default:
      return from
  }
}

/** `from` is the index after `</`. */
function endTag(scan: Scan, from: number): number {
  const { page, foreign } = scan
  const { bytes } = page
  const length = bytes.length
  if (from >= length) return length
  if (!(classes[bytes[from]!]! & NAME_START)) return skipBogusComment(page, from)
  let at = from + 1
  while (at < length && !(classes[bytes[at]!]! & NAME_END)) at++
  const after = bytes[at] === 0x3e ? at + 1 : skipTag(page, at)
  if (after === -1) return length
  const tag = tagTable.find(bytes, from, at)
  if (tag !== undefined) {
    foreign.close(tag)
    scan.collector.endTag(tag, from - 2)
  } else if (foreign.inside !== null) {
    const name = breakoutTable.find(bytes, from, at)
    if (name === 'p' || name === 'br') foreign.breakOut()
  }
  return after
}

/** `from` is the index after `<!`. */
function markupDeclaration(scan: Scan, from: number): number {
  const { page } = scan
  if (page.text.startsWith('--', from)) return skipComment(page, from + 2)
  const hasCdata = scan.xml || scan.foreign.inside !== null
  if (hasCdata && page.text.startsWith('[CDATA[', from)) return skipCdata(page, from + 7)
  return skipBogusComment(page, from)
}

/** Deeper nesting is not followed; what opens beyond it is read as if it had not been opened. */
const MAX_DEPTH = 512

export function isForeignRoot(tag: KnownTag): tag is 'svg' | 'math' {
  return tag === 'svg' || tag === 'math'
}

function isIntegrationPoint(tag: KnownTag, root: 'svg' | 'math' | null): boolean {
  if (root === 'svg') return tag === 'foreignobject' || tag === 'desc' || tag === 'title'
  if (root === null) return false
  return tag === 'mi' || tag === 'mo' || tag === 'mn' || tag === 'ms' || tag === 'mtext'
}

/**
 * Inside SVG and MathML a page is read by other rules: `<script>`, `<style>` and `<title>` hold markup, CDATA sections
 * exist, and `<img>` or `<p>` throw the parser back into HTML. A real parser knows this from its stack of open
 * elements. Here only the entries that change the rules are kept:
 *
 *   HTML     the stack is empty or its top is an integration point (`foreignObject`, `desc`, `mtext`, …)
 *   foreign  the top is `svg` or `math`
 *
 * A start tag pushes, its end tag pops, a breakout tag pops down to HTML. Unclosed HTML elements inside an integration
 * point are not seen, so badly nested SVG can differ from a full parser.
 */
export class ForeignContent {
  /** Whose rules hold; null is HTML. */
  inside: 'svg' | 'math' | null = null
  private readonly stack: KnownTag[] = []

  open(tag: KnownTag): void {
    if (this.stack.length === MAX_DEPTH) return
    if (!isForeignRoot(tag) && !isIntegrationPoint(tag, this.inside)) return
    this.stack.push(tag)
    this.settle()
  }

  close(tag: KnownTag): void {
    if (this.stack.length === 0) return
    // An end tag reaches over roots inside its own element, never out of an integration point.
    for (let at = this.stack.length - 1; at >= 0; at--) {
      if (this.stack[at] === tag) {
        this.stack.length = at
        break
      }
      if (!isForeignRoot(this.stack[at]!)) break
    }
    this.settle()
  }

  breakOut(): void {
    while (this.inside !== null) {
      this.stack.pop()
      this.settle()
    }
  }

  private settle(): void {
    const top = this.stack.at(-1)
    this.inside = top !== undefined && isForeignRoot(top) ? top : null
  }
}
