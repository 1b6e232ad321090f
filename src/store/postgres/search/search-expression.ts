import type { Mark, QueryNode, SearchQuery, WordsNode } from '../../../core/search-query/query.ts'
import { isUnspaced } from '../../../core/search-query/searchable-text.ts'
import type { TextMarks, TitledText } from '../../contracts/search.ts'
import { EVERY, siteWord } from '../../rules/site-words.ts'
import { foldWord, type PlacedWord, placedWords } from './search-words.ts'

const every = `'${EVERY}'`

/** A query in `tsquery` syntax. Words contain neither quotes nor backslashes, so they can't be read as syntax. */
export function matchExpression({ match }: SearchQuery): string {
  return match === null ? every : expressionOf(match)
}

/** The expression to rank by: any of the words searched for. Null if the query has only filters. */
export function rankExpression({ match }: SearchQuery): string | null {
  const leaves = match === null ? [] : wordLeaves(match)
  return leaves.length === 0 ? null : leaves.map(wordsExpression).join(' | ')
}

/** The words searched for, without excluded ones. */
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
      // An index scan needs at least one positive term.
      const isOnlyNot = node.nodes.every(({ kind }) => kind === 'not')
      const parts = node.nodes.map((each) => (each.kind === 'not' ? `!${expressionOf(each.node)}` : expressionOf(each)))
      return `(${(isOnlyNot ? [every, ...parts] : parts).join(' & ')})`
    }
  }
}

/** One way to read a sequence of adjacent words. */
export type WordSequence = { words: readonly string[]; prefix: boolean; inText: boolean }

export function sequencesOf({ words, prefix, where }: WordsNode): WordSequence[] {
  const inText = where === 'anywhere'
  const apart = { words: words.map(foldWord), prefix, inText }
  // In scripts without spaces, a longer text may be split into other words than these few characters.
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

/** Marks the matches of a query, reading the text as the index does. Cost: at most the words of the text times those of the query. */
export function findMarks({ match }: SearchQuery, texts: readonly TitledText[]): TextMarks[] {
  const sequences = match === null ? [] : wordLeaves(match).flatMap(sequencesOf)
  const inTitle = createFinder(sequences)
  const inText = createFinder(sequences.filter((sequence) => sequence.inText))
  return texts.map(({ title, text }) => ({ title: inTitle(title), text: inText(text) }))
}

function createFinder(sequences: readonly WordSequence[]): (text: string) => Mark[] {
  if (sequences.length === 0) return () => []
  /** Sequences by first word; single words with a prefix match are in `beginnings`. */
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
