import { TermTable } from '../term-table.ts'
import { TermView } from '../term-view.ts'
import { StemCache } from './stem-cache.ts'
import { findStemmer } from './stemmers.ts'

/** What was learnt from one document serves the next. */
const caches = new Map<string, StemCache>()

/** The same tokens, told apart by their stems; the view itself where the language has no stemmer. */
export function stemmedView(plain: TermView, language: string): TermView {
  const cache = cacheFor(language)
  if (cache === undefined) return plain
  const { limit } = plain.table
  const table = new TermTable(limit)
  const stemOf = new Uint32Array(limit)
  const counts = new Uint32Array(limit)
  for (let term = 0; term < limit; term++) {
    const stem = cache.find(plain.table, term)
    const { units, offsets, lengths } = cache.stems
    const id = table.addUnits(cache.stemHashes[stem]!, 0, units, offsets[stem]!, lengths[stem]!)
    stemOf[term] = id
    counts[id]! += plain.counts[term]!
  }
  const termOf = new Uint32Array(plain.tokens)
  for (let token = 0; token < plain.tokens; token++) termOf[token] = stemOf[plain.termOf[token]!]!
  return new TermView(table, plain.tokens, termOf, counts)
}

function cacheFor(language: string): StemCache | undefined {
  const known = caches.get(language)
  const stem = known === undefined ? findStemmer(language) : undefined
  if (stem === undefined) return known
  const cache = new StemCache(stem)
  caches.set(language, cache)
  return cache
}
