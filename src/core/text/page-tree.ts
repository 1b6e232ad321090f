import { Parser } from 'htmlparser2'
import { createWorkBudget, Exhausted, isSpent, type WorkBudget } from '../work/work-budget.ts'

/** A page of 36 KB takes some thousand steps for each selector. */
const maxSteps = 3_000_000
/** Reading an attribute or text counts one more step per this many characters. */
const charactersPerStep = 16

/**
 * The selector engine's view of a page. Every access is counted: `a ~ b` on a page of nothing but siblings, or a chain of ten descendants
 * in a deep one, would take hours.
 */
export function createTreeAdapter() {
  let budget = createWorkBudget(maxSteps)

  function count(more: number): void {
    budget.left -= more
    if (isSpent(budget)) throw new Exhausted('too many steps')
  }

  function childrenOf(node: PageNode): PageNode[] {
    count(1)
    return node.kind === 'text' ? [] : node.children
  }

  function textOf(node: PageNode): string {
    const parts: string[] = []
    const pending = [node]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next.kind === 'text') {
        count(1 + next.text.length / charactersPerStep)
        parts.push(next.text)
      } else {
        const children = childrenOf(next)
        for (let i = children.length - 1; i >= 0; i--) pending.push(children[i]!)
      }
    }
    return parts.join('')
  }

  return {
    /** Starts a new page with a new budget. */
    begin(given: WorkBudget = createWorkBudget(maxSteps)): void {
      budget = given
    },
    isTag(node: PageNode): node is PageElement {
      count(1)
      return node.kind === 'element'
    },
    getName(element: PageElement): string {
      count(1)
      return element.name
    },
    getAttributeValue(element: PageElement, name: string): string | undefined {
      const value = Object.hasOwn(element.attributes, name) ? element.attributes[name] : undefined
      count(1 + (value === undefined ? 0 : value.length / charactersPerStep))
      return value
    },
    hasAttrib(element: PageElement, name: string): boolean {
      count(1)
      return Object.hasOwn(element.attributes, name)
    },
    getParent(element: PageElement): PageNode | null {
      count(1)
      return element.parent
    },
    getChildren: childrenOf,
    getSiblings(node: PageNode): PageNode[] {
      return node.kind === 'root' ? [node] : childrenOf(node.parent)
    },
    prevElementSibling(node: PageNode): PageElement | null {
      if (node.kind !== 'element') return null
      const siblings = childrenOf(node.parent)
      for (let at = node.index - 1; at >= 0; at--) {
        count(1)
        const sibling = siblings[at]!
        if (sibling.kind === 'element') return sibling
      }
      return null
    },
    getText: textOf,
    // Called with a root alone, or with elements chosen one by one.
    removeSubsets: (nodes: PageNode[]): PageNode[] => nodes,
    equals(one: PageNode, other: PageNode): boolean {
      count(1)
      return one === other
    },
  }
}

/** The tree that selectors run on: elements with their source offsets, and text, which some selectors read. */
export type PageElement = {
  readonly kind: 'element'
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly parent: PageElement | PageRoot
  readonly children: PageNode[]
  /** Index among its parent's children. */
  readonly index: number
  readonly start: number
  end: number
}
export type PageText = {
  readonly kind: 'text'
  readonly parent: PageElement | PageRoot
  text: string
  /** Index among its parent's children. */
  readonly index: number
  readonly start: number
  end: number
}
export type PageRoot = { readonly kind: 'root'; readonly children: PageNode[] }
export type PageNode = PageElement | PageText | PageRoot

const maxNodes = 300_000

/** Null if the page is too deep or has too many nodes. */
export function createPageTree(source: string, isXml: boolean): PageRoot | null {
  const root: PageRoot = { kind: 'root', children: [] }
  const open: PageElement[] = []
  let nodes = 0
  let isTooMuch = false
  const parser: Parser = new Parser(
    {
      onopentag(name, attributes) {
        const parent = open.at(-1) ?? root
        const { children } = parent
        const start = parser.startIndex
        children.push({
          kind: 'element',
          name,
          attributes,
          parent,
          children: [],
          index: children.length,
          start,
          end: source.length,
        })
        open.push(children.at(-1) as PageElement)
        isTooMuch ||= open.length > maxDepth || ++nodes > maxNodes
      },
      onclosetag(_name, isImplied) {
        const element = open.pop()
        // An element closed implicitly ends before the tag that closes it; a void element ends with its own tag.
        if (element !== undefined)
          element.end = isImplied && parser.startIndex > element.start ? parser.startIndex : parser.endIndex + 1
      },
      ontext(text) {
        const parent = open.at(-1) ?? root
        const last = parent.children.at(-1)
        // The parser emits text around an entity or a comment in pieces.
        if (last?.kind === 'text') {
          last.text += text
          last.end = parser.endIndex + 1
        } else {
          const { startIndex: start, endIndex } = parser
          parent.children.push({ kind: 'text', parent, text, index: parent.children.length, start, end: endIndex + 1 })
        }
        isTooMuch ||= ++nodes > maxNodes
      },
    },
    { xmlMode: isXml },
  )
  return parseBounded(parser, source, () => isTooMuch) ? root : null
}

/** The limit of browsers. The parser scans all open elements at each end tag, so depth costs time. */
export const maxDepth = 512

const pieceLength = 16_384

/** Parses piece by piece, so that a page beyond the limits isn't read to its end. Returns false for such a page. */
export function parseBounded(parser: Parser, source: string, isTooMuch: () => boolean): boolean {
  for (let at = 0; at < source.length && !isTooMuch(); at += pieceLength)
    parser.write(source.slice(at, at + pieceLength))
  if (!isTooMuch()) parser.end()
  return !isTooMuch()
}
