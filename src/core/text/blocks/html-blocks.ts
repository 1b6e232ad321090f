import type { Block } from '../../change/change.ts'
import { byteClass, findByte, LETTER, matchesWord, type PageBytes, TAG_NAME_END } from '../../html/byte-class.ts'
import { findRawTextEnd, findScriptEnd, skipBogusComment, skipComment } from '../../html/raw-text.ts'
import { isSelfClosing, skipTag } from '../../html/skip-tag.ts'
import { OpenElements as ForeignElements } from '../html-text.ts'
import { dataMeanings, escapableMeanings, foreignMeanings, rawMeanings, TextSink } from '../text-sink.ts'
import { roomBytes, roomFor } from '../text-source.ts'
import { addToName, breakoutTable } from '../text-tags.ts'
import { skipDoctype } from '../xml-text.ts'
import { BlockWriter } from './block-writer.ts'
import {
  BREAKS,
  CELL,
  type ElementTag,
  elementTable,
  FORMATTING,
  otherTag,
  SCOPE,
  SPACES,
  SPECIAL,
  VOID,
} from './element-tags.ts'
import { OpenElements } from './open-elements.ts'
import { seenText, withoutMarks } from './seen-text.ts'
import { createStyleRules, declaredIn, mayHide, type StyleRules } from './style-rules.ts'
import { TagAttributes } from './tag-attributes.ts'

export type HtmlBlocks = { readonly title: string; readonly blocks: Block[]; readonly isCut: boolean }

// Imported bindings are looked up at each use, which would cost a tenth of the time in the loops below.
const classes = byteClass
const NAME_END = TAG_NAME_END
const NAME_START = LETTER

/** See `findByte`. Hidden content is skipped tag by tag, and the next tag is usually near. */
const nearBytes = 12
const maxStyleSheets = 200

/**
 * Reads the visible text of an HTML page in UTF-8 as blocks, in one pass over its bytes: everything not hidden by attributes (`hidden`,
 * `style`) or the page's own style rules. The page is tokenised as in the HTML standard with scripting on, so the content of `<noscript>`
 * is not text.
 *
 * XHTML is read the same way, except for empty elements, CDATA sections and its doctype.
 *
 * Style rules found after text apply to it too: then the page is read a second time.
 */
export function readHtmlBlocks(body: Buffer, maxBlocks: number, { isXhtml } = { isXhtml: false }): HtmlBlocks {
  const page = withoutMarks(body)
  const source = { bytes: page, text: page.toString('latin1') }
  const first = new BlockScan(source, { maxBlocks, isXhtml, rules: null })
  first.run()
  if (first.lateStyles === 0) return first.result()
  const second = new BlockScan(source, { maxBlocks, isXhtml, rules: createStyleRules(first.sheets) })
  second.run()
  return second.result()
}

type ScanOptions = { readonly maxBlocks: number; readonly isXhtml: boolean; readonly rules: StyleRules | null }

class BlockScan {
  readonly sheets: string[] = []
  /** Style sheets found after text that may hide something. */
  lateStyles = 0
  private readonly page: PageBytes
  private readonly writer: BlockWriter
  private readonly sink: TextSink
  private readonly open: OpenElements
  private readonly foreign = new ForeignElements()
  private readonly attributes = new TagAttributes()
  private readonly isXhtml: boolean
  private readonly hasAllRules: boolean
  private rules: StyleRules | null
  /** A start tag was seen. */
  private hasBegun = false
  private titleText: string | null = null

  constructor(page: PageBytes, { maxBlocks, isXhtml, rules }: ScanOptions) {
    this.page = page
    this.isXhtml = isXhtml
    this.rules = rules
    this.hasAllRules = rules !== null
    const out = roomFor(page.bytes.length)
    this.sink = new TextSink(page.bytes, out, { lines: true })
    this.writer = new BlockWriter(this.sink, out, maxBlocks)
    this.open = new OpenElements(page, this.writer)
  }

  result(): HtmlBlocks {
    const blocks = this.writer.build()
    const title = this.titleText ?? ''
    if (title !== '') blocks.unshift({ kind: 'title', text: title, trail: [], key: '', place: 'title', level: 0 })
    return { title, blocks, isCut: this.writer.isCut }
  }

  run(): void {
    const { page, writer } = this
    const { bytes } = page
    const length = bytes.length
    let at = 0
    while (at < length) {
      at = this.textUpToTag(at)
      if (at >= length) break
      const next = at + 1 < length ? bytes[at + 1]! : 0
      if (classes[next]! & NAME_START) at = this.startTag(at + 1)
      else if (next === 0x2f) at = this.endTag(at + 2)
      else if (next === 0x21) at = this.markupDeclaration(at + 2)
      else if (next === 0x3f) at = skipBogusComment(page, at + 1)
      else at = this.literal(at, at + 1)
      if (writer.isCut) break
    }
    this.open.finish()
  }

  private get isHidden(): boolean {
    return this.open.hidden > 0 || this.foreign.hidden > 0
  }

  private textUpToTag(from: number): number {
    if (this.open.hidden > 0 || this.foreign.hidden > 0) return findByte(this.page, 0x3c, '<', from, nearBytes)
    return this.sink.append(
      from,
      this.page.bytes.length,
      this.foreign.rules === 'html' ? dataMeanings : foreignMeanings,
    )
  }

  /** A `<` that doesn't begin a tag is text. */
  private literal(from: number, end: number): number {
    if (!this.isHidden) this.sink.append(from, end, rawMeanings)
    return end
  }

  /** `from` is the first letter of the name. Like the methods below, returns where to continue; a truncated tag is ignored. */
  private startTag(from: number): number {
    const { page, foreign } = this
    const { bytes } = page
    const length = bytes.length
    let sum = 0
    let at = from
    for (; at < length && !(classes[bytes[at]!]! & NAME_END); at++) sum = addToName(sum, bytes[at]!)
    const tag = elementTable.find(bytes, from, at, sum) ?? otherTag
    const isForeign = foreign.rules !== 'html'
    if (isForeign && breakoutTable.find(bytes, from, at, sum) === null) return this.foreignTag(tag, at)
    const after = this.attributes.read(page, at)
    if (after === -1) return length
    if (isForeign) foreign.breakOut()
    this.hasBegun = true
    return this.htmlTag(tag, { sum, from, at }, after)
  }

  private foreignTag(tag: ElementTag, nameEnd: number): number {
    const { page, foreign } = this
    const after = skipTag(page, nameEnd)
    if (after === -1) return page.bytes.length
    if (tag === otherTag) return after
    if (!this.isHidden && tag.flags & SPACES) this.writer.space()
    if (!isSelfClosing(page, nameEnd, after)) foreign.openForeign(tag)
    return after
  }

  private htmlTag(tag: ElementTag, name: { sum: number; from: number; at: number }, after: number): number {
    const { open, attributes } = this
    const { flags } = tag
    const { sum, from, at } = name
    const isHidden =
      (attributes.hasHidden ||
        attributes.styleAt !== -1 ||
        this.rules !== null ||
        tag.name === 'dialog' ||
        attributes.hasPopover ||
        tag.name === 'datalist') &&
      this.hides(tag, from, at)
    const isKept = (flags & (SPECIAL | SCOPE | BREAKS)) !== 0 || isHidden || open.hidden > 0
    if (tag === otherTag && !isKept) {
      if (!this.isXhtml || !isSelfClosing(this.page, at, after)) open.loosen(sum, at - from)
      return after
    }
    const element = { tag, sum, size: at - from, isHidden, attributes }
    if (!open.start(element)) return after
    const isSeen = !isHidden && !this.isHidden
    if (isSeen) {
      if (flags & BREAKS) open.break(flags)
      else if (flags & CELL) this.writer.cell()
      else if (flags & SPACES) this.writer.space()
    }
    if (this.isXhtml && isSelfClosing(this.page, at, after)) return after
    if (tag.content === 'flow') {
      if (isKept && !(flags & VOID)) open.push(element)
      else if (flags & FORMATTING) open.loosen(sum, at - from)
      return after
    }
    return this.content(element, at, after)
  }

  /** Handles the content of an HTML element other than flow. The end tag after raw text is left to the main loop. */
  private content(
    element: { tag: ElementTag; sum: number; size: number; isHidden: boolean; attributes: TagAttributes },
    nameEnd: number,
    from: number,
  ): number {
    const { page, foreign, open } = this
    const { tag, isHidden } = element
    switch (tag.content) {
      case 'pre':
        open.push(element)
        if (!isHidden && !this.isHidden) this.sink.keepsLines = this.writer.hasLines = true
        return from
      case 'script':
        return findScriptEnd(page, from)
      case 'style':
        return this.style(from, findRawTextEnd(page, from, tag.name))
      case 'raw':
        return findRawTextEnd(page, from, tag.name)
      case 'title':
        return this.title(from, findRawTextEnd(page, from, tag.name))
      case 'textarea':
        return this.lines(
          element,
          afterFirstLineEnd(page, from),
          findRawTextEnd(page, from, tag.name),
          escapableMeanings,
        )
      case 'xmp':
        return this.lines(element, from, findRawTextEnd(page, from, tag.name), rawMeanings)
      case 'plaintext':
        return this.lines(element, from, page.bytes.length, rawMeanings)
      case 'svg':
      case 'math':
        if (isSelfClosing(page, nameEnd, from)) return from
        foreign.openHtml(tag)
        if (isHidden || open.hidden > 0) open.push(element)
        return from
      default:
        foreign.openHtml(tag)
        if (tag.content === 'hidden') open.push(element)
        return from
    }
  }

  private title(from: number, end: number): number {
    if (this.titleText !== null || this.isHidden) return end
    const { bytes } = this.page
    const out = Buffer.allocUnsafe(roomBytes(end - from))
    const sink = new TextSink(bytes, out, { lines: false })
    sink.append(from, end, escapableMeanings)
    this.titleText = seenText(out.toString('utf8', 0, sink.length))
    return end
  }

  private style(from: number, end: number): number {
    const { attributes, page, sheets } = this
    if (this.hasAllRules || this.foreign.hidden > 0 || sheets.length >= maxStyleSheets) return end
    if (attributes.mediaAt !== -1) {
      const media = page.text.slice(attributes.mediaAt, attributes.mediaEnd)
      if (!/^\s*(?:(?:only\s+)?(?:screen|all)\s*(?:,|$)|$)/i.test(media)) return end
    }
    const sheet = page.text.slice(from, end)
    sheets.push(sheet)
    if (!mayHide(sheet)) return end
    if (this.sink.length > 0) this.lateStyles++
    else this.rules = createStyleRules(sheets)
    return end
  }

  private lines(
    element: { tag: ElementTag; isHidden: boolean },
    from: number,
    end: number,
    meanings: Uint8Array,
  ): number {
    if (element.isHidden || this.isHidden) return end
    const { sink, open } = this
    const { joint } = open.top
    const before = sink.keepsLines
    sink.keepsLines = joint === null || joint.isFlow
    this.writer.hasLines ||= sink.keepsLines
    sink.append(from, end, meanings)
    if (sink.keepsLines) open.flush()
    sink.keepsLines = before
    return end
  }

  /** Whether the element itself is hidden, regardless of its ancestors. */
  private hides(tag: ElementTag, from: number, nameEnd: number): boolean {
    // Otherwise pages that a script makes visible once it has run would be empty.
    if (tag.name === 'body' || tag.name === 'html') return false
    const { attributes, page, rules } = this
    const { text } = page
    const { hasHidden, hasOpen, hasPopover, styleAt, styleEnd, idAt, idEnd, classAt, classEnd } = attributes
    // These are HTML attributes; SVG doesn't have them.
    const isHtml = tag.content !== 'svg' && tag.content !== 'math'
    const isHidden =
      (isHtml && (hasHidden || hasPopover)) || tag.name === 'datalist' || (tag.name === 'dialog' && !hasOpen)
    const own = styleAt === -1 ? null : declaredIn(text.slice(styleAt, styleEnd))
    if (own?.display === false || own?.visibility === false) return true
    if (own?.display === true) return false
    const ruled =
      rules?.hides({
        name: tag === otherTag ? text.slice(from, nameEnd).toLowerCase() : tag.name,
        id: idAt === -1 ? '' : text.slice(idAt, idEnd),
        classes: classAt === -1 ? '' : text.slice(classAt, classEnd),
        hasHidden,
      }) ?? null
    return isHidden || ruled === true
  }

  /** `from` is the index after `</`. */
  private endTag(from: number): number {
    const { page, foreign, open } = this
    const { bytes } = page
    const length = bytes.length
    if (from >= length) return this.literal(length - 2, length)
    if (!(classes[bytes[from]!]! & NAME_START)) return skipBogusComment(page, from)
    let sum = 0
    let at = from
    for (; at < length && !(classes[bytes[at]!]! & NAME_END); at++) sum = addToName(sum, bytes[at]!)
    const after = bytes[at] === 0x3e ? at + 1 : skipTag(page, at)
    if (after === -1) return length
    const tag = elementTable.find(bytes, from, at, sum) ?? otherTag
    if (tag === otherTag && open.hidden === 0) {
      if (foreign.rules === 'html') open.closeLoose(sum, at - from)
      return after
    }
    if (foreign.rules !== 'html' && (tag.name === 'p' || tag.name === 'br')) foreign.breakOut()
    const wasForeign = foreign.rules !== 'html'
    if (tag.content !== 'flow') foreign.close(tag.name)
    if (tag.name === 'br') {
      if (!this.isHidden) open.break(BREAKS)
    } else if (!wasForeign || tag.content === 'svg' || tag.content === 'math') this.closeHtml(tag, sum, at - from)
    return after
  }

  private closeHtml(tag: ElementTag, sum: number, size: number): void {
    const { open, writer } = this
    if (!this.isHidden && tag.flags & SPACES) {
      if (tag.flags & CELL) writer.cell()
      else writer.space()
    }
    if (tag.content === 'pre' && !this.isHidden) open.flush()
    open.close(tag, sum, size)
  }

  /** `from` is the index after `<!`. */
  private markupDeclaration(from: number): number {
    const { page, foreign, isXhtml } = this
    if (page.text.startsWith('--', from)) return skipComment(page, from + 2)
    if (isXhtml && !page.text.startsWith('[CDATA[', from)) return skipDoctype(page, from)
    if (!this.hasBegun && matchesWord(page.bytes, from, 'doctype')) this.open.isQuirky = false
    if ((foreign.rules === 'html' && !isXhtml) || !page.text.startsWith('[CDATA[', from))
      return skipBogusComment(page, from)
    const close = page.text.indexOf(']]>', from + 7)
    const end = close === -1 ? page.bytes.length : close
    if (!this.isHidden) this.sink.append(from + 7, end, rawMeanings)
    return Math.min(end + 3, page.bytes.length)
  }
}

/** A line break right after the tag is only source formatting. */
function afterFirstLineEnd({ bytes }: PageBytes, from: number): number {
  if (bytes[from] === 0x0d) return bytes[from + 1] === 0x0a ? from + 2 : from + 1
  return bytes[from] === 0x0a ? from + 1 : from
}
