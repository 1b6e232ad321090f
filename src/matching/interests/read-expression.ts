import type { ValidationError } from '../../config/validation-errors.ts'
import { siteHost } from '../../core/search-query/parse-query.ts'
import { hashText } from '../terms/term-hash.ts'
import type { Condition, Leaf, PatternLeaf } from './condition.ts'
import { type ExpressionToken, expressionTokens } from './expression-tokens.ts'
import { interestLimits } from './interest-limits.ts'
import { readWords } from './read-words.ts'
import { readTextPattern } from './text-pattern.ts'

/** `at` is the index in the text; null if the error concerns the whole value. */
export type InterestError = ValidationError & { readonly at: number | null }

export type ErrorList = {
  readonly errors: InterestError[]
  add(place: string, message: string, at?: number): void
}

/** Keeps the first hundred errors, as there may be ten thousand invalid keywords. */
export function createErrorList(): ErrorList {
  const errors: InterestError[] = []
  return {
    errors,
    add(place, message, at) {
      if (errors.length < interestLimits.errors) errors.push({ place, message, at: at ?? null })
    },
  }
}

const PLACE = 'expression'
type TextToken = Extract<ExpressionToken, { kind: 'text' }>
type PatternToken = Extract<ExpressionToken, { kind: 'pattern' }>

/**
 * Reads a condition: words (all of them), AND, OR (weaker than AND), NOT or a minus, parentheses, "phrases", prefix*,
 * intitle:, site: and /regular expressions/ (with `i` for either case). Unlike a search, which is lenient, a profile is
 * read strictly: it is stored, and a misreading would go unnoticed. Null if there is no condition or it is invalid; all
 * errors are reported.
 */
export function readExpression(source: string, stemming: string, list: ErrorList): Condition | null {
  if (source.length > interestLimits.expressionLength) {
    list.add(PLACE, `has ${source.length} characters; at most ${interestLimits.expressionLength} are read`)
    return null
  }
  const tokens = expressionTokens(source)
  if (tokens.length === 0) return null
  const before = list.errors.length
  const condition = createReader(tokens, stemming, list).readAll()
  return list.errors.length > before ? null : condition
}

function createReader(tokens: readonly ExpressionToken[], stemming: string, list: ErrorList) {
  let next = 0
  let terms = 0
  let patterns = 0
  let depth = 0
  let isTooDeep = false

  function readAll(): Condition | null {
    const parts: Condition[] = []
    for (;;) {
      const part = readOr()
      if (part !== null) parts.push(part)
      const stray = tokens[next]
      if (stray === undefined) break
      list.add(PLACE, 'the parenthesis closes nothing', stray.at)
      next++
    }
    if (terms > interestLimits.expressionTerms)
      list.add(PLACE, `has ${terms} terms; at most ${interestLimits.expressionTerms} are allowed`)
    if (patterns > interestLimits.patterns)
      list.add(PLACE, `has ${patterns} regular expressions; at most ${interestLimits.patterns} are allowed`)
    return parts[0] ?? null
  }

  function readOr(): Condition | null {
    const parts = readAlternatives()
    return parts.length > 1 ? { kind: 'or', parts } : (parts[0] ?? null)
  }

  function readAnd(): Condition | null {
    const parts: Condition[] = []
    for (
      let token = tokens[next];
      token !== undefined && token.kind !== 'or' && token.kind !== 'close';
      token = tokens[next]
    ) {
      if (token.kind === 'and') {
        next++
        if (parts.length === 0 || !startsOperand(tokens[next]))
          list.add(PLACE, 'AND needs something on both sides', token.at)
        continue
      }
      const part = readNot()
      if (part !== null) parts.push(part)
    }
    return parts.length > 1 ? { kind: 'and', parts } : (parts[0] ?? null)
  }

  function readAlternatives(): Condition[] {
    const parts: Condition[] = []
    for (;;) {
      const isEmpty = !startsOperand(tokens[next]) && tokens[next]?.kind !== 'and'
      const part = readAnd()
      if (part !== null) parts.push(part)
      const token = tokens[next]
      if (token?.kind !== 'or') return parts
      if (isEmpty) list.add(PLACE, 'OR needs something on both sides', token.at)
      next++
      if (!startsOperand(tokens[next])) list.add(PLACE, 'OR needs something on both sides', token.at)
    }
  }

  /** Consecutive NOTs cancel each other in pairs. */
  function readNot(): Condition | null {
    let isNegated = false
    let token = tokens[next]
    while (token?.kind === 'not') {
      isNegated = !isNegated
      next++
      if (!startsOperand(tokens[next])) {
        list.add(PLACE, 'NOT needs something behind it', token.at)
        return null
      }
      token = tokens[next]
    }
    const part = readOperand(token!)
    return part !== null && isNegated ? { kind: 'not', part } : part
  }

  function readOperand(token: ExpressionToken): Condition | null {
    next++
    if (token.kind === 'open') return readGroup(token.at)
    if (token.kind === 'wrong') list.add(PLACE, token.message, token.at)
    if (token.kind !== 'text' && token.kind !== 'pattern') return null
    terms++
    const leaf = token.kind === 'text' ? readText(token) : readPattern(token)
    return leaf === null ? null : { kind: 'leaf', leaf }
  }

  function readGroup(at: number): Condition | null {
    if (depth === interestLimits.depth) {
      list.add(PLACE, `parentheses are nested more than ${interestLimits.depth} deep`, at)
      next = tokens.length
      isTooDeep = true
      return null
    }
    depth++
    const before = next
    const part = readOr()
    depth--
    const token = tokens[next]
    if (token === undefined) {
      if (!isTooDeep) list.add(PLACE, 'the parenthesis is never closed', at)
      return part
    }
    next++
    if (next - before === 1) list.add(PLACE, 'there is nothing between the parentheses', at)
    return part
  }

  function readText(token: TextToken): Leaf | null {
    if (token.field === 'site') return readSite(token)
    if (token.field !== '' && token.field !== 'intitle') return unknownField(token)
    const words = readWords(token.text, stemming, (message) => list.add(PLACE, message, token.at))
    return words === null ? null : { ...words, where: token.field === 'intitle' ? 'title' : 'anywhere' }
  }

  function readSite(token: TextToken): Leaf | null {
    const host = token.quoted ? null : siteHost(token.text)
    if (host !== null) return { kind: 'site', text: token.text, host: { text: host, hash: hashText(host) } }
    list.add(PLACE, 'site: needs a host such as example.org', token.at)
    return null
  }

  function readPattern(token: PatternToken): PatternLeaf | null {
    patterns++
    if (token.field !== '' && token.field !== 'intitle') return unknownField(token)
    if (token.flags !== '' && token.flags !== 'i') {
      list.add(PLACE, `there is no flag ${token.flags}; i stands for either case`, token.at)
      return null
    }
    const read = readTextPattern(token.source, { ignoreCase: token.flags === 'i' })
    if (read.kind === 'wrong') {
      list.add(PLACE, read.why, token.at)
      return null
    }
    const where = token.field === 'intitle' ? 'title' : 'anywhere'
    return { kind: 'pattern', text: `/${token.source}/${token.flags}`, pattern: read.pattern, where }
  }

  function unknownField(token: TextToken | PatternToken): null {
    list.add(
      PLACE,
      `there is no field ${token.field}:; there are intitle: and site:. Quote the word to look for it as it is`,
      token.at,
    )
    return null
  }

  return { readAll }
}

function startsOperand(token: ExpressionToken | undefined): boolean {
  return token !== undefined && token.kind !== 'and' && token.kind !== 'or' && token.kind !== 'close'
}
