import type { DocumentTerms } from '../terms/document-terms.ts'
import { grown } from '../terms/grown.ts'
import { spaceOfStems } from '../terms/spaces.ts'
import { hashUnits } from '../terms/term-hash.ts'
import { TermTable } from '../terms/term-table.ts'
import type { TermView, Word } from '../terms/term-view.ts'

/**
 * In how many documents words occur, learnt from the documents seen. Bounded: if there are too many words, all counts are halved and
 * words seen once are forgotten. So recent documents count more than old ones.
 */
export type TermStatistics = {
  learn(document: DocumentTerms): void
  documents(): number
  averageTokens(): number
  /** Stems of a language are counted from the first query for that language on. */
  documentsWith(word: Word, stemming: string): number
  terms(): number
  memoryBytes(): number
}

const MAX_TERMS = 200_000
const MOST_KEPT = 0.75

export function createTermStatistics({ maxTerms = MAX_TERMS } = {}): TermStatistics {
  let table = new TermTable()
  let counts = new Uint32Array(1024)
  let documents = 0
  let tokens = 0

  const stemmings = new Map<string, number>()

  function count(from: TermTable, term: number, space: number, by: number): void {
    const [start, length] = [from.offsets[term]!, from.lengths[term]!]
    const id = table.addUnits(hashUnits(from.units, start, length), space, from.units, start, length)
    if (id >= counts.length) counts = grown(counts, new Uint32Array(counts.length * 2))
    counts[id]! += by
  }

  function forget(): void {
    const [before, seen] = [table, counts]
    table = new TermTable(maxTerms >> 1)
    counts = new Uint32Array(maxTerms)
    for (let id = 0; id < before.limit && table.size < maxTerms * MOST_KEPT; id++)
      if (seen[id]! > 1) count(before, id, before.spaceOf(id), seen[id]! >> 1)
    documents >>= 1
    tokens /= 2
  }

  function learnTerms({ table: terms }: TermView, space: number): void {
    for (let term = 0; term < terms.limit; term++) {
      if (table.size >= maxTerms) forget()
      count(terms, term, space, 1)
    }
  }

  return {
    learn(document) {
      documents++
      tokens += document.tokens
      learnTerms(document.plain, 0)
      for (const [stemming, space] of stemmings) learnTerms(document.view(stemming), space)
    },
    documents: () => documents,
    averageTokens: () => (documents === 0 ? 0 : tokens / documents),
    documentsWith(word, stemming) {
      const space = stemming === '' ? 0 : spaceOfStems(stemming)
      if (stemming !== '') stemmings.set(stemming, space)
      const id = table.findText(word.hash, space, word.text)
      return id === -1 ? 0 : Math.min(documents, counts[id]!)
    },
    terms: () => table.size,
    memoryBytes: () => table.memoryBytes() + counts.byteLength,
  }
}
