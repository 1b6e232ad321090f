import { compile, selectAll } from 'css-select'
import { addImplied, impliedNames } from '../../core/select/implied-elements.ts'
import { createXPathReader, type XPathNode } from '../../core/select/xpath.ts'
import {
  createPageTree,
  createTreeAdapter,
  type PageElement,
  type PageNode,
  type PageRoot,
} from '../../core/text/page-tree.ts'
import { createWorkBudget, Exhausted, isSpent, type WorkBudget } from '../../core/work/work-budget.ts'
import type { PageOfRows } from './json-rows.ts'
import type { Choice, QueryUrl } from './query-url.ts'
import { nullCell, type Row, textCell } from './rows.ts'

/** Cost of visiting a node, in steps of the budget. */
const stepsPerNode = 8
const charactersPerStep = 16
const unseen = new Set(['script', 'style', 'template', 'noscript'])
/** Elements that don't separate words. */
const inline = new Set(
  'a abbr b bdi bdo cite code data em font i ins kbd label mark q s small span strong sub sup time u var'.split(' '),
)

export type PageSource = { text: string; isXml: boolean; isCut: boolean }

/** The rows of an HTML or XML document. Throws `Exhausted` if the budget is spent. */
export function rowsOfPage(
  { text: source, isXml, isCut }: PageSource,
  query: QueryUrl,
  budget: WorkBudget,
): PageOfRows {
  budget.left -= source.length
  const root = isSpent(budget) ? null : createPageTree(source, isXml)
  if (root === null) throw new Exhausted('too large')
  const choices = [query.rows, ...query.cells.map(({ choice }) => choice), ...(query.next === null ? [] : [query.next])]
  if (!isXml) addImplied(root, impliedNames(choices.map((choice) => choice.source)))
  const nodes = createWorkBudget(budget.left / stepsPerNode)
  const adapter = createTreeAdapter()
  adapter.begin(nodes)
  const byXPath = createXPathReader(root, isXml, nodes)
  const options = { adapter, xmlMode: isXml }

  /** Returns a function that selects within a node; compiled once for all rows. */
  function chooser({ selector }: Choice): (from: PageNode) => XPathNode[] {
    if (selector.kind === 'xpath') return (from) => byXPath(selector.path, from)
    if (selector.kind !== 'css' || selector.source === '') return (from) => [from]
    const test = compile<PageNode, PageElement>(selector.source, options)
    return (from) => selectAll<PageNode, PageElement>(test, from, options)
  }

  function textOf(node: XPathNode): string {
    if (node.kind === 'attribute') return node.value.trim()
    const parts: string[] = []
    const read = (from: PageNode): void => {
      nodes.left -= 1 + (from.kind === 'text' ? from.text.length / charactersPerStep : 0)
      if (isSpent(nodes)) throw new Exhausted('too many steps')
      if (from.kind === 'text') parts.push(from.text)
      else if (from.kind === 'root' || !unseen.has(from.name)) {
        const gap = from.kind === 'element' && inline.has(from.name) ? '' : ' '
        parts.push(gap)
        for (const child of from.children) read(child)
        parts.push(gap)
      }
    }
    read(node)
    return parts.join('').replace(/\s+/g, ' ').trim()
  }

  /** Null if nothing is selected. */
  function valueIn(found: readonly XPathNode[], attribute: string): string | null {
    const values = found.flatMap((node) => {
      if (attribute === '') return [textOf(node)]
      const isThere = node.kind === 'element' && Object.hasOwn(node.attributes, attribute)
      return isThere ? [node.attributes[attribute]!.trim()] : []
    })
    return values.length === 0 ? null : values.join(', ')
  }

  const cells = query.cells.map(({ name, choice }) => ({ name, choose: chooser(choice), attribute: choice.attribute }))
  const names = cells.map(({ name }) => name)
  const firstLink = chooser({ source: '', selector: { kind: 'css', source: 'a[href]' }, attribute: '' })

  function rowOf(node: PageNode): Row {
    if (cells.length > 0) {
      const values = cells.map(({ choose, attribute }) => valueIn(choose(node), attribute))
      return { names, cells: values.map((value) => (value === null ? nullCell : textCell(value))) }
    }
    const link = valueIn(firstLink(node).slice(0, 1), 'href')
    const text = textCell(textOf(node))
    return link === null
      ? { names: ['text'], cells: [text] }
      : { names: ['text', 'link'], cells: [text, textCell(link)] }
  }

  try {
    const unfinished = isCut ? pathToEnd(root) : new Set<XPathNode>()
    const rows = chooser(query.rows)(root)
      .filter((node): node is PageElement => node.kind === 'element' && !unfinished.has(node))
      .map(rowOf)
    return { rows, next: query.next === null ? null : nextOf(query.next), isCut }
  } finally {
    budget.left = nodes.left * stepsPerNode
  }

  function nextOf(next: Choice): string | null {
    const [first] = chooser(next)(root!)
    if (first === undefined) return null
    const isLink = first.kind === 'element' && next.attribute === '' && Object.hasOwn(first.attributes, 'href')
    return valueIn([first], isLink ? 'href' : next.attribute) || null
  }
}

/** The elements that are open at the end of a page. If the page was truncated, the missing rest may belong to any of them. */
function pathToEnd(root: PageRoot): Set<XPathNode> {
  const path = new Set<XPathNode>()
  for (let node: PageNode | undefined = root; node !== undefined && node.kind !== 'text'; node = node.children.at(-1))
    path.add(node)
  return path
}
