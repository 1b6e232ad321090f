import type { Mark, SearchQuery } from '../../../core/search-query/query.ts'
import type { TextMarks, TitledText } from '../../contracts/search.ts'
import { sequencesOf, type WordSequence, wordLeaves } from './search-expression.ts'
import { type PlacedWord, placedWords } from './search-words.ts'

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
