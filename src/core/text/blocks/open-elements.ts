import type { BlockKind } from '../../change/change.ts'
import type { PageBytes } from '../../html/byte-class.ts'
import type { BlockContext, BlockWriter, Trail } from './block-writer.ts'
import { type Placed, Places } from './element-place.ts'
import {
  BREAKS,
  CELL,
  CLOSES_P,
  type ElementTag,
  ENDS_HEADING,
  elementTag,
  FORMATTING,
  HEADING,
  LAYOUT,
  MARKER,
  otherTag,
  ROW_GROUP,
  SCOPE,
  SECTION,
  SPECIAL,
  TABLE_PART,
} from './element-tags.ts'
import { LooseElements } from './loose-elements.ts'
import { TagAttributes } from './tag-attributes.ts'

/** Maximum nesting; elements opened beyond it are ignored, but their content is read. Browsers do the same. */
const maxDepth = 512
const maxLost = 16
/** Anything longer is not a data row or a heading: its parts become blocks of their own. */
const maxRowBytes = 1000
const maxHeadingBytes = 500

/** A heading or table row, whose parts form one block unless it turns out to hold more than that (`isFlow`). */
type Joint = { isFlow: boolean }

export type OpenElement = Placed & {
  readonly tag: ElementTag
  /** Hash and length of its name, to identify elements that are not in the table. */
  readonly sum: number
  readonly size: number
  isHidden: boolean
  readonly kind: BlockKind
  readonly level: number
  readonly joint: Joint | null
  /** The headings above the element; restored at the end of a section. */
  readonly trail: Trail | null
  /** For marker elements: the formatting left unclosed before it, which is suspended inside. */
  readonly lost: string[] | null
}

export type NewElement = {
  readonly tag: ElementTag
  readonly sum: number
  readonly size: number
  readonly isHidden: boolean
  readonly attributes: TagAttributes
}

const paragraphTag = elementTag('p')
const tableTag = elementTag('table')
const templateTag = elementTag('template')
const buttonTag = elementTag('button')
const formTag = elementTag('form')
const listItemTag = elementTag('li')
const termTag = elementTag('dt')
const descriptionTag = elementTag('dd')
const optionTag = elementTag('option')
const groupTag = elementTag('optgroup')
const rowTag = elementTag('tr')
const bodyOfTableTag = elementTag('tbody')
const bodyTag = elementTag('body')
const noAttributes = new TagAttributes()
const passedByItems = new Set(['address', 'div', 'p'])
const endsItself = new Set(['dd', 'dt', 'li', 'optgroup', 'option', 'p'])
const itemNames = new Set(['dd', 'dt', 'li', 'optgroup', 'option'])

/**
 * The open elements, as in the tree construction of the HTML standard: a start tag closes unclosed paragraphs, items, cells and rows, and
 * an end tag is limited by its scope. Inline elements that hide nothing are only tracked inside hidden ones, whose end must be found; of
 * the others, all that matters is whether their end also ends a hidden element inside them.
 *
 * Differences: text directly inside a table is not moved before it, and formatting (`<b hidden>`) that continues after the end of its
 * paragraph is tracked by name only.
 */
export class OpenElements {
  top: OpenElement
  /** Number of hidden open elements, including unclosed formatting. */
  hidden = 0
  /** Without a doctype, a table may be inside a paragraph. */
  isQuirky = true
  private readonly stack: OpenElement[]
  private readonly writer: BlockWriter
  private readonly places: Places
  private readonly open = { p: 0, button: 0, form: 0, item: 0, formatting: 0 }
  /** Names of hidden formatting elements that the parser would reopen. */
  private lost: string[] = []
  private readonly loose = new LooseElements()
  private tooDeep = 0

  constructor(page: PageBytes, writer: BlockWriter) {
    this.places = new Places(page)
    this.writer = writer
    this.top = {
      tag: bodyTag,
      sum: 0,
      size: 0,
      isHidden: false,
      kind: 'paragraph',
      level: 0,
      joint: null,
      trail: null,
      lost: null,
      parent: null,
      idAt: -1,
      idEnd: -1,
      classAt: -1,
      classEnd: -1,
      place: '',
      childStep: '',
      childPlace: '',
    }
    this.stack = [this.top]
  }

  /** Handles a block boundary. Inside a heading or a row it is a space, unless it shows that this isn't one. */
  break(flags: number): void {
    const { joint } = this.top
    if (joint === null || joint.isFlow) this.flush()
    else if (this.endsJoint(flags)) {
      this.flush()
      joint.isFlow = true
    } else this.writer.space()
  }

  private endsJoint(flags: number): boolean {
    const { size } = this.writer
    if (this.top.kind === 'row') return (flags & LAYOUT) !== 0 || size > maxRowBytes
    return ((flags & ENDS_HEADING) !== 0 && size > 0) || size > maxHeadingBytes
  }

  /** Ends the block with the properties of the innermost element. */
  flush(): void {
    if (this.writer.size === 0) this.writer.end(nothing, false)
    else this.writer.end(this.context(), this.top.tag === termTag)
  }

  private context(): BlockContext {
    const { kind, level, joint, tag } = this.top
    const place = this.places.placeOf(this.top)
    if (joint?.isFlow) return { kind: 'paragraph', level: 0, place }
    if (this.writer.sink.keepsLines || tag.content === 'pre') return { kind: 'line', level: 0, place }
    return { kind, level, place }
  }

  /** Handles the start tag of an inline element that is not pushed. */
  loosen(sum: number, size: number): void {
    this.loose.open(sum, size, this.stack.length)
  }

  /** Handles the start tag of an element in the table. Returns false if the tag is not allowed and so ignored. */
  start(element: NewElement): boolean {
    const { tag } = element
    const { flags } = tag
    if (flags & TABLE_PART) {
      if (!this.clearToTable(tag)) return false
    } else this.endImplied(element)
    if (tag === formTag) {
      if (this.open.form > 0) return false
      if (this.top.tag === tableTag || this.top.tag.flags & (TABLE_PART & ~CELL)) {
        if (!(this.top.tag.flags & CELL) && this.top.tag.name !== 'caption') return false
      }
    }
    return true
  }

  private endImplied({ tag, sum, size }: NewElement): void {
    const { flags } = tag
    if (tag === tableTag) this.endTableAround()
    if (tag === listItemTag) this.endItem(listItemTag, listItemTag)
    else if (tag === termTag || tag === descriptionTag) this.endItem(termTag, descriptionTag)
    if (flags & CLOSES_P && this.open.p > 0 && !(tag === tableTag && this.isQuirky))
      this.closeInScope(paragraphTag, buttonTag)
    if (flags & HEADING && this.top.tag.flags & HEADING) this.pop()
    else if (tag === buttonTag && this.open.button > 0) this.closeInScope(buttonTag, null)
    else if (tag === optionTag || tag === groupTag) {
      if (this.top.tag === optionTag) this.pop()
      if (tag === groupTag && this.top.tag === groupTag) this.pop()
    } else if (tag.name === 'a') this.closeFormatting(tag, sum, size)
  }

  push({ tag, sum, size, isHidden, attributes }: NewElement): void {
    if (this.stack.length >= maxDepth) {
      this.tooDeep++
      return
    }
    const { flags, name } = tag
    const parent = this.top
    const isJoined = parent.joint !== null && !parent.joint.isFlow && tag !== tableTag && !(flags & HEADING)
    const inherited = parent.joint?.isFlow ? 'paragraph' : parent.kind
    const ownKind: BlockKind | null =
      flags & HEADING
        ? 'heading'
        : tag === rowTag
          ? 'row'
          : tag === tableTag
            ? 'paragraph'
            : itemNames.has(name)
              ? 'item'
              : null
    this.top = {
      tag,
      sum,
      size,
      isHidden,
      kind: isJoined ? parent.kind : (ownKind ?? inherited),
      level: isJoined ? parent.level : tag.level,
      joint: isJoined ? parent.joint : flags & HEADING || tag === rowTag ? { isFlow: false } : null,
      trail: this.writer.trail,
      lost: flags & MARKER ? this.lost : null,
      parent,
      idAt: attributes.idAt,
      idEnd: attributes.idEnd,
      classAt: attributes.classAt,
      classEnd: attributes.classEnd,
      place: null,
      childStep: '',
      childPlace: '',
    }
    this.stack.push(this.top)
    if (isHidden) this.hidden++
    if (flags & MARKER) {
      this.hidden -= this.lost.length
      this.lost = []
    }
    this.count(tag, 1)
  }

  private count(tag: ElementTag, more: number): void {
    const { open } = this
    if (tag === paragraphTag) open.p += more
    else if (tag === buttonTag) open.button += more
    else if (tag === formTag) open.form += more
    else if (tag === listItemTag || tag === termTag || tag === descriptionTag) open.item += more
    else if (tag.flags & FORMATTING) open.formatting += more
  }

  private pop(isOwnEnd = false): void {
    if (this.stack.length === 1) return
    const element = this.top
    const { flags } = element.tag
    if (this.hidden === 0 && flags & BREAKS) this.endBreak(element)
    this.stack.pop()
    this.loose.leave(this.stack.length)
    this.top = this.stack[this.stack.length - 1]!
    this.left(element, isOwnEnd)
  }

  private endBreak({ joint }: OpenElement): void {
    const isInner = joint !== null && !joint.isFlow && this.stack[this.stack.length - 2]!.joint === joint
    if (isInner) this.writer.space()
    else this.flush()
  }

  private left(element: OpenElement, isOwnEnd: boolean): void {
    const { tag, isHidden, lost } = element
    if (isHidden) this.hidden--
    if (lost !== null) {
      this.hidden += lost.length - this.lost.length
      this.lost = lost
    }
    if (isHidden && !isOwnEnd && tag.flags & FORMATTING && this.lost.length < maxLost) {
      this.lost.push(tag.name)
      this.hidden++
    }
    if (tag.flags & SECTION) this.writer.trail = element.trail
    if (tag.content === 'pre') this.writer.sink.keepsLines = false
    this.count(tag, -1)
  }

  private popTo(index: number): void {
    while (this.stack.length > index + 1) this.pop()
    this.pop(true)
  }

  /** Handles an end tag. */
  close(tag: ElementTag, sum: number, size: number): void {
    if (this.tooDeep > 0) {
      this.tooDeep--
      return
    }
    const { flags } = tag
    if (tag === formTag) this.closeForm()
    else if (flags & FORMATTING) this.closeFormatting(tag, sum, size)
    else if (flags & HEADING) this.closeHeading()
    else if (tag === templateTag) this.closeWhere((element) => element.tag === tag, 0)
    else if (flags & TABLE_PART || tag === tableTag) this.closeTablePart(tag)
    else if (tag === paragraphTag) {
      if (this.open.p === 0 || !this.closeInScope(tag, buttonTag)) if (this.hidden === 0) this.break(flags)
    } else if (tag === listItemTag) this.closeItem()
    else if (flags & (SPECIAL | SCOPE) || tag.name === 'dialog') this.closeInScope(tag, null)
    else this.closeOther(tag, sum, size)
  }

  private closeOther(tag: ElementTag, sum: number, size: number): void {
    for (let at = this.stack.length - 1; at > 0; at--) {
      const element = this.stack[at]!
      if (element.tag === tag && (tag !== otherTag || (element.sum === sum && element.size === size))) {
        this.popTo(at)
        return
      }
      if (element.tag.flags & SPECIAL) break
    }
    this.closeLoose(sum, size)
  }

  /** Handles the end tag of an inline element that is not in the stack. */
  closeLoose(sum: number, size: number): void {
    let at = this.stack.length - 1
    while (at > 0 && !(this.stack[at]!.tag.flags & SPECIAL)) at--
    const depth = this.loose.close(sum, size, at)
    if (depth > 0) while (this.stack.length > depth) this.pop()
  }

  private closeInScope(tag: ElementTag, alsoScope: ElementTag | null): boolean {
    for (let at = this.stack.length - 1; at > 0; at--) {
      const element = this.stack[at]!
      if (element.tag === tag) {
        this.popTo(at)
        return true
      }
      if (element.tag.flags & SCOPE || element.tag === alsoScope) return false
    }
    return false
  }

  private closeWhere(isWanted: (element: OpenElement) => boolean, scope: number): boolean {
    for (let at = this.stack.length - 1; at > 0; at--) {
      const element = this.stack[at]!
      if (isWanted(element)) {
        this.popTo(at)
        return true
      }
      if (element.tag.flags & scope) return false
    }
    return false
  }

  private closeHeading(): void {
    this.closeWhere(({ tag }) => (tag.flags & HEADING) !== 0, SCOPE)
  }

  private closeItem(): void {
    if (this.open.item === 0) return
    for (let at = this.stack.length - 1; at > 0; at--) {
      const { tag } = this.stack[at]!
      if (tag === listItemTag) {
        this.popTo(at)
        return
      }
      if (tag.flags & SCOPE || tag.name === 'ul' || tag.name === 'ol') return
    }
  }

  /** The start of an item closes the previous one, unless an element between them prevents it. */
  private endItem(one: ElementTag, other: ElementTag): void {
    if (this.open.item === 0) return
    for (let at = this.stack.length - 1; at > 0; at--) {
      const { tag } = this.stack[at]!
      if (tag === one || tag === other) {
        this.popTo(at)
        return
      }
      if (tag.flags & SPECIAL && !passedByItems.has(tag.name)) return
    }
  }

  /** Removes the element, but leaves elements opened inside it open. */
  private remove(at: number): void {
    this.loose.lift(at)
    if (at === this.stack.length - 1) {
      this.pop(true)
      return
    }
    const [element] = this.stack.splice(at, 1)
    this.left(element!, true)
  }

  private closeForm(): void {
    if (this.open.form === 0) return
    for (let at = this.stack.length - 1; at > 0; at--) {
      const { tag } = this.stack[at]!
      if (tag === formTag) {
        if (this.hidden === 0) this.break(tag.flags)
        this.removeForm(at)
        return
      }
      if (tag.flags & SCOPE) return
    }
  }

  /** Elements opened in a form and still open after its end are still part of it, hence hidden if it is. */
  private removeForm(at: number): void {
    while (this.stack.length > at + 1 && endsItself.has(this.top.tag.name)) this.pop()
    const inner = this.stack[at + 1]
    if (inner !== undefined && !inner.isHidden && this.stack[at]!.isHidden) {
      inner.isHidden = true
      this.hidden++
    }
    this.remove(at)
  }

  private closeFormatting(tag: ElementTag, sum: number, size: number): void {
    if (this.open.formatting === 0 && this.lost.length === 0) {
      this.closeLoose(sum, size)
      return
    }
    let furthest = -1
    for (let at = this.stack.length - 1; at > 0; at--) {
      const element = this.stack[at]!
      if (element.tag === tag) {
        if (furthest === -1) this.popTo(at)
        else this.remove(at)
        return
      }
      if (element.tag.flags & MARKER) break
      if (element.tag.flags & SPECIAL) furthest = at
    }
    const lostAt = this.lost.lastIndexOf(tag.name)
    if (lostAt === -1) {
      this.closeLoose(sum, size)
      return
    }
    this.lost.splice(lostAt, 1)
    this.hidden--
  }

  /** Index of the innermost table that isn't in a template; -1 if there is none. */
  private tableAt(): number {
    for (let at = this.stack.length - 1; at > 0; at--) {
      const { tag } = this.stack[at]!
      if (tag === tableTag) return at
      if (tag === templateTag) return -1
    }
    return -1
  }

  /** A table that begins directly inside another, and not in a cell, closes that one. */
  private endTableAround(): void {
    for (let at = this.stack.length - 1; at > 0; at--) {
      const { tag } = this.stack[at]!
      if (tag === tableTag) {
        this.popTo(at)
        return
      }
      if (tag === templateTag || tag.flags & CELL || tag.name === 'caption') return
    }
  }

  /** Closes what the start of a table part closes, and opens the row that a cell needs. Returns false outside of tables. */
  private clearToTable(tag: ElementTag): boolean {
    const table = this.tableAt()
    if (table === -1) return false
    let keep = table
    const isRow = tag === rowTag
    if (isRow || tag.flags & CELL) {
      if (this.stack[keep + 1] !== undefined && this.stack[keep + 1]!.tag.flags & ROW_GROUP) keep++
      if (!isRow && this.stack[keep + 1]?.tag === rowTag) keep++
    }
    while (this.stack.length > keep + 1) this.pop()
    if ((isRow || tag.flags & CELL) && this.top.tag === tableTag) this.pushImplied(bodyOfTableTag)
    if (tag.flags & CELL && this.top.tag !== rowTag) this.pushImplied(rowTag)
    return true
  }

  private pushImplied(tag: ElementTag): void {
    if (this.hidden === 0) this.flush()
    this.push({ tag, sum: 0, size: 0, isHidden: false, attributes: noAttributes })
  }

  private closeTablePart(tag: ElementTag): void {
    for (let at = this.stack.length - 1; at > 0; at--) {
      const element = this.stack[at]!
      if (element.tag === tag) {
        this.popTo(at)
        return
      }
      if (element.tag === tableTag || element.tag === templateTag) return
    }
  }

  finish(): void {
    while (this.stack.length > 1) this.pop()
    this.flush()
  }
}

const nothing: BlockContext = { kind: 'paragraph', level: 0, place: '' }
