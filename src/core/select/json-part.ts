import { elementSteps, nameStep, readJsonTree } from '../text/blocks/json-blocks.ts'
import type { JsonNode as TreeNode } from '../text/blocks/json-tree.ts'
import { readSource } from '../text/text-source.ts'
import { Exhausted, type WorkBudget } from '../work/work-budget.ts'
import { type JsonNode, selectByJsonPath } from './json-path.ts'
import type { Selector } from './page-part.ts'

const maxJsonBytes = 10 * 1024 * 1024

type KeyTest = (key: string) => boolean

/** Tests by key which blocks of a JSON document the selectors choose. Throws `Exhausted` if that is too much work. */
export function chosenKeys(
  { body, contentType }: { readonly body: Uint8Array; readonly contentType: string | undefined },
  { select, omit }: { readonly select: readonly Selector[]; readonly omit: readonly Selector[] },
  budget: WorkBudget,
): { select: KeyTest; omit: KeyTest } {
  const none: KeyTest = () => false
  if (![...select, ...omit].some(({ kind }) => kind === 'json')) return { select: none, omit: none }
  if (body.length > maxJsonBytes) throw new Exhausted('too large')
  budget.left -= body.length
  const source = readSource(body, contentType)
  const tree = source === null ? null : readJsonTree(source.page, source.isCut)
  if (tree === null) return { select: none, omit: none }
  const steps: Steps = new Map()
  const document = valueOfTree(tree.root, steps)
  const testOf = (selectors: readonly Selector[]): KeyTest => {
    const chosen = new Set<string>()
    for (const selector of selectors)
      if (selector.kind === 'json')
        for (const node of selectByJsonPath(selector.path, document, budget)) chosen.add(keyOf(node, steps))
    // A value is chosen if it, or a value around it, is.
    return (key) => chosen.size > 0 && prefixesOf(key).some((prefix) => chosen.has(prefix))
  }
  return { select: testOf(select), omit: testOf(omit) }
}

/** How the elements of each array are named in keys. */
type Steps = Map<unknown, readonly string[]>

/** Recursive: the tree's reader limits its depth. */
function valueOfTree(node: TreeNode, steps: Steps): unknown {
  if (node.kind === 'string') return node.text
  if (node.kind === 'word') return wordOf(node.text)
  const values = node.values.map((each) => valueOfTree(each, steps))
  if (node.kind === 'array') {
    steps.set(values, elementSteps(node.values))
    return values
  }
  const record: Record<string, unknown> = Object.create(null)
  for (const [at, name] of node.names.entries()) record[name] = values[at]
  return record
}

function wordOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return text === 'null' || text === '…' ? null : Number(text)
}

/** The key of a node, as in the blocks of a JSON document. */
function keyOf(node: JsonNode, steps: Steps): string {
  let key = ''
  for (let at = node; at.parent !== null; at = at.parent) {
    const step = typeof at.key === 'number' ? steps.get(at.parent.value)?.[at.key] : nameStep(at.key)
    key = `${step ?? ''}${key}`
  }
  return `$${key}`
}

/** The key, and those of all enclosing values. */
function prefixesOf(key: string): string[] {
  const prefixes = ['$', key]
  let isQuoted = false
  for (let at = 1; at < key.length; at++) {
    if (key[at] === '"' && key[at - 1] !== '\\') isQuoted = !isQuoted
    if (!isQuoted && (key[at] === '.' || key[at] === '[')) prefixes.push(key.slice(0, at))
  }
  return prefixes
}
