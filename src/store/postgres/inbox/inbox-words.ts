import { wordsOf } from '../../../core/search-query/parse-query.ts'
import type { QueryNode, WordsNode } from '../../../core/search-query/query.ts'
import { isUnspaced } from '../../../core/search-query/searchable-text.ts'
import { hostKey } from '../../../core/url/partition.ts'

/**
 * Words of the inbox, as a tsvector that is built here: the server's own parsers would split URLs and drop words. Title, summary and
 * URL are searched; `intitle:` searches the title, whose words have the weight A. Words consist of letters, digits and marks only; so
 * `@owner` and `.site` never equal a word, and no query finds them.
 */
export type WordSource = { owner: string; title: string; text: string; url: string }

/** Positions are limited to 16,383. Between two fields there is a gap that no phrase spans. */
const fields = [
  { from: 1, maxWords: 2_000, weight: 'A' },
  { from: 3_000, maxWords: 9_000, weight: '' },
  { from: 13_000, maxWords: 1_000, weight: '' },
] as const

const MAX_WORD_CHARS = 100
/** A tsvector has at most 1 MiB. */
const MAX_CHARS = 200_000
const MAX_PLACES = 200
const MAX_SITES = 12
const MAX_OWNER_CHARS = 400

export function wordsVector({ owner, title, text, url }: WordSource): string {
  const places = new Map<string, string[]>()
  let chars = 0
  for (const [n, value] of [title, text, url].entries()) {
    const { from, maxWords, weight } = fields[n]!
    // Text after the last word that fits need not be split.
    const words = wordsOf(value.slice(0, MAX_CHARS)).slice(0, maxWords)
    for (const [place, word] of words.entries()) {
      const spelled = spell(word)
      const known = places.get(spelled)
      chars += spelled.length + 6
      if (chars > MAX_CHARS) break
      if (known === undefined) places.set(spelled, [`${from + place}${weight}`])
      else if (known.length < MAX_PLACES) known.push(`${from + place}${weight}`)
    }
  }
  const entries = [...places].map(([word, at]) => `${quoted(word)}:${at.join(',')}`)
  return [quoted(ownerWord(owner)), ...siteWords(url).map(quoted), ...entries].join(' ')
}

/** A query within one owner's words. */
export function wordsQuery(owner: string, node: QueryNode): string {
  return `${quoted(ownerWord(owner))} & ${tsqueryOf(node)}`
}

function tsqueryOf(node: QueryNode): string {
  switch (node.kind) {
    case 'words':
      return wordsExpression(node)
    case 'site':
      return quoted(siteWord(node.host))
    case 'not':
      return `!${tsqueryOf(node.node)}`
    case 'and':
    case 'or':
      return `(${node.nodes.map(tsqueryOf).join(node.kind === 'and' ? ' & ' : ' | ')})`
  }
}

function wordsExpression({ words, prefix, where }: WordsNode): string {
  const weight = where === 'title' ? 'A' : ''
  const term = (word: string, isOpen: boolean): string => {
    const marks = `${isOpen ? '*' : ''}${weight}`
    return `${quoted(spell(word))}${marks === '' ? '' : `:${marks}`}`
  }
  const apart = words.map((word, n) => term(word, prefix && n === words.length - 1)).join(' <-> ')
  // In scripts without spaces, a longer text may be split into other words than these few characters.
  if (words.length === 1 || !words.every(isUnspaced)) return `(${apart})`
  return `((${apart}) | ${term(words.join(''), true)})`
}

/** Ignores case, and accents of Latin and Greek letters. In other scripts a mark makes a different letter. */
function spell(word: string): string {
  const bare = /^[\x20-\x7e]*$/.test(word)
    ? word
    : word
        .normalize('NFKD')
        .replace(/([\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu, '$1')
        .normalize('NFC')
  return bare.toLowerCase().replaceAll('ς', 'σ').slice(0, MAX_WORD_CHARS).toWellFormed()
}

const quoted = (word: string): string => `'${word.replace(/[\\']/g, (char) => char + char)}'`

const ownerWord = (owner: string): string => `@${owner.slice(0, MAX_OWNER_CHARS)}`

const siteWord = (host: string): string => `.${host.slice(0, MAX_OWNER_CHARS)}`

/** The host and each of its parent domains, without port and brackets; an IP address has none. */
function siteWords(url: string): string[] {
  if (!/^https?:\/\//.test(url)) return []
  const host = hostKey(url)
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
  const labels = host.split('.')
  if (host.includes(':') || /^[\d.]+$/.test(host)) return [siteWord(host)]
  const above = Array.from({ length: Math.min(MAX_SITES, labels.length - 1) }, (_, n) => labels.slice(-n - 1).join('.'))
  return [host, ...above].map(siteWord)
}
