import { selectByJsonPath } from '../../core/select/json-path.ts'
import type { JsonTree, JsonNode as TreeNode } from '../../core/text/blocks/json-tree.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'
import type { QueryUrl } from './query-url.ts'
import { type Cell, nullCell, type Row, textCell, uniqueNames } from './rows.ts'

/** `isCut`: the page was truncated. A row that is truncated with it is omitted, since it would change with the position of the cut. */
export type PageOfRows = { rows: Row[]; next: string | null; isCut: boolean }

/** The rows of a JSON document. Values keep their spelling. Throws `Exhausted` if the budget is spent. */
export function rowsOfJson(tree: JsonTree, query: QueryUrl, budget: WorkBudget): PageOfRows {
  const nodes: Nodes = new Map()
  const document = valueOfNode(tree.root, nodes)
  const { isCut, unfinished } = tree
  const rows = chosen(query.rows, document, tree.root, nodes, budget)
    .filter((node) => !unfinished.has(node))
    .map((node) => rowOf(node, query, budget))
  if (query.next === null) return { rows, next: null, isCut }
  const [next] = chosen(query.next, document, tree.root, nodes, budget)
  return { rows, next: next === undefined || unfinished.has(next) ? null : linkOf(next), isCut }
}

function linkOf(node: TreeNode): string | null {
  if (node.kind === 'string') return node.text || null
  return node.kind === 'word' && /^\d+$/.test(node.text) ? node.text : null
}

/** Maps objects and arrays to the nodes they were made from. */
type Nodes = Map<unknown, Extract<TreeNode, { values: TreeNode[] }>>

function rowOf(node: TreeNode, { cells }: QueryUrl, budget: WorkBudget): Row {
  if (cells.length > 0) {
    const inside: Nodes = new Map()
    const value = valueOfNode(node, inside)
    const values = cells.map(({ choice }) => cellOf(chosen(choice, value, node, inside, budget)))
    return { names: cells.map(({ name }) => name), cells: values }
  }
  if (node.kind !== 'object') return { names: ['value'], cells: [written(node)] }
  return { names: uniqueNames(node.names), cells: node.values.map(written) }
}

function cellOf(nodes: readonly TreeNode[]): Cell {
  if (nodes.length === 0) return nullCell
  return nodes.length === 1 ? written(nodes[0]!) : `[${nodes.map(written).join(',')}]`
}

function chosen(
  { selector }: QueryUrl['rows'],
  document: unknown,
  root: TreeNode,
  nodes: Nodes,
  budget: WorkBudget,
): TreeNode[] {
  if (selector.kind !== 'json') return [root]
  return selectByJsonPath(selector.path, document, budget).map(({ parent, key }) => {
    if (parent === null) return root
    const around = nodes.get(parent.value)!
    return around.values[typeof key === 'number' ? key : around.kind === 'object' ? around.names.lastIndexOf(key) : 0]!
  })
}

/** Recursive, but the reader of the tree limits its depth. */
function valueOfNode(node: TreeNode, nodes: Nodes): unknown {
  if (node.kind === 'string') return node.text
  if (node.kind === 'word') return wordOf(node.text)
  const values = node.values.map((each) => valueOfNode(each, nodes))
  if (node.kind === 'array') {
    nodes.set(values, node)
    return values
  }
  const record: Record<string, unknown> = Object.create(null)
  for (const [at, name] of node.names.entries()) record[name] = values[at]
  nodes.set(record, node)
  return record
}

function wordOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  const number = Number(text)
  return Number.isNaN(number) ? null : number
}

function written(node: TreeNode): Cell {
  switch (node.kind) {
    case 'string':
      return textCell(node.text)
    case 'word':
      // A value that is nested too deeply ends in … and isn't JSON.
      return node.text.endsWith('…') ? textCell(node.text) : node.text
    case 'array':
      return `[${node.values.map(written).join(',')}]`
    case 'object':
      return `{${node.values.map((value, at) => `${textCell(node.names[at]!)}:${written(value)}`).join(',')}}`
  }
}
