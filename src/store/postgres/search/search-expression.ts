import type { Mark, QueryNode, SearchQuery, WordsNode } from '../../../core/search-query/query.ts'
import { isUnspaced } from '../../../core/search-query/searchable-text.ts'
import type { TextMarks, TitledText } from '../../contracts/search.ts'
import { EVERY, siteWord } from '../../rules/site-words.ts'
import { foldWord, type PlacedWord, placedWords } from './search-words.ts'

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

/** Marks what a query finds, by reading the text as the index does. Work is bounded by the words of the text times those of a query. */
export function findMarks({ match }: SearchQuery, texts: readonly TitledText[]): TextMarks[] {
  const sequences = match === null ? [] : wordLeaves(match).flatMap(sequencesOf)
  const inTitle = createFinder(sequences)
  const inText = createFinder(sequences.filter((sequence) => sequence.inText))
  return texts.map(({ title, text }) => ({ title: inTitle(title), text: inText(text) }))
}

function createFinder(sequences: readonly WordSequence[]): (text: string) => Mark[] {
  if (sequences.length === 0) return () => []
  /** By their first word; those of one word that may go on have none. */
  const byFirst = new Map<string, WordSequence[]>()
  const beginnings: string[] = []
  for (const sequence of sequences) {
    const [first = ''] = sequence.words
    if (sequence.words.length === 1 && sequence.prefix) beginnings.push(first)
    else byFirst.set(first, [...(byFirst.get(first) ?? []), sequence])
  }
  return (text) => {
    const words = [...placedWords(text)]
    const marks: [from: number, to: number][] = []
    for (const [index, { word, start, end }] of words.entries()) {
      let to = beginnings.some((beginning) => word.startsWith(beginning)) ? end : -1
      for (const sequence of byFirst.get(word) ?? [])
        if (standsAt(sequence, words, index)) to = Math.max(to, words[index + sequence.words.length - 1]!.end)
      const last = marks.at(-1)
      if (to < 0) continue
      if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], to)
      else marks.push([start, to])
    }
    return marks
  }
}

function standsAt({ words, prefix }: WordSequence, text: readonly PlacedWord[], from: number): boolean {
  return words.every((word, index) => {
    const there = text[from + index]?.word
    if (there === undefined) return false
    return prefix && index === words.length - 1 ? there.startsWith(word) : there === word
  })
}
