import { Exhausted, isSpent, type WorkBudget } from '../work/work-budget.ts'
import type { FilterExpression, FilterValue, JsonPath, JsonSegment, JsonSelector } from './json-path-syntax.ts'

/** A value in a JSON document, with its position. */
export type JsonNode = {
  readonly value: unknown
  readonly parent: JsonNode | null
  /** Key in its parent; '' for the document itself. */
  readonly key: string | number
}

/** Result of a query that finds nothing; different from all values. */
const nothing = Symbol('nothing')
type Comparable = unknown | typeof nothing

/** The values that a JSONPath (RFC 9535) chooses, each once. Every value visited counts: throws `Exhausted` when the budget is spent. */
export function selectByJsonPath(path: JsonPath, document: unknown, budget: WorkBudget): JsonNode[] {
  const root: JsonNode = { value: document, parent: null, key: '' }
  return unique(new Query(document, budget).run(path.segments, [root]))
}

class Query {
  private readonly document: unknown
  private readonly budget: WorkBudget

  constructor(document: unknown, budget: WorkBudget) {
    this.document = document
    this.budget = budget
  }

  private count(steps = 1): void {
    this.budget.left -= steps
    if (isSpent(this.budget)) throw new Exhausted('too many steps')
  }

  run(segments: readonly JsonSegment[], from: readonly JsonNode[]): JsonNode[] {
    let nodes = [...from]
    for (const { selectors, isDeep } of segments) {
      const found: JsonNode[] = []
      for (const start of nodes) {
        for (const node of isDeep ? this.withDescendants(start) : [start])
          for (const selector of selectors) this.select(node, selector, found)
      }
      nodes = found
    }
    return nodes
  }

  private *withDescendants(start: JsonNode): Generator<JsonNode> {
    const pending = [start]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      yield next
      const children = this.children(next)
      for (let at = children.length - 1; at >= 0; at--) pending.push(children[at]!)
    }
  }

  private children(parent: JsonNode): JsonNode[] {
    const { value } = parent
    if (Array.isArray(value)) {
      this.count(1 + value.length)
      return value.map((each, key) => ({ value: each, parent, key }))
    }
    this.count()
    if (typeof value !== 'object' || value === null) return []
    const entries = Object.entries(value)
    this.count(entries.length)
    return entries.map(([key, each]) => ({ value: each, parent, key }))
  }

  private select(node: JsonNode, selector: JsonSelector, found: JsonNode[]): void {
    this.count()
    const { value } = node
    if (selector.kind === 'all') for (const child of this.children(node)) found.push(child)
    else if (selector.kind === 'filter') {
      for (const child of this.children(node)) if (this.holds(selector.of, child.value)) found.push(child)
    } else if (selector.kind === 'name') {
      const isThere = isRecord(value) && Object.hasOwn(value, selector.name)
      if (isThere) found.push({ value: value[selector.name], parent: node, key: selector.name })
    } else if (Array.isArray(value)) {
      for (const key of selector.kind === 'index' ? indexIn(selector.index, value) : this.slice(selector, value))
        found.push({ value: value[key], parent: node, key })
    }
  }

  private *slice(
    { from, to, step }: Extract<JsonSelector, { kind: 'slice' }>,
    { length }: unknown[],
  ): Generator<number> {
    if (step === 0) return
    const within = (at: number, least: number, most: number) =>
      Math.min(Math.max(at < 0 ? at + length : at, least), most)
    if (step > 0) {
      const end = within(to ?? length, 0, length)
      for (let at = within(from ?? 0, 0, length); at < end; at += step) {
        this.count()
        yield at
      }
      return
    }
    const end = to === null ? -1 : within(to, -1, length - 1)
    for (let at = within(from ?? length - 1, -1, length - 1); at > end; at += step) {
      this.count()
      yield at
    }
  }

  private holds(expression: FilterExpression, current: unknown): boolean {
    this.count()
    switch (expression.kind) {
      case 'or':
        return expression.of.some((each) => this.holds(each, current))
      case 'and':
        return expression.of.every((each) => this.holds(each, current))
      case 'not':
        return !this.holds(expression.of, current)
      case 'exists':
        return this.query(expression.query, current).length > 0
      case 'matches':
        return this.matches(expression, current)
      case 'compare': {
        const [left, right] = [this.value(expression.left, current), this.value(expression.right, current)]
        return this.compared(expression.operator, left, right)
      }
    }
  }

  private query({ isRoot, segments }: { isRoot: boolean; segments: readonly JsonSegment[] }, current: unknown) {
    return this.run(segments, [{ value: isRoot ? this.document : current, parent: null, key: '' }])
  }

  private matches({ of, pattern }: Extract<FilterExpression, { kind: 'matches' }>, current: unknown): boolean {
    const text = this.value(of, current)
    return typeof text === 'string' && pattern.matches(text, this.budget)
  }

  private value(given: FilterValue, current: unknown): Comparable {
    this.count()
    switch (given.kind) {
      case 'literal':
        return given.value
      case 'query':
      case 'value': {
        const found = this.query(given.query, current)
        return found.length === 1 ? found[0]!.value : nothing
      }
      case 'count':
        return this.query(given.query, current).length
      case 'length': {
        const value = this.value(given.of, current)
        if (typeof value === 'string') return [...value].length
        if (Array.isArray(value)) return value.length
        return isRecord(value) ? Object.keys(value).length : nothing
      }
    }
  }

  private compared(operator: string, one: Comparable, other: Comparable): boolean {
    switch (operator) {
      case '==':
        return this.equals(one, other)
      case '!=':
        return !this.equals(one, other)
      case '<':
        return isLess(one, other)
      case '>':
        return isLess(other, one)
      case '<=':
        return isLess(one, other) || this.equals(one, other)
      default:
        return isLess(other, one) || this.equals(one, other)
    }
  }

  private equals(one: Comparable, other: Comparable): boolean {
    this.count()
    if (one === other) return true
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
    if (Array.isArray(one) !== Array.isArray(other)) return false
    const [entries, others] = [Object.entries(one), other as Record<string, unknown>]
    if (entries.length !== Object.keys(others).length) return false
    return entries.every(([key, value]) => Object.hasOwn(others, key) && this.equals(value, others[key]))
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function indexIn(index: number, { length }: unknown[]): number[] {
  const at = index < 0 ? index + length : index
  return at >= 0 && at < length ? [at] : []
}

function isLess(one: Comparable, other: Comparable): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one < other
  return typeof one === 'string' && typeof other === 'string' && one < other
}

function unique(nodes: readonly JsonNode[]): JsonNode[] {
  const places = new Map<unknown, Set<string | number>>()
  return nodes.filter(({ parent, key }) => {
    const keys = places.get(parent?.value) ?? new Set()
    places.set(parent?.value, keys)
    return !keys.has(key) && keys.add(key)
  })
}
