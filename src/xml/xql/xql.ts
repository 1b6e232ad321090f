import { XqlError, type XqlToken, xqlTokens } from './xql-tokens.ts'

/**
 * XQL, the query language of the papers (W3C proposal of 1998), as XPath 1.0. A query may mix both: XPath stays as it is.
 *
 * Precedence, from loosest to tightest: `$or$`, `$and$`, `$not$`, `$union$`, `$intersect$`, comparisons (with `$any$` or `$all$` before
 * them), then XPath's own. As in XQL a comparison binds tighter than `$union$`, though XPath's `|` binds tighter than a comparison.
 * Subscripts count from 1, as in XPath.
 */
export type XqlTranslation = { kind: 'xpath'; xpath: string } | { kind: 'invalid'; message: string }

/** The XPath of an intersection repeats one operand, so nested ones grow exponentially. */
const MAX_CHARS = 10_000

/** Translates a query. A query without XQL is returned unchanged. */
export function translateXql(query: string): XqlTranslation {
  try {
    const tokens = xqlTokens(query)
    if (!hasXql(tokens)) return { kind: 'xpath', xpath: query }
    return { kind: 'xpath', xpath: parseXql(tokens, query.length) }
  } catch (error) {
    return { kind: 'invalid', message: messageOf(error) }
  }
}

/** Locates a syntax error, for an engine that only reports that there is one; null if none is found. */
export function xqlFault(query: string): string | null {
  try {
    parseXql(xqlTokens(query), query.length)
    return null
  } catch (error) {
    return messageOf(error)
  }
}

function messageOf(error: unknown): string {
  // The parser calls itself for each level.
  if (error instanceof RangeError) return 'the query is nested too deeply'
  if (!(error instanceof XqlError)) throw error
  return `character ${error.at + 1}: ${error.message}`
}

function hasXql(tokens: readonly XqlToken[]): boolean {
  return tokens.some(({ kind, text }, place) => {
    const isCall = kind === 'name' && functions.has(text) && tokens[place + 1]?.text === '('
    return kind === 'xql' || isCall || text === '!' || text === '&&' || text === '||'
  })
}

/** Part of a query as XPath. */
type Part = {
  text: string
  at: number
  /** `nodes` may be none, one or many; `any` is the result of a function or variable. */
  type: 'nodes' | 'truth' | 'text' | 'number' | 'any'
  /** A location path that can be appended to another one. */
  isRelative: boolean
  /** Steps from a result up to the start of the path; null if that varies. */
  steps: number | null
  /** Independent of the context: a value, or a path from the root. */
  isFixed: boolean
}

const comparisons = new Map([
  ['eq', '='],
  ['ne', '!='],
  ['lt', '<'],
  ['le', '<='],
  ['gt', '>'],
  ['ge', '>='],
])
const plainComparisons = new Set(comparisons.values())
const words = ['and', 'or', 'not', 'union', 'intersect', 'any', 'all', 'contains', 'icontains']
const known = [...comparisons.keys()].flatMap((name) => [name, `i${name}`]).concat(words)

/** Methods of a collection, such as `//keyword!count()`, and their translation. */
const methods = new Map<string, (nodes: Part) => Partial<Part>>([
  ['value', () => ({})],
  ['text', ({ text }) => ({ text: `${text}/text()`, steps: null })],
  ['count', ({ text }) => ({ text: `count(${text})`, type: 'number', isRelative: false })],
  ['nodeName', ({ text }) => ({ text: `name(${text})`, type: 'any', isRelative: false })],
])
/** Functions that XPath has under other names. */
const functions = new Map<string, string>([
  ['end', '(position() = last())'],
  ['index', '(position() - 1)'],
  ['value', 'string(.)'],
  ['nodeName', 'name()'],
])

function parseXql(tokens: readonly XqlToken[], length: number): string {
  let next = 0
  /** Nesting depth of filters. In a filter, paths start at the filtered node; outside, at the root element. */
  let filters = 0

  const peek = (): XqlToken | undefined => tokens[next]
  const here = (): number => peek()?.at ?? length
  const is = (...texts: readonly string[]): boolean => peek() !== undefined && texts.includes(peek()!.text)
  const isOperator = (...texts: readonly string[]): boolean =>
    (peek()?.kind === 'operator' || peek()?.kind === 'xql') && is(...texts)

  function take(): XqlToken {
    const token = peek()
    if (token === undefined) throw new XqlError(length, 'the query ends too early')
    next++
    return token
  }

  function expect(text: string): void {
    if (peek()?.kind === 'xql') throw unexpected(peek()!)
    if (!is(text)) throw new XqlError(here(), `expected ${text}, not ${peek()?.text ?? 'the end'}`)
    next++
  }

  function part(text: string, at: number, type: Part['type'], parts: Partial<Part> = {}): Part {
    if (text.length > MAX_CHARS) throw new XqlError(at, 'too complicated')
    return { text, at, type, isRelative: false, steps: null, isFixed: false, ...parts }
  }

  /** Parses left-associative operators of one precedence. */
  function chain(operand: () => Part, operators: readonly string[], join: (a: Part, b: Part, token: XqlToken) => Part) {
    let left = operand()
    while (isOperator(...operators)) {
      const token = take()
      left = join(left, operand(), token)
    }
    return left
  }

  const infix =
    (operator: string | null, type: Part['type']) =>
    (left: Part, right: Part, token: XqlToken): Part =>
      part(`${left.text} ${operator ?? token.text} ${right.text}`, left.at, type)

  const disjunction = (): Part => chain(conjunction, ['or', '$or$', '||'], infix('or', 'truth'))
  const conjunction = (): Part => chain(negation, ['and', '$and$', '&&'], infix('and', 'truth'))

  function negation(): Part {
    if (!isOperator('$not$')) return union()
    const { at } = take()
    return part(`not(${negation().text})`, at, 'truth')
  }

  const union = (): Part =>
    chain(intersection, ['$union$'], (left, right, { text }) => {
      for (const each of [left, right]) requireNodes(each, text)
      return part(`${left.text} | ${right.text}`, left.at, 'nodes', bothFixed(left, right))
    })

  const intersection = (): Part =>
    chain(comparison, ['$intersect$'], (left, right, { text }) => {
      for (const each of [left, right]) requireNodes(each, text)
      const [nodes, others] = seenFrom(left, right) === null ? [right, left] : [left, right]
      const seen = seenFrom(nodes, others)
      if (seen === null) throw new XqlError(right.at, `${text} needs a path from the root (//…) here`)
      return part(`(${nodes.text})[count(. | ${seen}) = count(${seen})]`, left.at, 'nodes', bothFixed(left, right))
    })

  const bothFixed = (left: Part, right: Part): Partial<Part> => ({ isFixed: left.isFixed && right.isFixed })

  function requireNodes({ type, at }: Part, operator: string): void {
    if (type === 'truth')
      throw new XqlError(at, `${operator} joins nodes, and comparisons bind tighter: use parentheses`)
    if (type === 'text' || type === 'number') throw new XqlError(at, `${operator} joins nodes`)
  }

  /** The second part as a path from each node of the first; null if that can't be expressed. */
  function seenFrom(nodes: Part, { text, isRelative, isFixed }: Part): string | null {
    if (isFixed) return text
    if (!isRelative) return null
    if (filters === 0) return `/*/${text}`
    return nodes.steps === null ? null : `${'../'.repeat(nodes.steps)}${text}`
  }

  function comparison(): Part {
    const quantifier = isOperator('$any$', '$all$') ? take() : null
    const left = additive()
    const operator = comparisonOf(peek())
    if (operator === null) {
      if (quantifier !== null) throw new XqlError(here(), `${quantifier.text} needs a comparison`)
      return left
    }
    const { text } = take()
    const right = additive()
    // Chained comparisons of plain XPath are left as they are.
    if (comparisonOf(peek()) !== null && hasXql(tokens))
      throw new XqlError(here(), 'several comparisons in a row: use parentheses')
    const first = compare({ left, right, operator, name: text, isAll: quantifier?.text === '$all$' })
    let all = first.text
    while (comparisonOf(peek()) !== null) all += ` ${take().text} ${additive().text}`
    return part(all, first.at, 'truth')
  }

  type Comparison = { left: Part; right: Part; operator: XqlComparison; name: string; isAll: boolean }

  function compare({ left, right, operator, name, isAll }: Comparison): Part {
    const isTurned = operator.turned !== null && (left.type === 'text' || left.type === 'number')
    const [nodes, value] = isTurned ? [right, left] : [left, right]
    const sign = isTurned ? operator.turned! : operator.sign
    if (operator.ignoresCase || sign === 'contains') {
      if (value.type !== 'text' && value.type !== 'number')
        throw new XqlError(value.at, `${name} compares with a text in quotes`)
    } else if (!isAll) return part(`${left.text} ${operator.sign} ${right.text}`, left.at, 'truth')
    const seen = seenFrom(nodes, value)
    if (seen === null) throw new XqlError(value.at, '$all$ compares with a value or a path from the root (//…)')
    const holds = (subject: string): string => condition(subject, sign, seen, operator.ignoresCase)
    if (isAll) return part(`not((${nodes.text})[not(${holds('.')})])`, left.at, 'truth')
    if (nodes.type !== 'nodes') return part(holds(nodes.text), left.at, 'truth')
    return part(`boolean((${nodes.text})[${holds('.')}])`, left.at, 'truth')
  }

  const additive = (): Part => chain(multiplicative, ['+', '-'], infix(null, 'number'))
  const multiplicative = (): Part => chain(unary, ['*', 'div', 'mod'], infix(null, 'number'))

  function unary(): Part {
    const at = here()
    let signs = ''
    while (isOperator('-')) signs += take().text
    const operand = chain(path, ['|'], infix('|', 'nodes'))
    return signs === '' ? operand : part(`${signs}${operand.text}`, at, 'number')
  }

  function path(): Part {
    const at = here()
    let found = isOperator('/', '//') ? fromRoot() : firstStep()
    while (isOperator('/', '//')) {
      const slash = take().text
      const step = locationStep()
      const steps = slash === '/' && found.steps !== null && step.steps !== null ? found.steps + step.steps : null
      const { isRelative, isFixed } = found
      found = part(found.text + slash + step.text, at, 'nodes', { isRelative, isFixed, steps })
    }
    while (is('!')) found = methodOf(found)
    return found
  }

  function fromRoot(): Part {
    const { text, at } = take()
    const isRootAlone = text === '/' && !isStepStart()
    return part(isRootAlone ? '/' : text + locationStep().text, at, 'nodes', { isFixed: true })
  }

  const isStepStart = (): boolean => peek()?.kind === 'name' || is('.', '..', '@')

  function methodOf(nodes: Part): Part {
    take()
    const { text: name, at } = take()
    const method = methods.get(name)
    if (method === undefined)
      throw new XqlError(at, `unknown method ${name}; there are ${[...methods.keys()].join(', ')}`)
    expect('(')
    expect(')')
    return part(nodes.text, nodes.at, 'nodes', { ...nodes, ...method(nodes) })
  }

  function firstStep(): Part {
    const { kind, text, at } = peek() ?? take()
    if (kind === 'name' || is('.', '..', '@')) {
      const isCall = kind === 'name' && tokens[next + 1]?.text === '(' && !nodeTests.has(text)
      if (!isCall) return locationStep()
      next += 2
      return filtered(call(text, at))
    }
    next++
    if (kind === 'literal' || kind === 'number')
      return part(text, at, kind === 'literal' ? 'text' : 'number', { isFixed: true })
    if (kind === 'variable') return filtered(part(text, at, 'any'))
    if (text !== '(') throw unexpected({ kind, text, at })
    const inner = disjunction()
    expect(')')
    return filtered(part(`(${inner.text})`, at, inner.type, { isFixed: inner.isFixed }))
  }

  function call(name: string, at: number): Part {
    const list: string[] = []
    while (!is(')')) {
      if (list.length > 0) expect(',')
      list.push(disjunction().text)
    }
    expect(')')
    const own = list.length === 0 ? functions.get(name) : undefined
    return part(own ?? `${name}(${list.join(', ')})`, at, 'any')
  }

  /** `name`, `@name`, `axis::name`, `.`, `..`, `text()`, each with its filters. */
  function locationStep(): Part {
    const at = here()
    let { text, kind } = take()
    let steps: number | null = 1
    if (text === '.' || text === '..') steps = text === '.' ? 0 : null
    else if (text === '@') text += nameTest()
    else if (kind !== 'name') throw new XqlError(at, `expected a name, not ${text}`)
    else if (is('::')) {
      steps = null
      text += take().text + nameTest()
    } else if (is('(')) text += nodeTest()
    return filtered(part(text, at, 'nodes', { isRelative: true, steps }))
  }

  function nameTest(): string {
    const { kind, text, at } = take()
    if (kind !== 'name') throw new XqlError(at, `expected a name, not ${text}`)
    return is('(') ? text + nodeTest() : text
  }

  function nodeTest(): string {
    expect('(')
    const inner = peek()?.kind === 'literal' ? take().text : ''
    expect(')')
    return `(${inner})`
  }

  function filtered(found: Part): Part {
    let text = found.text
    while (is('[')) {
      take()
      filters++
      text += `[${disjunction().text}]`
      filters--
      expect(']')
    }
    return text === found.text ? found : part(text, found.at, 'nodes', { ...found, text, type: 'nodes' })
  }

  const whole = disjunction()
  if (peek() !== undefined) throw unexpected(peek()!)
  return whole.text
}

function unexpected({ kind, text, at }: XqlToken): XqlError {
  if (kind !== 'xql' || known.includes(text.slice(1, -1))) return new XqlError(at, `unexpected ${text}`)
  return new XqlError(at, `unknown operator ${text}; there are ${known.map((each) => `$${each}$`).join(' ')}`)
}

const nodeTests = new Set(['text', 'node', 'comment', 'processing-instruction'])

/** `turned` is the operator for swapped operands; null if there is none. */
type XqlComparison = { sign: string; turned: string | null; ignoresCase: boolean }

const turnedSigns = new Map([
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
])

function comparisonOf(token: XqlToken | undefined): XqlComparison | null {
  if (token === undefined) return null
  const of = (sign: string, ignoresCase: boolean): XqlComparison => ({
    sign,
    turned: turnedSigns.get(sign) ?? sign,
    ignoresCase,
  })
  if (token.kind === 'operator' && plainComparisons.has(token.text)) return of(token.text, false)
  if (token.kind !== 'xql') return null
  const name = token.text.slice(1, -1)
  if (name === 'contains' || name === 'icontains')
    return { sign: 'contains', turned: null, ignoresCase: name === 'icontains' }
  const sign = comparisons.get(name)
  if (sign !== undefined) return of(sign, false)
  const base = name.startsWith('i') ? comparisons.get(name.slice(1)) : undefined
  return base === undefined ? null : of(base, true)
}

/** `value` is a literal if case is ignored. */
function condition(subject: string, sign: string, value: string, ignoresCase: boolean): string {
  const [left, right] = ignoresCase ? withoutCase(subject, value) : [subject, value]
  return sign === 'contains' ? `contains(${left}, ${right})` : `${left} ${sign} ${right}`
}

/** Only the letters of the value need lower-casing: a text with other letters differs anyway. */
function withoutCase(subject: string, value: string): [subject: string, value: string] {
  const small = value.toLowerCase()
  let from = ''
  let to = ''
  for (const letter of new Set(small)) {
    const large = letter.toUpperCase()
    if (large === letter || [...large].length !== 1) continue
    from += large
    to += letter
  }
  return [from === '' ? subject : `translate(${subject}, '${from}', '${to}')`, small]
}
