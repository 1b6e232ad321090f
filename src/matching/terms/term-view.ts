import { finishHash, hashFactor, hashStart } from './term-hash.ts'
import { TermTable } from './term-table.ts'

/** A term with its hash, so that it is looked up without being read again. */
export type Word = { readonly text: string; readonly hash: number }

/**
 * The tokens of a document under one way of telling terms apart: as they are spelled, or by their stems. Token numbers
 * are the same in all views of a document.
 */
export class TermView {
  readonly table: TermTable
  readonly tokens: number
  readonly termOf: Uint32Array
  readonly counts: Uint32Array
  private offsets: Uint32Array | null = null
  private places: Uint32Array | null = null
  private prefixes: Prefixes | null = null

  constructor(table: TermTable, tokens: number, termOf: Uint32Array, counts: Uint32Array) {
    this.table = table
    this.tokens = tokens
    this.termOf = termOf
    this.counts = counts
  }

  /** -1 where the document does not have it. */
  find(word: Word): number {
    return this.table.findText(word.hash, 0, word.text)
  }

  /** The tokens that are this term, in order. */
  tokensOf(term: number): Uint32Array {
    if (this.places === null) this.sortPlaces()
    return this.places!.subarray(this.offsets![term]!, this.offsets![term + 1]!)
  }

  /** The terms that begin so. */
  termsStarting(prefix: Word): readonly number[] {
    this.prefixes ??= new Prefixes(this.table)
    return this.prefixes.find(prefix)
  }

  private sortPlaces(): void {
    const offsets = new Uint32Array(this.table.limit + 1)
    for (let term = 0; term < this.table.limit; term++) offsets[term + 1] = offsets[term]! + this.counts[term]!
    const next = offsets.slice()
    const places = new Uint32Array(this.tokens)
    for (let token = 0; token < this.tokens; token++) places[next[this.termOf[token]!]!++] = token
    this.offsets = offsets
    this.places = places
  }
}

/** The beginnings of a document's terms, for each length asked for so far. */
class Prefixes {
  private readonly terms: TermTable
  private readonly table = new TermTable()
  private readonly members: number[][] = []
  private readonly lengths = new Set<number>()

  constructor(terms: TermTable) {
    this.terms = terms
  }

  find(prefix: Word): readonly number[] {
    const { length } = prefix.text
    if (!this.lengths.has(length)) this.learn(length)
    return this.members[this.table.findText(prefix.hash, 0, prefix.text)] ?? []
  }

  private learn(length: number): void {
    this.lengths.add(length)
    eachPrefix(this.terms, length, (hash, term) => {
      const id = this.table.addUnits(hash, 0, this.terms.units, this.terms.offsets[term]!, length)
      this.members[id] ??= []
      this.members[id].push(term)
    })
  }
}

export function eachPrefix(table: TermTable, length: number, found: (hash: number, term: number) => void): void {
  const { units, offsets, lengths } = table
  for (let term = 0; term < table.limit; term++) {
    if (lengths[term]! < length) continue
    let state = hashStart
    const end = offsets[term]! + length
    for (let at = offsets[term]!; at < end; at++) state = Math.imul(state ^ units[at]!, hashFactor)
    found(finishHash(state), term)
  }
}
