import { domainToASCII } from 'node:url'
import type { QueryNode, SearchQuery, WordsNode } from './query.ts'
import { isUnspaced, searchableText } from './searchable-text.ts'

export type ParsedQuery = { kind: 'query'; query: SearchQuery } | { kind: 'invalid'; errors: string[] }

const MAX_CHARS = 4_096
const MAX_WORDS = 64
const MAX_DEPTH = 20
/** Each expands to all words with that prefix. */
const MAX_PREFIXES = 8
const MIN_PREFIX_CHARS = 2
const MAX_ERRORS = 10

/**
 * Parses user input: words (all of them), "phrases", prefix*, -word or NOT, OR (between the words to its left and right), parentheses,
 * site:, intitle:, before: and after: (UTC, on the time when a version was first seen). Anything left open is closed at the end, and an
 * operator without an operand is ignored; what makes no sense is an error. Work is bounded by the length of the query.
 */
export function parseSearchQuery(text: string): ParsedQuery {
  if (text.length > MAX_CHARS)
    return wrong([`the query has ${text.length} characters; at most ${MAX_CHARS} are allowed`])
  const errors: string[] = []
  const reader = createReader(queryTokens(text), errors)
  const root = reader.readAny(0)
  const times = reader.times()
  if (reader.wordCount() > MAX_WORDS) errors.push(`the query has more than ${MAX_WORDS} words`)
  if (errors.length > 0) return wrong([...new Set(errors)])
  if (root === null && times.beforeMs === null && times.afterMs === null)
    return wrong(['the query contains no words (letters or digits)'])
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

  /** Parses to the end of the group: one or more lists separated by OR. */
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

  /** Parses up to an OR or the end of the group. */
  function readAll(depth: number): QueryNode | null {
    const nodes: QueryNode[] = []
    let negate = false
    for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
      const isEnd = token.kind === 'close' && depth > 0
      if (isEnd || (token.kind === 'operator' && token.name === 'OR')) break
      at++
      if (token.kind === 'operator' && token.name === 'NOT') negate = !negate
      // An unmatched closing parenthesis is ignored.
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
      errors.push(`${last}*: at least ${MIN_PREFIX_CHARS} letters must come before the star`)
    // In scripts without visible word boundaries, the input may be the beginning of a longer word.
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
    else if (isInside) errors.push(`${field}: applies to the whole query; it can't be negated or put in parentheses`)
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
      if (hasOr && hasTime) errors.push('before: and after: apply to the whole query; put parentheses around the OR')
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

/** A token of a query. `negated` applies to the next word, phrase or group. */
type QueryToken =
  | { kind: 'open'; negated: boolean }
  | { kind: 'close' }
  | { kind: 'operator'; name: 'AND' | 'OR' | 'NOT' }
  | { kind: 'term'; negated: boolean; field: string; text: string; quoted: boolean; prefix: boolean }

const fieldNames = ['site', 'intitle', 'before', 'after']

/** Tokenises a query in one pass. An unclosed quote ends with the query. */
function queryTokens(query: string): QueryToken[] {
  const tokens: QueryToken[] = []
  // A minus means "not" at the beginning of a word; within a word it is a hyphen.
  const piece = /([()])|(-*)(\()|(-*)(?:([a-z]{4,7}):)?(?:"([^"]*)(?:"(\*?)|$)|([^\s\0"()]+)|(?<=:))/giu
  for (const [, bracket, groupMinus, group, minus = '', field = '', quoted, quotedStar, word] of query.matchAll(
    piece,
  )) {
    if (bracket === ')') tokens.push({ kind: 'close' })
    else if (bracket === '(' || group !== undefined) tokens.push({ kind: 'open', negated: isOdd(groupMinus ?? '') })
    else if (minus === '' && field === '' && (word === 'AND' || word === 'OR' || word === 'NOT'))
      tokens.push({ kind: 'operator', name: word })
    else tokens.push(termOf(isOdd(minus), field, quoted, quotedStar, word))
  }
  return tokens
}

function termOf(negated: boolean, field: string, quoted?: string, quotedStar?: string, word?: string): QueryToken {
  const name = field.toLowerCase()
  const isField = fieldNames.includes(name)
  const given = quoted ?? word ?? ''
  return {
    kind: 'term',
    negated,
    field: isField ? name : '',
    // Text that looks like a field but isn't one: 12:30, http://…
    text: isField || field === '' ? given : `${field}:${given}`,
    quoted: quoted !== undefined,
    prefix: quoted === undefined ? given.endsWith('*') : quotedStar === '*',
  }
}

const isOdd = (minus: string): boolean => minus.length % 2 === 1

/** The words of a text, as they are indexed. */
export function wordsOf(text: string): string[] {
  return searchableText(text).text.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []
}

/** A day or a moment, in UTC unless it has a zone; null if it is neither. */
export function parseMoment(text: string): number | null {
  const parts =
    /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/i.exec(text)
  if (parts === null) return null
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone = 'Z'] = parts
  const moment = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone.toUpperCase()}`)
  if (Number.isNaN(moment)) return null
  // Date.parse reads February 30 as March 2.
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day) ? moment : null
}

/** The host of `site:`, given alone, with a port, or in a URL. */
export function siteHost(text: string): string | null {
  const named = text
    .replace(/^[a-z][a-z0-9+.-]{0,20}:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^\*?\./, '')
    .replace(/\.$/, '')
  const bare = /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(named)?.[1] ?? named.replace(/^([^:]*):\d*$/, '$1')
  if (/^[0-9a-f:.]+$/i.test(bare) && bare.includes(':')) return bare.toLowerCase()
  const host = domainToASCII(bare).toLowerCase()
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host) && host.length <= 253 ? host : null
}
