import { hashText, hashUnits } from '../term-hash.ts'
import { grown, TermTable } from '../term-table.ts'
import { TermView } from '../term-view.ts'
import { findStemmer, type Stemmer } from './stemmers.ts'

/** What was learnt from one document serves the next. */
const caches = new Map<string, StemCache>()

/** The same tokens, distinguished by their stems; the view itself where the language has no stemmer. */
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

const MAX_WORDS = 100_000

/**
 * The stems of words met before, found without making a string of anything: documents repeat each other's words, and all of
 * a document's words are stemmed as soon as one profile asks for it. Forgets everything when it is full.
 */
class StemCache {
  /** Stems, by number; their spelling is in the table. */
  stems = new TermTable()
  stemHashes = new Int32Array(1024)
  private words = new TermTable()
  private stemOf = new Uint32Array(1024)
  private readonly stem: Stemmer

  constructor(stem: Stemmer) {
    this.stem = stem
  }

  /** The number of the stem, valid until the next word is asked for. */
  find(table: TermTable, term: number): number {
    const [start, length] = [table.offsets[term]!, table.lengths[term]!]
    const hash = hashUnits(table.units, start, length)
    const known = this.words.findUnits(hash, 0, table.units, start, length)
    return known === -1 ? this.learn(hash, table, term) : this.stemOf[known]!
  }

  private learn(hash: number, table: TermTable, term: number): number {
    if (this.words.size >= MAX_WORDS) {
      this.words = new TermTable()
      this.stems = new TermTable()
    }
    const text = this.stem(table.textOf(term))
    const stemHash = hashText(text)
    const stem = this.stems.addText(stemHash, 0, text)
    const word = this.words.addUnits(hash, 0, table.units, table.offsets[term]!, table.lengths[term]!)
    if (word >= this.stemOf.length) this.stemOf = grown(this.stemOf, new Uint32Array(this.stemOf.length * 2))
    if (stem >= this.stemHashes.length)
      this.stemHashes = grown(this.stemHashes, new Int32Array(this.stemHashes.length * 2))
    this.stemOf[word] = stem
    this.stemHashes[stem] = stemHash
    return stem
  }
}
