import { createPattern, type Pattern } from '../pattern/pattern.ts'

/** JSONPath as in RFC 9535. */
export type JsonPath = { readonly segments: readonly JsonSegment[] }
export type JsonSegment = { readonly selectors: readonly JsonSelector[]; readonly isDeep: boolean }
export type JsonSelector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from: number | null; readonly to: number | null; readonly step: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly of: FilterExpression }

export type FilterExpression =
  | { readonly kind: 'or' | 'and'; readonly of: readonly FilterExpression[] }
  | { readonly kind: 'not'; readonly of: FilterExpression }
  | { readonly kind: 'exists'; readonly query: FilterQuery }
  | { readonly kind: 'matches'; readonly of: FilterValue; readonly pattern: Pattern }
  | { readonly kind: 'compare'; readonly operator: string; readonly left: FilterValue; readonly right: FilterValue }
export type FilterQuery = { readonly isRoot: boolean; readonly segments: readonly JsonSegment[] }
export type FilterValue =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** `value`: of the one value that the query finds. */
  | { readonly kind: 'query' | 'value' | 'count'; readonly query: FilterQuery }
  | { readonly kind: 'length'; readonly of: FilterValue }

/** Thrown for an invalid JSONPath; the message says why. */
export class JsonPathError extends Error {}

const maxDepth = 30
const name = /[\p{L}_\u{80}-\u{10ffff}][\p{L}\p{N}_\u{80}-\u{10ffff}-]*/uy
const whole = /-?(?:0|[1-9]\d{0,15})/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const quoted = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y
const comparison = /==|!=|<=|>=|<|>/y
const word = /[a-z]+/y
const space = /[ \t\r\n]*/y

/** In single quotes, `'` is escaped instead of `"`. */
const inDoubleQuotes = (sign: string): string => (sign === "\\'" ? "'" : sign === '"' ? '\\"' : sign)

export function readJsonPath(source: string): JsonPath {
  const reader = new Reader(source)
  reader.expect('$')
  const segments = reader.segments()
  reader.expectEnd()
  return { segments }
}

class Reader {
  private readonly source: string
  private at = 0
  private depth = 0

  constructor(source: string) {
    this.source = source
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)?.[0] ?? null
    if (found !== null) this.at += found.length
    return found
  }

  private take(sign: string): boolean {
    this.match(space)
    if (!this.source.startsWith(sign, this.at)) return false
    this.at += sign.length
    return true
  }

  expect(sign: string): void {
    if (!this.take(sign)) throw this.unexpected()
  }

  expectEnd(): void {
    this.match(space)
    if (this.at < this.source.length) throw this.unexpected()
  }

  private unexpected(): JsonPathError {
    const rest = this.source.slice(this.at)
    return new JsonPathError(rest === '' ? 'it ends too early' : `unexpected ${JSON.stringify([...rest][0])}`)
  }

  segments(): JsonSegment[] {
    const segments: JsonSegment[] = []
    for (;;) {
      if (this.take('..'))
        segments.push({ selectors: this.take('[') ? this.selectors() : [this.shorthand()], isDeep: true })
      else if (this.take('.')) segments.push({ selectors: [this.shorthand()], isDeep: false })
      else if (this.take('[')) segments.push({ selectors: this.selectors(), isDeep: false })
      else return segments
    }
  }

  private shorthand(): JsonSelector {
    if (this.take('*')) return { kind: 'all' }
    const found = this.match(name)
    if (found === null) throw this.unexpected()
    return { kind: 'name', name: found }
  }

  private selectors(): JsonSelector[] {
    const selectors = [this.selector()]
    while (this.take(',')) selectors.push(this.selector())
    this.expect(']')
    return selectors
  }

  private selector(): JsonSelector {
    if (this.take('*')) return { kind: 'all' }
    if (this.take('?')) return { kind: 'filter', of: this.expression() }
    this.match(space)
    const text = this.text()
    if (text !== null) return { kind: 'name', name: text }
    const from = this.match(whole)
    if (!this.take(':')) {
      if (from === null) throw this.unexpected()
      return { kind: 'index', index: Number(from) }
    }
    this.match(space)
    const to = this.match(whole)
    const isStepped = this.take(':')
    this.match(space)
    const step = isStepped ? this.match(whole) : null
    const value = (given: string | null) => (given === null ? null : Number(given))
    return { kind: 'slice', from: value(from), to: value(to), step: value(step) ?? 1 }
  }

  private text(): string | null {
    const found = this.match(quoted)
    if (found === null) return null
    try {
      return JSON.parse(found[0] === '"' ? found : `"${found.slice(1, -1).replace(/\\.|"/gs, inDoubleQuotes)}"`)
    } catch {
      throw new JsonPathError(`${found} is no string`)
    }
  }

  private expression(): FilterExpression {
    if (++this.depth > maxDepth) throw new JsonPathError('it is nested too deeply')
    const either = [this.conjunction()]
    while (this.take('||')) either.push(this.conjunction())
    this.depth--
    return either.length === 1 ? either[0]! : { kind: 'or', of: either }
  }

  private conjunction(): FilterExpression {
    const all = [this.term()]
    while (this.take('&&')) all.push(this.term())
    return all.length === 1 ? all[0]! : { kind: 'and', of: all }
  }

  private term(): FilterExpression {
    if (this.take('!')) {
      if (++this.depth > maxDepth) throw new JsonPathError('it is nested too deeply')
      const of = this.term()
      this.depth--
      return { kind: 'not', of }
    }
    if (this.take('(')) {
      const inside = this.expression()
      this.expect(')')
      return inside
    }
    const pattern = this.patternCall()
    if (pattern !== null) return pattern
    const left = this.value()
    this.match(space)
    const operator = this.match(comparison)
    if (operator !== null) return { kind: 'compare', operator, left: single(left), right: single(this.value()) }
    if (left.kind !== 'query') throw new JsonPathError('a value alone is no condition')
    return { kind: 'exists', query: left.query }
  }

  /** `match` is for the whole text, `search` for any part of it. */
  private patternCall(): FilterExpression | null {
    this.match(space)
    const start = this.at
    const called = this.match(word)
    if ((called !== 'match' && called !== 'search') || !this.take('(')) {
      this.at = start
      return null
    }
    const of = single(this.value())
    this.expect(',')
    this.match(space)
    const source = this.text()
    if (source === null) throw new JsonPathError(`${called}() needs an expression in quotes`)
    this.expect(')')
    return { kind: 'matches', of, pattern: createPattern(called === 'match' ? `^(?:${source})$` : source) }
  }

  private value(): FilterValue {
    this.match(space)
    for (const [sign, isRoot] of [
      ['@', false],
      ['$', true],
    ] as const) {
      if (this.take(sign)) return { kind: 'query', query: { isRoot, segments: this.segments() } }
    }
    const text = this.text()
    if (text !== null) return { kind: 'literal', value: text }
    const digits = this.match(number)
    if (digits !== null) return { kind: 'literal', value: Number(digits) }
    const called = this.match(word)
    if (called === 'true' || called === 'false') return { kind: 'literal', value: called === 'true' }
    if (called === 'null') return { kind: 'literal', value: null }
    if (called !== 'length' && called !== 'count' && called !== 'value') throw this.unexpected()
    this.expect('(')
    if (++this.depth > maxDepth) throw new JsonPathError('it is nested too deeply')
    const of = this.value()
    this.depth--
    this.expect(')')
    if (called === 'length') return { kind: 'length', of: single(of) }
    if (of.kind !== 'query') throw new JsonPathError(`${called}() needs a path`)
    return { kind: called, query: of.query }
  }
}

/** A path to several values has no value to compare (RFC 9535, 2.3.5.1): a comparison would never hold, without a word. */
function single(value: FilterValue): FilterValue {
  if (value.kind !== 'query') return value
  const isSingle = value.query.segments.every(
    ({ selectors, isDeep }) =>
      !isDeep && selectors.length === 1 && (selectors[0]!.kind === 'name' || selectors[0]!.kind === 'index'),
  )
  if (!isSingle) throw new JsonPathError('a path to several values can’t be compared; use [?…] within it')
  return value
}
