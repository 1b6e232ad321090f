import { hashText, hashUnits } from '../term-hash.ts'
import { grown, TermTable } from '../term-table.ts'
import type { Stemmer } from './stemmers.ts'

const MAX_WORDS = 100_000

/**
 * The stems of words met before, found without making a string of anything: documents repeat each other's words, and all of
 * a document's words are stemmed as soon as one profile asks for it. Forgets everything when it is full.
 */
export class StemCache {
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
