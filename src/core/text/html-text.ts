import { byteClass, findByte, LETTER, type PageBytes, TAG_NAME_END } from '../html/byte-class.ts'
import { findRawTextEnd, findScriptEnd, skipBogusComment, skipComment } from '../html/raw-text.ts'
import { isSelfClosing, skipTag } from '../html/skip-tag.ts'
import { dataMeanings, escapableMeanings, foreignMeanings, rawMeanings, type TextSink } from './text-sink.ts'
import { addToName, BREAK, breakoutTable, type TextTag, textTagTable } from './text-tags.ts'

/** Maximum nesting; elements opened beyond it are ignored, but their content is read. */
const maxDepth = 512

/** The properties of a tag that matter here; see `TextTag`. */
type ForeignTag = { readonly name: string; readonly content: string }

type Entry = { readonly name: string; readonly rules: 'html' | 'svg' | 'math'; readonly isHidden: boolean }

/**
 * Tracks which rules a page is read by. Inside SVG and MathML, `<style>` and `<title>` contain markup, CDATA sections exist, and `<img>` or
 * `<p>` switch the parser back to HTML; the content of a template is invisible. A real parser knows this from its stack of open elements.
 * Here only the elements that make a difference are kept:
 *
 *   rules 'svg', 'math'  the roots, and `style` and `script` below them, which are hidden
 *   rules 'html'         integration points (`foreignObject`, `mtext`, …; `desc` and `title` are hidden), templates
 *
 * A start tag pushes, its end tag pops, a breakout tag pops down to HTML. Unclosed HTML elements inside an integration point are not
 * tracked, so badly nested SVG can differ from a full parser.
 */
export class OpenElements {
  rules: 'html' | 'svg' | 'math' = 'html'
  /** Number of open elements that hide their content. */
  hidden = 0
  private readonly stack: Entry[] = []

  /** Handles a start tag in HTML. */
  openHtml(tag: ForeignTag): void {
    if (tag.content === 'svg' || tag.content === 'math')
      this.push({ name: tag.name, rules: tag.content, isHidden: false })
    else if (tag.name === 'template') this.push({ name: tag.name, rules: 'html', isHidden: true })
  }

  /** Handles a start tag in foreign content. */
  openForeign(tag: ForeignTag): void {
    const { rules } = this
    const { name, content } = tag
    if (content === 'svg' || content === 'math') this.push({ name, rules: content, isHidden: false })
    else if (name === 'style' || name === 'script') this.push({ name, rules, isHidden: true })
    else if (rules === 'svg' && (name === 'title' || name === 'desc'))
      this.push({ name, rules: 'html', isHidden: true })
    else if (content === `${rules}-point`) this.push({ name, rules: 'html', isHidden: false })
  }

  close(name: string): void {
    for (let at = this.stack.length - 1; at >= 0; at--) {
      const entry = this.stack[at]!
      if (entry.name === name) {
        this.cut(at)
        break
      }
      // An end tag closes across foreign elements, but never beyond an integration point; that of a template closes across all.
      if (entry.rules === 'html' && name !== 'template') break
    }
  }

  breakOut(): void {
    let at = this.stack.length
    while (at > 0 && this.stack[at - 1]!.rules !== 'html') at--
    this.cut(at)
  }

  private push(entry: Entry): void {
    if (this.stack.length === maxDepth) return
    this.stack.push(entry)
    if (entry.isHidden) this.hidden++
    this.rules = entry.rules
  }

  private cut(length: number): void {
    while (this.stack.length > length) if (this.stack.pop()!.isHidden) this.hidden--
    this.rules = this.stack.at(-1)?.rules ?? 'html'
  }
}

// Imported bindings are looked up at each use, which would cost a tenth of the time in the loops below.
const classes = byteClass
const NAME_END = TAG_NAME_END
const NAME_START = LETTER

/** See `findByte`. Hidden content is skipped tag by tag, and the next tag is usually near. */
const nearBytes = 12

export type TextTargets = {
  /** The text of the body, in the order of the source. */
  readonly body: TextSink
  /** The sink for the title: the body's own if no text came before it. */
  title(): TextSink
}

type Scan = {
  readonly page: PageBytes
  readonly sink: TextSink
  readonly open: OpenElements
  readonly targets: TextTargets
  hasTitle: boolean
}

/**
 * Extracts the visible text of an HTML page in UTF-8, in one pass over its bytes. The page is tokenised exactly as the HTML standard does
 * with scripting off: `<noscript>` is shown. There is no tree, so the text keeps the order of the source even where a full parser moves it
 * (text between table rows), and an end tag that closes nothing separates words like any other of its name. Attributes are ignored,
 * including `hidden`.
 */
export function scanHtml(page: PageBytes, targets: TextTargets): void {
  const scan: Scan = { page, sink: targets.body, open: new OpenElements(), targets, hasTitle: false }
  const { bytes } = page
  const length = bytes.length
  let at = 0
  while (at < length) {
    at = textUpToTag(scan, at)
    if (at >= length) break
    const next = at + 1 < length ? bytes[at + 1]! : 0
    if (classes[next]! & NAME_START) at = startTag(scan, at + 1)
    else if (next === 0x2f) at = endTag(scan, at + 2)
    else if (next === 0x21) at = markupDeclaration(scan, at + 2)
    else if (next === 0x3f) at = skipBogusComment(page, at + 1)
    else at = literal(scan, at, at + 1)
  }
}

function textUpToTag({ page, sink, open }: Scan, from: number): number {
  if (open.hidden > 0) return findByte(page, 0x3c, '<', from, nearBytes)
  return sink.append(from, page.bytes.length, open.rules === 'html' ? dataMeanings : foreignMeanings)
}

/** A `<` that doesn't begin a tag is text. */
function literal({ sink, open }: Scan, from: number, end: number): number {
  if (open.hidden === 0) sink.append(from, end, rawMeanings)
  return end
}

/** `from` is the first letter of the name. Like the functions below, returns where to continue; a truncated tag is ignored. */
function startTag(scan: Scan, from: number): number {
  const { page, open } = scan
  const { bytes } = page
  const length = bytes.length
  let sum = 0
  let at = from
  for (; at < length && !(classes[bytes[at]!]! & NAME_END); at++) sum = addToName(sum, bytes[at]!)
  const after = bytes[at] === 0x3e ? at + 1 : skipTag(page, at)
  if (after === -1) return length
  if (open.rules !== 'html') return foreignTag(scan, from, at, sum, after)
  const tag = textTagTable.find(bytes, from, at, sum)
  return tag === null ? after : htmlTag(scan, tag, at, after)
}

function htmlTag(scan: Scan, tag: TextTag, nameEnd: number, after: number): number {
  if (scan.open.hidden === 0) scan.sink.open(tag.gap)
  return tag.content === 'flow' ? after : content(scan, tag, nameEnd, after)
}

function foreignTag(scan: Scan, from: number, nameEnd: number, sum: number, after: number): number {
  const { page, open, sink } = scan
  const tag = textTagTable.find(page.bytes, from, nameEnd, sum)
  if (breakoutTable.find(page.bytes, from, nameEnd, sum) !== null) {
    open.breakOut()
    return tag === null ? after : htmlTag(scan, tag, nameEnd, after)
  }
  if (tag === null) return after
  if (open.hidden === 0) sink.open(tag.gap)
  if (!isSelfClosing(page, nameEnd, after)) open.openForeign(tag)
  return after
}

/** Handles the content of an HTML element other than flow. The end tag after raw text is left to the main loop. */
function content(scan: Scan, tag: TextTag, nameEnd: number, from: number): number {
  const { page, sink, open } = scan
  const isHidden = open.hidden > 0
  switch (tag.content) {
    case 'pre':
      sink.keepsLines = true
      return from
    case 'script':
      return findScriptEnd(page, from)
    case 'raw':
      return findRawTextEnd(page, from, tag.name)
    case 'title': {
      const end = findRawTextEnd(page, from, tag.name)
      if (!isHidden && !scan.hasTitle) {
        scan.hasTitle = true
        const target = scan.targets.title()
        target.append(from, end, escapableMeanings)
        if (target === sink) sink.open(BREAK)
      }
      return end
    }
    case 'textarea':
      return lines(scan, afterFirstLineEnd(page, from), findRawTextEnd(page, from, tag.name), escapableMeanings)
    case 'xmp':
      return lines(scan, from, findRawTextEnd(page, from, tag.name), rawMeanings)
    case 'plaintext':
      return lines(scan, from, page.bytes.length, rawMeanings)
    case 'svg':
    case 'math':
      if (!isSelfClosing(page, nameEnd, from)) open.openHtml(tag)
      return from
    default:
      open.openHtml(tag)
      return from
  }
}

function lines({ sink, open }: Scan, from: number, end: number, meanings: Uint8Array): number {
  if (open.hidden > 0) return end
  const before = sink.keepsLines
  sink.keepsLines = true
  sink.append(from, end, meanings)
  sink.keepsLines = before
  return end
}

/** A line break right after the tag is only source formatting. */
function afterFirstLineEnd({ bytes }: PageBytes, from: number): number {
  if (bytes[from] === 0x0d) return bytes[from + 1] === 0x0a ? from + 2 : from + 1
  return bytes[from] === 0x0a ? from + 1 : from
}

/** `from` is the index after `</`. */
function endTag(scan: Scan, from: number): number {
  const { page, open, sink } = scan
  const { bytes } = page
  const length = bytes.length
  if (from >= length) return literal(scan, length - 2, length)
  if (!(classes[bytes[from]!]! & NAME_START)) return skipBogusComment(page, from)
  let sum = 0
  let at = from
  for (; at < length && !(classes[bytes[at]!]! & NAME_END); at++) sum = addToName(sum, bytes[at]!)
  const after = bytes[at] === 0x3e ? at + 1 : skipTag(page, at)
  if (after === -1) return length
  const tag = textTagTable.find(bytes, from, at, sum)
  if (tag === null) return after
  if (open.rules !== 'html' && (tag.name === 'p' || tag.name === 'br')) open.breakOut()
  const wasHidden = open.hidden > 0
  if (tag.content !== 'flow') {
    open.close(tag.name)
    if (tag.content === 'pre') sink.keepsLines = false
  }
  if (!wasHidden) sink.open(tag.gap)
  return after
}

/** `from` is the index after `<!`. */
function markupDeclaration(scan: Scan, from: number): number {
  const { page, open, sink } = scan
  if (page.text.startsWith('--', from)) return skipComment(page, from + 2)
  if (open.rules === 'html' || !page.text.startsWith('[CDATA[', from)) return skipBogusComment(page, from)
  const close = page.text.indexOf(']]>', from + 7)
  const end = close === -1 ? page.bytes.length : close
  if (open.hidden === 0) sink.append(from + 7, end, rawMeanings)
  return Math.min(end + 3, page.bytes.length)
}
