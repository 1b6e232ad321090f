import type { QueryNode, SearchQuery, WordsNode } from '../../../core/search-query/query.ts'
import { isUnspaced } from '../../../core/search-query/searchable-text.ts'
import { EVERY, siteWord } from '../../rules/site-words.ts'
import { foldWord } from './search-words.ts'

const every = `'${EVERY}'`

/** A query in the language of the server's `tsquery`. Words hold neither quotes nor backslashes, so nothing is read as syntax. */
export function matchExpression({ match }: SearchQuery): string {
  return match === null ? every : expressionOf(match)
}

/** What counts for the rank: any of the words that were asked for. Null where nothing but filters was. */
export function rankExpression({ match }: SearchQuery): string | null {
  const leaves = match === null ? [] : wordLeaves(match)
  return leaves.length === 0 ? null : leaves.map(wordsExpression).join(' | ')
}

/** The words that were asked for; not those that were asked not to be there. */
export function wordLeaves(node: QueryNode): WordsNode[] {
  if (node.kind === 'words') return [node]
  return node.kind === 'and' || node.kind === 'or' ? node.nodes.flatMap(wordLeaves) : []
}

function expressionOf(node: QueryNode): string {
  switch (node.kind) {
    case 'words':
      return wordsExpression(node)
    case 'site':
      return `'${siteWord(node.host)}':B`
    case 'not':
      return `(${every} & !${expressionOf(node.node)})`
    case 'or':
      return `(${node.nodes.map(expressionOf).join(' | ')})`
    case 'and': {
      // Something must be there for the index to begin with.
      const isOnlyNot = node.nodes.every(({ kind }) => kind === 'not')
      const parts = node.nodes.map((each) => (each.kind === 'not' ? `!${expressionOf(each.node)}` : expressionOf(each)))
      return `(${(isOnlyNot ? [every, ...parts] : parts).join(' & ')})`
    }
  }
}

/** The ways to read words that stand behind each other. */
export type WordSequence = { words: readonly string[]; prefix: boolean; inText: boolean }

export function sequencesOf({ words, prefix, where }: WordsNode): WordSequence[] {
  const inText = where === 'anywhere'
  const apart = { words: words.map(foldWord), prefix, inText }
  // Where no spaces are written, a longer text may be cut into other words than these few characters alone.
  if (words.length === 1 || !words.every(isUnspaced)) return [apart]
  return [apart, { words: [foldWord(words.join(''))], prefix: true, inText }]
}

function wordsExpression(node: WordsNode): string {
  const readings = sequencesOf(node).map(({ words, prefix, inText }) => {
    const label = inText ? '' : 'A'
    const marks = (isLast: boolean): string => `${prefix && isLast ? '*' : ''}${label}`
    const terms = words.map((word, index) => {
      const suffix = marks(index === words.length - 1)
      return suffix === '' ? `'${word}'` : `'${word}':${suffix}`
    })
    return `(${terms.join(' <-> ')})`
  })
  return `(${readings.join(' | ')})`
}
