/** XPath 1.0 without variables and namespaces: prefixes are part of names. */
export type XPath =
  | { readonly kind: 'path'; readonly from: XPath | 'root' | 'here'; readonly steps: readonly XPathStep[] }
  | { readonly kind: 'filter'; readonly of: XPath; readonly predicates: readonly XPath[] }
  | { readonly kind: 'binary'; readonly operator: XPathOperator; readonly left: XPath; readonly right: XPath }
  | { readonly kind: 'negative'; readonly of: XPath }
  | { readonly kind: 'call'; readonly name: XPathFunction; readonly given: readonly XPath[] }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }

export type XPathStep = { readonly axis: Axis; readonly test: NodeTest; readonly predicates: readonly XPath[] }

export type NodeTest =
  | { readonly kind: 'name'; readonly name: string }
  /** Any name; with a prefix, those that have it. */
  | { readonly kind: 'any'; readonly prefix: string }
  | { readonly kind: 'text' }
  | { readonly kind: 'node' }
  | { readonly kind: 'none' }

const axes = [
  ...['ancestor', 'ancestor-or-self', 'attribute', 'child', 'descendant', 'descendant-or-self', 'following'],
  ...['following-sibling', 'parent', 'preceding', 'preceding-sibling', 'self'],
] as const
export type Axis = (typeof axes)[number]

/** Operators by precedence, the lowest first. */
const levels = [['or'], ['and'], ['=', '!='], ['<', '<=', '>', '>='], ['+', '-'], ['*', 'div', 'mod']] as const
export type XPathOperator = (typeof levels)[number][number] | '|'

/** Minimum and maximum number of arguments. */
const functions = {
  last: [0, 0],
  position: [0, 0],
  count: [1, 1],
  id: [1, 1],
  name: [0, 1],
  'local-name': [0, 1],
  string: [0, 1],
  concat: [2, 100],
  'starts-with': [2, 2],
  contains: [2, 2],
  'substring-before': [2, 2],
  'substring-after': [2, 2],
  substring: [2, 3],
  'string-length': [0, 1],
  'normalize-space': [0, 1],
  translate: [3, 3],
  boolean: [1, 1],
  not: [1, 1],
  true: [0, 0],
  false: [0, 0],
  number: [0, 1],
  sum: [1, 1],
  floor: [1, 1],
  ceiling: [1, 1],
  round: [1, 1],
} as const satisfies Record<string, readonly [number, number]>
export type XPathFunction = keyof typeof functions

const maxDepth = 60
const tokenPattern =
  /\s*(?:(\d+(?:\.\d*)?|\.\d+)|("[^"]*"|'[^']*')|([\p{L}_][\p{L}\p{N}\p{M}_.\u00b7-]*)|(\/\/|::|\.\.|!=|<=|>=|[/()[\]@,|+\-=<>*.:$]))/uy

type Token = { readonly kind: 'number' | 'text' | 'name' | 'sign' | 'end'; readonly text: string; readonly at: number }

/** Thrown for an invalid XPath; the message says why. */
export class XPathError extends Error {}

export function readXPath(source: string): XPath {
  const tokens = tokensOf(source)
  const reader = new Reader(tokens)
  const read = reader.expression(0)
  reader.expectEnd()
  if (!isNodeSet(read)) throw new XPathError('it gives a value, not a part of the page')
  return read
}

export function isNodeSet(expression: XPath): boolean {
  if (expression.kind === 'path') return true
  if (expression.kind === 'filter') return isNodeSet(expression.of)
  if (expression.kind === 'binary') return expression.operator === '|'
  return expression.kind === 'call' && expression.name === 'id'
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    tokenPattern.lastIndex = at
    const match = tokenPattern.exec(source)
    if (match === null) break
    at = tokenPattern.lastIndex
    const [, number, text, name, sign] = match
    if (number !== undefined) tokens.push({ kind: 'number', text: number, at })
    else if (text !== undefined) tokens.push({ kind: 'text', text: text.slice(1, -1), at })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, at })
    else tokens.push({ kind: 'sign', text: sign!, at })
  }
  if (source.slice(at).trim() !== '') throw new XPathError(`unexpected ${JSON.stringify(source.slice(at).trim()[0])}`)
  return [...tokens, { kind: 'end', text: '', at }]
}

class Reader {
  private readonly tokens: readonly Token[]
  private at = 0
  private depth = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  private get next(): Token {
    return this.tokens[this.at]!
  }

  private is(sign: string): boolean {
    return this.next.kind === 'sign' && this.next.text === sign
  }

  private take(sign: string): boolean {
    if (!this.is(sign)) return false
    this.at++
    return true
  }

  private expect(sign: string): void {
    if (!this.take(sign)) throw this.unexpected(`${sign} is missing`)
  }

  expectEnd(): void {
    if (this.next.kind !== 'end') throw this.unexpected('')
  }

  private unexpected(missing: string): XPathError {
    const { kind, text } = this.next
    const found = kind === 'end' ? 'it ends too early' : `unexpected ${JSON.stringify(text)}`
    return new XPathError(missing === '' ? found : `${missing}: ${found}`)
  }

  expression(level: number): XPath {
    if (level === levels.length) return this.unary()
    if (level === 0 && ++this.depth > maxDepth) throw new XPathError('it is nested too deeply')
    let left = this.expression(level + 1)
    for (;;) {
      const { kind, text } = this.next
      const operator = kind === 'sign' || kind === 'name' ? levels[level]!.find((each) => each === text) : undefined
      if (operator === undefined) break
      this.at++
      left = { kind: 'binary', operator, left, right: this.expression(level + 1) }
    }
    if (level === 0) this.depth--
    return left
  }

  private unary(): XPath {
    let isNegative = false
    let isNumber = false
    while (this.take('-')) {
      isNegative = !isNegative
      isNumber = true
    }
    const of = this.union()
    if (!isNumber) return of
    const negative: XPath = { kind: 'negative', of }
    return isNegative ? negative : { kind: 'negative', of: negative }
  }

  private union(): XPath {
    let left = this.path()
    while (this.take('|')) {
      const right = this.path()
      if (!isNodeSet(left) || !isNodeSet(right)) throw new XPathError('| joins parts of a page, not values')
      left = { kind: 'binary', operator: '|', left, right }
    }
    return left
  }

  private path(): XPath {
    if (this.is('/')) {
      this.at++
      return { kind: 'path', from: 'root', steps: this.startsStep() ? this.steps([]) : [] }
    }
    if (this.take('//')) return { kind: 'path', from: 'root', steps: this.steps([anywhere]) }
    const primary = this.primary()
    if (primary === null) return { kind: 'path', from: 'here', steps: this.steps([]) }
    const predicates = this.predicates()
    const of: XPath = predicates.length === 0 ? primary : { kind: 'filter', of: primary, predicates }
    if (predicates.length > 0 && !isNodeSet(primary)) throw new XPathError('a value has no [condition]')
    if (!this.is('/') && !this.is('//')) return of
    if (!isNodeSet(of)) throw new XPathError('a value has no parts')
    const first = this.take('//') ? [anywhere] : []
    if (first.length === 0) this.expect('/')
    return { kind: 'path', from: of, steps: this.steps(first) }
  }

  private primary(): XPath | null {
    const { kind, text } = this.next
    if (kind === 'number' || kind === 'text') {
      this.at++
      return kind === 'text' ? { kind, value: text } : { kind, value: Number(text) }
    }
    if (this.take('(')) {
      const inside = this.expression(0)
      this.expect(')')
      return inside
    }
    if (this.is('$')) throw new XPathError("variables aren't supported")
    const isCall =
      kind === 'name' && this.tokens[this.at + 1]?.text === '(' && this.tokens[this.at + 1]!.kind === 'sign'
    return isCall && !nodeTypes.has(text) ? this.call(text) : null
  }

  private call(name: string): XPath {
    const known = (Object.keys(functions) as XPathFunction[]).find((each) => each === name)
    if (known === undefined) throw new XPathError(`unknown function ${name}()`)
    this.at += 2
    const given: XPath[] = []
    while (!this.is(')')) {
      if (given.length > 0) this.expect(',')
      given.push(this.expression(0))
    }
    this.at++
    const [from, to] = functions[known]
    if (given.length < from || given.length > to) throw new XPathError(`${name}() has ${given.length} arguments`)
    if (['count', 'sum', 'name', 'local-name'].includes(known) && given.some((each) => !isNodeSet(each)))
      throw new XPathError(`${name}() needs a part of the page`)
    return { kind: 'call', name: known, given }
  }

  private startsStep(): boolean {
    const { kind, text } = this.next
    return kind === 'name' || (kind === 'sign' && ['.', '..', '@', '*'].includes(text))
  }

  private steps(before: readonly XPathStep[]): XPathStep[] {
    const steps = [...before, this.step()]
    for (;;) {
      if (this.take('//')) steps.push(anywhere, this.step())
      else if (this.take('/')) steps.push(this.step())
      else return steps
    }
  }

  private step(): XPathStep {
    if (this.take('..')) return { axis: 'parent', test: { kind: 'node' }, predicates: [] }
    if (this.take('.')) return { axis: 'self', test: { kind: 'node' }, predicates: [] }
    const axis = this.axis()
    return { axis, test: this.nodeTest(), predicates: this.predicates() }
  }

  private axis(): Axis {
    if (this.take('@')) return 'attribute'
    const { kind, text } = this.next
    if (kind !== 'name' || this.tokens[this.at + 1]?.text !== '::') return 'child'
    const axis = axes.find((each) => each === text) as Axis | undefined
    if (axis === undefined) throw new XPathError(`unknown axis ${text}::`)
    this.at += 2
    return axis
  }

  private nodeTest(): NodeTest {
    if (this.take('*')) return { kind: 'any', prefix: '' }
    const { kind, text } = this.next
    if (kind !== 'name') throw this.unexpected('')
    this.at++
    const type = this.is('(') ? nodeTypes.get(text) : undefined
    if (type !== undefined) {
      this.at++
      if (text === 'processing-instruction' && this.next.kind === 'text') this.at++
      this.expect(')')
      return { kind: type }
    }
    if (!this.take(':')) return { kind: 'name', name: text }
    if (this.take('*')) return { kind: 'any', prefix: `${text}:` }
    const local = this.next
    if (local.kind !== 'name') throw this.unexpected('')
    this.at++
    return { kind: 'name', name: `${text}:${local.text}` }
  }

  private predicates(): XPath[] {
    const predicates: XPath[] = []
    while (this.take('[')) {
      predicates.push(this.expression(0))
      this.expect(']')
    }
    return predicates
  }
}

/** Pages are parsed without comments and processing instructions. */
const nodeTypes = new Map<string, 'text' | 'node' | 'none'>([
  ['text', 'text'],
  ['node', 'node'],
  ['comment', 'none'],
  ['processing-instruction', 'none'],
])

/** The step that `//` abbreviates. */
const anywhere: XPathStep = { axis: 'descendant-or-self', test: { kind: 'node' }, predicates: [] }
