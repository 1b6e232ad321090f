import { Parser } from 'htmlparser2'
import { maxDepth, parseBounded } from '../html/bounded-parse.ts'

/** What selectors are asked of: elements and where they stand in the source, and text, which some selectors read. */
export type PageElement = {
  readonly kind: 'element'
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly parent: PageElement | PageRoot
  readonly children: PageNode[]
  /** Among the children of its parent. */
  readonly index: number
  readonly start: number
  end: number
}
export type PageText = { readonly kind: 'text'; readonly parent: PageElement | PageRoot; readonly text: string }
export type PageRoot = { readonly kind: 'root'; readonly children: PageNode[] }
export type PageNode = PageElement | PageText | PageRoot

const maxNodes = 300_000

/** Null where the page is too deep or has too many nodes. */
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
        // What closes an element by implication is the next tag, and is not part of it; a void element ends with its tag.
        if (element !== undefined)
          element.end = isImplied && parser.startIndex > element.start ? parser.startIndex : parser.endIndex + 1
      },
      ontext(text) {
        const parent = open.at(-1) ?? root
        parent.children.push({ kind: 'text', parent, text })
        isTooMuch ||= ++nodes > maxNodes
      },
    },
    { xmlMode: isXml },
  )
  return parseBounded(parser, source, () => isTooMuch) ? root : null
}
