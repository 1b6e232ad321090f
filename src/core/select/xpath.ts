import type { PageElement, PageNode, PageRoot } from '../text/page-tree.ts'
import { Exhausted, isSpent, type WorkBudget } from '../work/work-budget.ts'
import type { NodeTest, XPath, XPathStep } from './xpath-syntax.ts'

/** Attributes are nodes, too. */
export type PageAttribute = {
  readonly kind: 'attribute'
  readonly name: string
  readonly value: string
  readonly parent: PageElement
  readonly place: number
}
export type XPathNode = PageNode | PageAttribute

type Value = string | number | boolean | readonly XPathNode[]
type Context = { readonly node: XPathNode; readonly position: number; readonly size: number }

const charactersPerStep = 16
const maxTextLength = 10_000_000
/** Elements that browsers add if they are omitted, with their parents: an XPath copied from a browser contains them. */
const impliedIn = new Map([
  ['tbody', 'table'],
  ['html', ''],
  ['head', 'html'],
  ['body', 'html'],
])

/**
 * The parts of a page that an XPath chooses, in page order. Every node visited and every operation counts: throws `Exhausted` when the
 * budget is spent. HTML names are compared in lower case.
 */
export function selectByXPath(expression: XPath, root: PageRoot, isXml: boolean, budget: WorkBudget): XPathNode[] {
  return createXPathReader(root, isXml, budget)(expression, root)
}

/** The same for paths that start at any node of the page. */
export function createXPathReader(root: PageRoot, isXml: boolean, budget: WorkBudget) {
  const evaluation = new Evaluation(root, isXml, budget)
  return (expression: XPath, from: XPathNode) => evaluation.nodes(expression, { node: from, position: 1, size: 1 })
}

class Evaluation {
  private readonly root: PageRoot
  private readonly isXml: boolean
  private readonly budget: WorkBudget
  private readonly attributes = new Map<PageElement, PageAttribute[]>()

  constructor(root: PageRoot, isXml: boolean, budget: WorkBudget) {
    this.root = root
    this.isXml = isXml
    this.budget = budget
  }

  private count(steps = 1): void {
    this.budget.left -= steps
    if (isSpent(this.budget)) throw new Exhausted('too many steps')
  }

  nodes(expression: XPath, context: Context): XPathNode[] {
    return [...(this.value(expression, context) as readonly XPathNode[])]
  }

  private value(expression: XPath, context: Context): Value {
    this.count()
    switch (expression.kind) {
      case 'text':
      case 'number':
        return expression.value
      case 'negative':
        return -this.number(this.value(expression.of, context))
      case 'path':
        return this.path(expression, context)
      case 'filter':
        return this.filtered(this.nodes(expression.of, context), expression.predicates)
      case 'binary':
        return this.binary(expression, context)
      case 'call':
        return this.call(expression, context)
    }
  }

  private path({ from, steps }: Extract<XPath, { kind: 'path' }>, context: Context): XPathNode[] {
    let nodes: XPathNode[] =
      from === 'root' ? [this.root] : from === 'here' ? [context.node] : this.nodes(from, context)
    for (const step of steps) {
      const found = new Set<XPathNode>()
      for (const node of nodes) for (const each of this.step(node, step)) found.add(each)
      nodes = this.ordered([...found])
    }
    return nodes
  }

  private step(node: XPathNode, { axis, test, predicates }: XPathStep): XPathNode[] {
    const isAttribute = axis === 'attribute'
    const all = this.along(node, axis)
    this.count(1 + all.length)
    const reached = test.kind === 'node' ? [...all] : all.filter((each) => this.passes(each, test, isAttribute))
    if (axis === 'child' && reached.length === 0 && this.isImplied(node, test)) reached.push(node)
    return this.filtered(reached, predicates)
  }

  /** In the order in which the axis counts positions. */
  private along(node: XPathNode, axis: XPathStep['axis']): XPathNode[] {
    const out: XPathNode[] = []
    switch (axis) {
      case 'self':
        return [node]
      case 'child':
        return childrenOf(node) as XPathNode[]
      case 'attribute':
        return this.attributesOf(node) as XPathNode[]
      case 'parent': {
        const parent = parentOf(node)
        return parent === null ? [] : [parent]
      }
      case 'descendant-or-self':
        out.push(node)
        this.descend(node, out)
        break
      case 'descendant':
        this.descend(node, out)
        break
      case 'ancestor-or-self':
        for (let at: XPathNode | null = node; at !== null; at = parentOf(at)) out.push(at)
        break
      case 'ancestor':
        for (let at: XPathNode | null = parentOf(node); at !== null; at = parentOf(at)) out.push(at)
        break
      case 'following-sibling':
        this.after(node, out, false)
        break
      case 'preceding-sibling':
        this.before(node, out, false)
        break
      case 'following':
        if (node.kind === 'attribute') this.descend(node.parent, out)
        for (let at: XPathNode | null = node; at !== null; at = parentOf(at)) this.after(at, out, true)
        break
      case 'preceding':
        for (let at: XPathNode | null = node; at !== null; at = parentOf(at)) this.before(at, out, true)
    }
    return out
  }

  /** Recursive: `page-tree` limits the depth. */
  private descend(node: XPathNode, out: XPathNode[]): void {
    const children = childrenOf(node)
    this.count(children.length)
    for (const child of children) {
      out.push(child)
      if (child.kind === 'element') this.descend(child, out)
    }
  }

  private descendBackwards(node: XPathNode, out: XPathNode[]): void {
    const children = childrenOf(node)
    this.count(children.length)
    for (let at = children.length - 1; at >= 0; at--) {
      this.descendBackwards(children[at]!, out)
      out.push(children[at]!)
    }
  }

  private after(node: XPathNode, out: XPathNode[], isDeep: boolean): void {
    if (node.kind === 'attribute' || node.kind === 'root') return
    const { children } = node.parent
    this.count(children.length - node.index)
    for (let at = node.index + 1; at < children.length; at++) {
      out.push(children[at]!)
      if (isDeep) this.descend(children[at]!, out)
    }
  }

  /** Nearest first. */
  private before(node: XPathNode, out: XPathNode[], isDeep: boolean): void {
    if (node.kind === 'attribute' || node.kind === 'root') return
    this.count(node.index)
    for (let at = node.index - 1; at >= 0; at--) {
      const sibling = node.parent.children[at]!
      if (isDeep) this.descendBackwards(sibling, out)
      out.push(sibling)
    }
  }

  private attributesOf(node: XPathNode): readonly PageAttribute[] {
    if (node.kind !== 'element') return []
    const known = this.attributes.get(node)
    if (known !== undefined) return known
    const entries = Object.entries(node.attributes)
    this.count(entries.length)
    const made = entries.map(
      ([name, value], place): PageAttribute => ({
        kind: 'attribute',
        name,
        value,
        parent: node,
        place,
      }),
    )
    this.attributes.set(node, made)
    return made
  }

  private passes(node: XPathNode, test: NodeTest, isAttribute: boolean): boolean {
    if (test.kind === 'node') return true
    if (test.kind === 'text') return node.kind === 'text'
    if (test.kind === 'none') return false
    if (node.kind !== (isAttribute ? 'attribute' : 'element')) return false
    if (test.kind === 'any') return node.name.startsWith(test.prefix)
    return node.name === (this.isXml ? test.name : test.name.toLowerCase())
  }

  private isImplied(node: XPathNode, test: NodeTest): boolean {
    if (this.isXml || test.kind !== 'name') return false
    const parent = impliedIn.get(test.name.toLowerCase())
    if (parent === undefined || node.kind === 'text' || node.kind === 'attribute') return false
    // If `html` is missing, so is a `body` inside it.
    return node.kind === 'root' ? parent === '' || parent === 'html' : node.name === parent
  }

  private filtered(nodes: XPathNode[], predicates: readonly XPath[]): XPathNode[] {
    let left = nodes
    for (const predicate of predicates) {
      const size = left.length
      left = left.filter((node, at) => {
        const value = this.value(predicate, { node, position: at + 1, size })
        return typeof value === 'number' ? value === at + 1 : this.truth(value)
      })
    }
    return left
  }

  private binary({ operator, left, right }: Extract<XPath, { kind: 'binary' }>, context: Context): Value {
    const one = this.value(left, context)
    if (operator === 'or') return this.truth(one) || this.truth(this.value(right, context))
    if (operator === 'and') return this.truth(one) && this.truth(this.value(right, context))
    const other = this.value(right, context)
    switch (operator) {
      case '|':
        return this.ordered([...new Set([...(one as XPathNode[]), ...(other as XPathNode[])])])
      case '+':
        return this.number(one) + this.number(other)
      case '-':
        return this.number(one) - this.number(other)
      case '*':
        return this.number(one) * this.number(other)
      case 'div':
        return this.number(one) / this.number(other)
      case 'mod':
        return this.number(one) % this.number(other)
      default:
        return this.compared(operator, one, other)
    }
  }

  /** A node-set is compared node by node: one that holds is enough. */
  private compared(operator: '=' | '!=' | '<' | '<=' | '>' | '>=', one: Value, other: Value): boolean {
    if (typeof one === 'object' && typeof other === 'boolean') return this.compared(operator, this.truth(one), other)
    if (typeof other === 'object' && typeof one === 'boolean') return this.compared(operator, one, this.truth(other))
    if (typeof one === 'object') return one.some((node) => this.compared(operator, this.textOf(node), other))
    if (typeof other === 'object') return other.some((node) => this.compared(operator, one, this.textOf(node)))
    this.count()
    if (operator === '=' || operator === '!=') return this.equals(one, other) === (operator === '=')
    const [a, b] = [this.number(one), this.number(other)]
    return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b
  }

  private equals(one: string | number | boolean, other: string | number | boolean): boolean {
    if (typeof one === 'boolean' || typeof other === 'boolean') return this.truth(one) === this.truth(other)
    if (typeof one === 'number' || typeof other === 'number') return this.number(one) === this.number(other)
    return one === other
  }

  private call({ name, given }: Extract<XPath, { kind: 'call' }>, context: Context): Value {
    const [first] = given
    const values = given.map((each) => this.value(each, context))
    const text = (at: number): string => this.text(values[at]!)
    /** The text of the first argument or, by default, of the node itself. */
    const own = (): string => (first === undefined ? this.textOf(context.node) : text(0))
    switch (name) {
      case 'last':
        return context.size
      case 'position':
        return context.position
      case 'count':
        return (values[0] as XPathNode[]).length
      case 'id':
        return this.byIds(values[0]!)
      case 'name':
        return nameOf(first === undefined ? context.node : (values[0] as XPathNode[])[0])
      case 'local-name':
        return nameOf(first === undefined ? context.node : (values[0] as XPathNode[])[0]).replace(/^.*:/, '')
      case 'string':
        return own()
      case 'concat':
        return this.bounded(values.map((value) => this.text(value)).join(''))
      case 'starts-with':
        return text(0).startsWith(text(1))
      case 'contains':
        return text(0).includes(text(1))
      case 'substring-before': {
        const at = text(0).indexOf(text(1))
        return at === -1 ? '' : text(0).slice(0, at)
      }
      case 'substring-after': {
        const at = text(0).indexOf(text(1))
        return at === -1 ? '' : text(0).slice(at + text(1).length)
      }
      case 'substring':
        return substring(text(0), this.number(values[1]!), values[2] === undefined ? undefined : this.number(values[2]))
      case 'string-length':
        return [...this.bounded(own())].length
      case 'normalize-space':
        return this.bounded(own())
          .replace(/[ \t\r\n]+/g, ' ')
          .replace(/^ | $/g, '')
      case 'translate':
        return translate(this.bounded(text(0)), text(1), text(2))
      case 'boolean':
        return this.truth(values[0]!)
      case 'not':
        return !this.truth(values[0]!)
      case 'true':
        return true
      case 'false':
        return false
      case 'number':
        return first === undefined ? this.number([context.node]) : this.number(values[0]!)
      case 'sum':
        return (values[0] as XPathNode[]).reduce((sum, node) => sum + this.number(this.textOf(node)), 0)
      case 'floor':
        return Math.floor(this.number(values[0]!))
      case 'ceiling':
        return Math.ceil(this.number(values[0]!))
      case 'round':
        return Math.round(this.number(values[0]!))
    }
  }

  private byIds(value: Value): XPathNode[] {
    const texts = typeof value === 'object' ? value.map((node) => this.textOf(node)) : [this.text(value)]
    const ids = new Set(texts.flatMap((text) => text.split(/[ \t\r\n]+/)).filter((id) => id !== ''))
    const found: XPathNode[] = []
    for (const node of this.along(this.root, 'descendant')) {
      if (node.kind !== 'element' || !Object.hasOwn(node.attributes, 'id')) continue
      // Of several elements with one id, the first counts.
      if (ids.delete(node.attributes.id!)) found.push(node)
    }
    return found
  }

  private bounded(text: string): string {
    if (text.length > maxTextLength) throw new Exhausted('too long a text')
    this.count(text.length / charactersPerStep)
    return text
  }

  private truth(value: Value): boolean {
    return typeof value === 'object' ? value.length > 0 : Boolean(value)
  }

  private number(value: Value): number {
    if (typeof value === 'number' || typeof value === 'boolean') return Number(value)
    const text = this.text(value)
    return /^[ \t\r\n]*-?(?:\d+(?:\.\d*)?|\.\d+)[ \t\r\n]*$/.test(text) ? Number(text) : Number.NaN
  }

  private text(value: Value): string {
    if (typeof value === 'object') return value.length === 0 ? '' : this.textOf(value[0]!)
    return String(value)
  }

  private textOf(node: XPathNode): string {
    if (node.kind === 'attribute') return this.bounded(node.value)
    if (node.kind === 'text') return this.bounded(node.text)
    const parts: string[] = []
    for (const each of this.along(node, 'descendant')) if (each.kind === 'text') parts.push(this.bounded(each.text))
    return this.bounded(parts.join(''))
  }

  private ordered(nodes: XPathNode[]): XPathNode[] {
    let isOrdered = true
    for (let at = 1; at < nodes.length && isOrdered; at++) isOrdered = compareOrder(nodes[at - 1]!, nodes[at]!) <= 0
    if (isOrdered) return nodes
    this.count(nodes.length)
    return nodes.sort(compareOrder)
  }
}

function startOf(node: XPathNode): number {
  if (node.kind === 'root') return -1
  return node.kind === 'attribute' ? node.parent.start : node.start
}

function compareOrder(one: XPathNode, other: XPathNode): number {
  const apart = startOf(one) - startOf(other)
  if (apart !== 0) return apart
  const place = (node: XPathNode): number => (node.kind === 'attribute' ? node.place : -1)
  return place(one) - place(other)
}

function childrenOf(node: XPathNode): readonly PageNode[] {
  return node.kind === 'element' || node.kind === 'root' ? node.children : []
}

function parentOf(node: XPathNode): PageElement | PageRoot | null {
  return node.kind === 'root' ? null : node.parent
}

function nameOf(node: XPathNode | undefined): string {
  return node === undefined || node.kind === 'root' || node.kind === 'text' ? '' : node.name
}

/** Positions start at 1, are rounded, and may be NaN. */
function substring(text: string, from: number, length: number | undefined): string {
  const first = Math.round(from)
  const end = length === undefined ? Number.POSITIVE_INFINITY : first + Math.round(length)
  return [...text].filter((_, at) => at + 1 >= first && at + 1 < end).join('')
}

function translate(text: string, from: string, to: string): string {
  const into = new Map<string, string>()
  const targets = [...to]
  for (const [at, character] of [...from].entries()) {
    if (!into.has(character)) into.set(character, targets[at] ?? '')
  }
  return [...text].map((character) => into.get(character) ?? character).join('')
}
