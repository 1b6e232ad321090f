import { searchableText } from './searchable-text.ts'

/** A piece of a query as it stands there. `negated` counts for what follows directly: a word, a phrase, a group. */
export type QueryToken =
  | { kind: 'open'; negated: boolean }
  | { kind: 'close' }
  | { kind: 'operator'; name: 'AND' | 'OR' | 'NOT' }
  | { kind: 'term'; negated: boolean; field: string; text: string; quoted: boolean; prefix: boolean }

const fieldNames = ['site', 'intitle', 'before', 'after']

/** Cuts a query into pieces, each once and from left to right. A quote that is never closed ends with the query. */
export function queryTokens(query: string): QueryToken[] {
  const tokens: QueryToken[] = []
  // A minus is a "not" where a word begins; within a word it is a hyphen.
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
    // What looks like a field and is none is text: 12:30, http://…
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
