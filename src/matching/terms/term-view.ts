import { finishHash, hashFactor, hashStart } from './term-hash.ts'
import { TermTable } from './term-table.ts'

/** A term with its hash, which saves computing it for each look-up. */
export type Word = {
  readonly text: string
  readonly hash: number
  /** An alternative spelling: `mueller` for Müller. */
  readonly or?: Word
}

/** The terms of a view that has no table of its own: see `MappedTerms`. */
export type ViewTerms = { readonly numbering: Numbering; find(word: Word): number; toTable(): TermTable }

/** Terms as numbers of an owner that outlives the document, with its spellings and hashes. */
export type Numbering = {
  readonly owner: { readonly units: Uint16Array; offsets: Uint32Array; lengths: Uint8Array; hashes: Int32Array }
  /** By term. */
  readonly numbers: Uint32Array
}

/**
 * The tokens of a document under one way of distinguishing terms: as compared, or by their stems. Token numbers are the same in all
 * views of a document.
 */
export class TermView {
  readonly tokens: number
  readonly terms: number
  readonly termOf: Uint32Array
  readonly counts: Uint32Array
  private readonly source: TermTable | ViewTerms
  private known: TermTable | null
  private offsets: Uint32Array | null = null
  private places: Uint32Array | null = null
  private prefixes: Prefixes | null = null

  /** Alternative spellings under which terms are found: Müller as `mueller`. */
  readonly aliases: ReadonlyMap<string, number> | null

  constructor(
    source: TermTable | ViewTerms,
    tokens: number,
    termOf: Uint32Array,
    counts: Uint32Array,
    aliases: ReadonlyMap<string, number> | null = null,
  ) {
    this.aliases = aliases
    this.source = source
    this.known = source instanceof TermTable ? source : null
    this.tokens = tokens
    this.terms = counts.length
    this.termOf = termOf
    this.counts = counts
  }

  /** All terms by number. */
  get table(): TermTable {
    this.known ??= (this.source as ViewTerms).toTable()
    return this.known
  }

  get numbering(): Numbering {
    const { source } = this
    return source instanceof TermTable
      ? { owner: source.origin!.vocabulary, numbers: source.origin!.words }
      : source.numbering
  }

  /** -1 if the document doesn't have it. */
  find(word: Word): number {
    const { source, aliases } = this
    let term = source instanceof TermTable ? source.findText(word.hash, 0, word.text) : source.find(word)
    if (term === -1 && aliases !== null) term = aliases.get(word.text) ?? -1
    return term === -1 && word.or !== undefined ? this.find(word.or) : term
  }

  /** The tokens of this term, in order. */
  tokensOf(term: number): Uint32Array {
    if (this.places === null) this.sortPlaces()
    return this.places!.subarray(this.offsets![term]!, this.offsets![term + 1]!)
  }

  /** The terms with this prefix. */
  termsStarting(prefix: Word): readonly number[] {
    this.prefixes ??= new Prefixes(this.table)
    return this.prefixes.find(prefix)
  }

  private sortPlaces(): void {
    const offsets = new Uint32Array(this.terms + 1)
    for (let term = 0; term < this.terms; term++) offsets[term + 1] = offsets[term]! + this.counts[term]!
    const next = offsets.slice()
    const places = new Uint32Array(this.tokens)
    for (let token = 0; token < this.tokens; token++) places[next[this.termOf[token]!]!++] = token
    this.offsets = offsets
    this.places = places
  }
}

/** Prefixes of a document's terms, for each length requested so far. */
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
