import { createTagAttributes, readAttributes, skipAttributes, type TagAttributes } from './attribute-scan.ts'
import { byteClass, findByte, LETTER, matchesWord, TAG_NAME_END } from './byte-class.ts'
import { createForeignContent, type ForeignContent, isForeignRoot } from './foreign-content.ts'
import { createLinkCollector, type Found, type LinkCollector, type LinkOptions } from './link-collector.ts'
import { findRawTextEnd, findScriptEnd, skipBogusComment, skipCdata, skipComment } from './raw-text.ts'
import { breakoutTable, hashStep, type KnownTag, tagTable } from './tag-table.ts'

export type { Found, FoundLink } from './link-collector.ts'

export type FindOptions = LinkOptions & {
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
export function fastfind(page: Uint8Array, options: FindOptions = {}): Found {
  const bytes = Buffer.isBuffer(page) ? page : Buffer.from(page.buffer, page.byteOffset, page.length)
  const scan: Scan = {
    bytes,
    xml: options.xml ?? false,
    attributes: createTagAttributes(),
    foreign: createForeignContent(),
    collector: createLinkCollector(bytes, options),
  }
  const length = bytes.length
  let at = 0
  while (at < length) {
    at = findByte(bytes, 0x3c, at) + 1
    if (at >= length) break
    const next = bytes[at]!
    if (byteClass[next]! & LETTER) at = startTag(scan, at)
    else if (next === 0x2f) at = endTag(scan, at + 1)
    else if (next === 0x21) at = markupDeclaration(scan, at + 1)
    else if (next === 0x3f) at = skipBogusComment(bytes, at)
  }
  return scan.collector.found()
}

type Scan = {
  readonly bytes: Buffer
  readonly xml: boolean
  readonly attributes: TagAttributes
  readonly foreign: ForeignContent
  readonly collector: LinkCollector
}

/** `from` is the first letter of the name. Each of these returns where the scan goes on; a cut-off tag is no tag. */
function startTag(scan: Scan, from: number): number {
  const { bytes, foreign } = scan
  const length = bytes.length
  let hash = 0
  let at = from
  for (; at < length; at++) {
    const byte = bytes[at]!
    if (byteClass[byte]! & TAG_NAME_END) break
    hash = hashStep(hash, byte)
  }
  if (foreign.inside && breakoutTable.find(hash, bytes, from, at) !== undefined) foreign.breakOut()
  const tag = tagTable.find(hash, bytes, from, at)
  if (tag === undefined) {
    if (bytes[at] === 0x3e) return at + 1
    const after = skipAttributes(bytes, at)
    return after === -1 ? length : after
  }
  const after = readAttributes(bytes, at, scan.attributes)
  if (after === -1) return length
  return enterTag(scan, tag, after)
}

function enterTag(scan: Scan, tag: KnownTag, after: number): number {
  const { attributes, foreign, collector } = scan
  if (foreign.inside) {
    // A link of SVG is a link; nothing else of foreign content is.
    if (tag === 'a') collector.startTag(tag, attributes)
    else if (!attributes.selfClosing) foreign.open(tag)
    return after
  }
  collector.startTag(tag, attributes)
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
      return findScriptEnd(scan.bytes, from)
    case 'title': {
      const end = findRawTextEnd(scan.bytes, from, tag)
      scan.collector.title(from, end)
      return end
    }
    case 'style':
    case 'textarea':
    case 'xmp':
    case 'iframe':
    case 'noembed':
    case 'noframes':
      return findRawTextEnd(scan.bytes, from, tag)
    case 'plaintext':
      return scan.bytes.length
    default:
      return from
  }
}

/** `from` is the index after `</`. */
function endTag(scan: Scan, from: number): number {
  const { bytes, foreign } = scan
  const length = bytes.length
  if (from >= length) return length
  if (!(byteClass[bytes[from]!]! & LETTER)) return skipBogusComment(bytes, from)
  let hash = 0
  let at = from
  for (; at < length; at++) {
    const byte = bytes[at]!
    if (byteClass[byte]! & TAG_NAME_END) break
    hash = hashStep(hash, byte)
  }
  const after = bytes[at] === 0x3e ? at + 1 : skipAttributes(bytes, at)
  if (after === -1) return length
  const tag = tagTable.find(hash, bytes, from, at)
  if (tag !== undefined) {
    foreign.close(tag)
    scan.collector.endTag(tag)
  } else if (foreign.inside) {
    const name = breakoutTable.find(hash, bytes, from, at)
    if (name === 'p' || name === 'br') foreign.breakOut()
  }
  return after
}

/** `from` is the index after `<!`. */
function markupDeclaration(scan: Scan, from: number): number {
  const { bytes } = scan
  if (bytes[from] === 0x2d && bytes[from + 1] === 0x2d) return skipComment(bytes, from + 2)
  const isCdata = bytes[from] === 0x5b && matchesWord(bytes, from + 1, 'cdata') && bytes[from + 6] === 0x5b
  if (isCdata && (scan.xml || scan.foreign.inside)) return skipCdata(bytes, from + 7)
  return skipBogusComment(bytes, from)
}
