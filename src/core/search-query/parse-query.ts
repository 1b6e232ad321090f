import { parseMoment, siteHost } from './field-values.ts'
import type { QueryNode, SearchQuery, WordsNode } from './query.ts'
import { type QueryToken, queryTokens, wordsOf } from './query-tokens.ts'
import { isUnspaced } from './searchable-text.ts'

export type ParsedQuery = { kind: 'query'; query: SearchQuery } | { kind: 'invalid'; errors: string[] }

const MAX_CHARS = 4_096
const MAX_WORDS = 64
const MAX_DEPTH = 20
/** Each goes through all the words that begin so. */
const MAX_PREFIXES = 8
const MIN_PREFIX_CHARS = 2
const MAX_ERRORS = 10

/**
 * Reads what a person typed: words (all of them), "phrases", prefix*, -word or NOT, OR (between the words to its left and right),
 * parentheses, site:, intitle:, before: and after: (UTC, on the moment when a version was first seen).
 * What is left open is closed at the end, and an operator without a word to work on is passed over; what can't be
 * meant is a fault. Work is bounded by the length of the query.
 */
export function parseSearchQuery(text: string): ParsedQuery {
  if (text.length > MAX_CHARS) return wrong([`the query has ${text.length} characters; at most ${MAX_CHARS} are read`])
  const errors: string[] = []
  const reader = createReader(queryTokens(text), errors)
  const root = reader.readAny(0)
  const times = reader.times()
  if (reader.wordCount() > MAX_WORDS) errors.push(`the query has more than ${MAX_WORDS} words`)
  if (errors.length > 0) return wrong([...new Set(errors)])
  if (root === null && times.beforeMs === null && times.afterMs === null)
    return wrong(['there is no word to look for; letters and digits make words'])
  return { kind: 'query', query: { match: root, ...times } }
}

const wrong = (errors: string[]): ParsedQuery => ({ kind: 'invalid', errors: errors.slice(0, MAX_ERRORS) })

type Term = Extract<QueryToken, { kind: 'term' }>

function createReader(tokens: readonly QueryToken[], errors: string[]) {
  let at = 0
  let words = 0
  let prefixes = 0
  let hasOr = false
  let hasTime = false
  const times: { beforeMs: number | null; afterMs: number | null } = { beforeMs: null, afterMs: null }

  /** Up to the end of its group: one or more lists with OR between them. */
  function readAny(depth: number): QueryNode | null {
    const nodes: QueryNode[] = []
    for (;;) {
      const node = readAll(depth)
      if (node !== null) nodes.push(node)
      const token = tokens[at]
      if (token === undefined) break
      at++
      if (token.kind === 'close') break
      hasOr ||= depth === 0
    }
    return combine('or', nodes)
  }

  /** Up to an OR or the end of the group. */
  function readAll(depth: number): QueryNode | null {
    const nodes: QueryNode[] = []
    let negate = false
    for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
      const isEnd = token.kind === 'close' && depth > 0
      if (isEnd || (token.kind === 'operator' && token.name === 'OR')) break
      at++
      if (token.kind === 'operator' && token.name === 'NOT') negate = !negate
      // A bracket that closes nothing is passed over.
      if (token.kind === 'operator' || token.kind === 'close') continue
      const isNegated = negate !== token.negated
      negate = false
      const node = token.kind === 'open' ? readGroup(depth) : readTerm(token, isNegated || depth > 0)
      if (node !== null) nodes.push(isNegated ? negated(node) : node)
    }
    return combine('and', nodes)
  }

  function readGroup(depth: number): QueryNode | null {
    if (depth < MAX_DEPTH) return readAny(depth + 1)
    errors.push(`parentheses are nested more than ${MAX_DEPTH} deep`)
    at = tokens.length
    return null
  }

  function readTerm(term: Term, isInside: boolean): QueryNode | null {
    if (term.field === 'before' || term.field === 'after') return readTime(term.field, term.text, isInside)
    if (term.field === 'site') return readSite(term.text)
    const found = wordsOf(term.text)
    words += found.length
    const last = found.at(-1)
    if (last === undefined) {
      if (term.field === 'intitle') errors.push('intitle: needs a word')
      return null
    }
    const isWhole = !isUnspaced(last)
    if (term.prefix && isWhole && last.length < MIN_PREFIX_CHARS)
      errors.push(`${last}*: at least ${MIN_PREFIX_CHARS} letters must stand before the star`)
    // Where words can't be told apart by the eye, what was typed may be the beginning of a longer one.
    const prefix = term.prefix || (!isWhole && prefixes < MAX_PREFIXES)
    if (prefix && ++prefixes > MAX_PREFIXES) errors.push(`the query has more than ${MAX_PREFIXES} words with a star`)
    return {
      kind: 'words',
      words: found,
      prefix,
      where: term.field === 'intitle' ? 'title' : 'anywhere',
    } satisfies WordsNode
  }

  function readTime(field: 'before' | 'after', text: string, isInside: boolean): null {
    hasTime = true
    const moment = parseMoment(text)
    if (moment === null) errors.push(`${field}: needs a date such as 2026-11-01 or 2026-11-01T12:00`)
    else if (isInside) errors.push(`${field}: holds for the whole query; it can't be negated or stand in parentheses`)
    else if (field === 'before') times.beforeMs = Math.min(times.beforeMs ?? moment, moment)
    else times.afterMs = Math.max(times.afterMs ?? moment, moment)
    return null
  }

  function readSite(text: string): QueryNode | null {
    const host = siteHost(text)
    words++
    if (host !== null) return { kind: 'site', host }
    errors.push('site: needs a host such as example.org')
    return null
  }

  return {
    readAny(depth: number): QueryNode | null {
      const root = readAny(depth)
      if (hasOr && hasTime)
        errors.push('before: and after: hold for the whole query; put what stands around OR into parentheses')
      return root
    },
    times: () => times,
    wordCount: () => words,
  }
}

function combine(kind: 'and' | 'or', nodes: QueryNode[]): QueryNode | null {
  return nodes.length > 1 ? { kind, nodes } : (nodes[0] ?? null)
}

const negated = (node: QueryNode): QueryNode => (node.kind === 'not' ? node.node : { kind: 'not', node })
