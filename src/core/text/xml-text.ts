import { byteClass, findByte, LETTER, NON_ASCII, type PageBytes, TAG_NAME_END } from '../html/byte-class.ts'
import { isSelfClosing, skipTag } from '../html/skip-tag.ts'
import type { TextTargets } from './html-text.ts'
import { foreignMeanings, rawMeanings, type TextSink } from './text-sink.ts'
import { addToName, BREAK, inlineTable, type TextTag, textTagTable } from './text-tags.ts'

const nearBytes = 12

type Scan = {
  readonly page: PageBytes
  readonly targets: TextTargets
  readonly isXhtml: boolean
  readonly onElement: OnElement | null
  isStopped: boolean
  sink: TextSink
  hasTitle: boolean
  /** The hidden XHTML element that the scan is in, and how many elements of that name are open. */
  hiddenName: string
  hiddenDepth: number
}

/**
 * Called for each XML tag that separates words, before it does. Its name, without a prefix, is at `from` to `nameEnd`. Returning false ends
 * the scan.
 */
export type OnElement = (from: number, nameEnd: number, isEnd: boolean, isEmpty: boolean) => boolean

export type XmlOptions = { isXhtml: boolean; onElement?: OnElement }

/**
 * Extracts the text nodes and CDATA sections of an XML document in UTF-8. Each element is a line of its own, except those that are inline
 * in XHTML; XHTML itself is read like HTML, including the title. Malformed documents are read as far as possible. Entities declared by the
 * document are not expanded: that is how a small document becomes a huge one.
 */
export function scanXml(page: PageBytes, targets: TextTargets, options: XmlOptions): void {
  const { isXhtml, onElement = null } = options
  const sink = targets.body
  const scan: Scan = {
    page,
    targets,
    isXhtml,
    onElement,
    isStopped: false,
    sink,
    hasTitle: false,
    hiddenName: '',
    hiddenDepth: 0,
  }
  const { bytes } = page
  const length = bytes.length
  let at = 0
  while (at < length && !scan.isStopped) {
    if (scan.hiddenDepth > 0) at = findByte(page, 0x3c, '<', at, nearBytes)
    else at = scan.sink.append(at, length, foreignMeanings)
    if (at >= length) break
    const next = at + 1 < length ? bytes[at + 1]! : 0
    if (next === 0x2f) at = tag(scan, at + 2, true)
    else if (next === 0x21) at = markupDeclaration(scan, at + 2)
    else if (next === 0x3f) at = after(page, '?>', at + 2)
    else if (isNameStart(next)) at = tag(scan, at + 1, false)
    else at = characters(scan, at, at + 1)
  }
}

function isNameStart(byte: number): boolean {
  return (byteClass[byte]! & (LETTER | NON_ASCII)) !== 0 || byte === 0x3a || byte === 0x5f
}

function after(page: PageBytes, mark: string, from: number): number {
  const at = page.text.indexOf(mark, from)
  return at === -1 ? page.bytes.length : at + mark.length
}

function characters({ sink, hiddenDepth }: Scan, from: number, end: number): number {
  if (hiddenDepth === 0) sink.append(from, end, rawMeanings)
  return end
}

/** `from` is the start of the name. */
function tag(scan: Scan, from: number, isEnd: boolean): number {
  const { page } = scan
  const { bytes } = page
  const length = bytes.length
  const name = { start: from, sum: 0 }
  let at = from
  for (; at < length && !(byteClass[bytes[at]!]! & TAG_NAME_END); at++) {
    if (bytes[at] === 0x3a) {
      // Only the name after the prefix counts.
      name.start = at + 1
      name.sum = 0
    } else name.sum = addToName(name.sum, bytes[at]!)
  }
  const end = skipTag(page, at)
  if (end === -1) return length
  const isEmpty = !isEnd && isSelfClosing(page, at, end)
  if (scan.isXhtml) xhtmlTag(scan, textTagTable.find(bytes, name.start, at, name.sum), isEnd, isEmpty)
  else if (inlineTable.find(bytes, name.start, at, name.sum) === null) {
    if (scan.onElement !== null) scan.isStopped = !scan.onElement(name.start, at, isEnd, isEmpty)
    scan.sink.open(BREAK)
  }
  return end
}

function xhtmlTag(scan: Scan, found: TextTag | null, isEnd: boolean, isEmpty: boolean): void {
  if (found === null) return
  const { name, content } = found
  if (scan.hiddenDepth > 0) {
    if (name === scan.hiddenName && !isEmpty) scan.hiddenDepth += isEnd ? -1 : 1
    return
  }
  if (content === 'title') {
    if (isEnd) {
      scan.sink = scan.targets.body
      scan.sink.open(BREAK)
    } else if (scan.hasTitle) hide(scan, name, isEmpty)
    else {
      scan.hasTitle = true
      if (!isEmpty) scan.sink = scan.targets.title()
    }
    return
  }
  scan.sink.open(found.gap)
  if (isEnd) scan.sink.keepsLines &&= content !== 'pre'
  else if (content === 'pre') scan.sink.keepsLines = true
  else if (content === 'hidden' || content === 'raw' || content === 'script') hide(scan, name, isEmpty)
}

function hide(scan: Scan, name: string, isEmpty: boolean): void {
  if (isEmpty) return
  scan.hiddenName = name
  scan.hiddenDepth = 1
}

/** `from` is the index after `<!`. */
function markupDeclaration(scan: Scan, from: number): number {
  const { page } = scan
  if (page.text.startsWith('--', from)) return after(page, '-->', from + 2)
  if (!page.text.startsWith('[CDATA[', from)) return skipDoctype(page, from)
  const close = page.text.indexOf(']]>', from + 7)
  const end = close === -1 ? page.bytes.length : close
  characters(scan, from + 7, end)
  return Math.min(end + 3, page.bytes.length)
}

/** A doctype may contain quotes and, in brackets, declarations, comments and processing instructions. */
export function skipDoctype(page: PageBytes, from: number): number {
  const { bytes, text } = page
  const length = bytes.length
  let inSubset = false
  for (let at = from; at < length; ) {
    const byte = bytes[at]!
    if (byte === 0x22 || byte === 0x27) at = after(page, byte === 0x22 ? '"' : "'", at + 1)
    else if (byte === 0x3c && text.startsWith('<!--', at)) at = after(page, '-->', at + 4)
    else if (byte === 0x3c && text.startsWith('<?', at)) at = after(page, '?>', at + 2)
    else {
      at++
      if (byte === 0x5b) inSubset = true
      else if (byte === 0x5d) inSubset = false
      else if (byte === 0x3e && !inSubset) return at
    }
  }
  return length
}
