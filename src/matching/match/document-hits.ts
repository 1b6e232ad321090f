import type { DocumentTerms } from '../terms/document-terms.ts'
import { isUnspacedUnit } from '../terms/fold.ts'
import { MAX_TERM_LENGTH } from '../terms/scanner/assembly/wire.ts'
import { PAIRS, PREFIXES, SITES, stemmingOfSpace, WORDS } from '../terms/spaces.ts'
import { hashInSpace, hashText, hashUnits } from '../terms/term-hash.ts'
import type { TermTable } from '../terms/term-table.ts'
import { eachPrefix, type Numbering, type TermView } from '../terms/term-view.ts'
import type { IndexTerms } from './index-terms.ts'
import { isJoinedToNext } from './leaf-search.ts'
import { secondHash } from './term-finder.ts'

/** Lower bound of the characters of scripts without spaces; most pages have none. */
const FIRST_UNSPACED = 0x0e00

const ABSENT = -1
/** Number of terms looked up together. */
const AHEAD = 64

/** The terms of the index that the current document has. */
export class DocumentHits {
  /** Distinct terms; only the first `count` are valid. */
  terms = new Uint32Array(1024)
  count = 0
  /** A bit per term of the index, set if the document has it. Bits stay in the cache nearest to the processor. */
  present = new Uint32Array(32)
  private readonly index: IndexTerms
  /** Look-up cache, as most words occurred in an earlier document. Entries are valid until a term is added or removed. */
  private readonly known = new Map<number, { owner: object; version: number; terms: Int32Array }>()
  /** Numbers of the terms looked up next, and their hashes. */
  private readonly asked = new Uint32Array(AHEAD)
  private readonly firsts = new Int32Array(AHEAD)
  /** Combines what was touched. Never read, but without it nothing would be touched. */
  protected touched = 0
  private readonly pair = new Uint16Array(2 * MAX_TERM_LENGTH)

  constructor(index: IndexTerms) {
    this.index = index
  }

  /** Looks up all distinct terms of the document, in each space in use. */
  find(document: DocumentTerms): void {
    this.makeRoom()
    const { inSpace, prefixLengths } = this.index
    if (inSpace[WORDS] !== 0) {
      this.findTerms(document.plain, WORDS)
      for (const alias of document.plain.aliases?.keys() ?? []) this.findText(alias, WORDS)
    }
    if (inSpace[PAIRS] !== 0) this.findPairs(document)
    for (let space = 1; space < PREFIXES; space++) {
      if (inSpace[space] !== 0) this.findTerms(document.view(stemmingOfSpace(space)), space)
    }
    if (inSpace[PREFIXES] !== 0)
      for (let length = 1; length < prefixLengths.length; length++)
        if (prefixLengths[length] !== 0) this.findPrefixes(document.plain.table, length)
    if (inSpace[SITES] !== 0) this.findSites(document.host)
  }

  /** The reverse: looks up a few terms of the index in the document. */
  findOnly(document: DocumentTerms, each: (found: (term: number) => void) => void): void {
    this.makeRoom()
    const { table } = this.index
    each((term) => {
      const view = document.view(stemmingOfSpace(table.spaceOf(term)))
      const [start, length] = [table.offsets[term]!, table.lengths[term]!]
      const hash = table.hashes[term]!
      if (view.table.findUnits(hash, WORDS, table.units, start, length) !== -1) this.add(term)
    })
  }

  clear(): void {
    for (let at = 0; at < this.count; at++) this.present[this.terms[at]! >>> 5] = 0
    this.count = 0
  }

  memoryBytes(): number {
    let bytes = this.terms.byteLength + this.present.byteLength
    for (const { terms } of this.known.values()) bytes += terms.byteLength
    return bytes
  }

  private findTerms(view: TermView, space: number): void {
    const { owner, numbers } = view.numbering
    const known = this.knownIn(space, view.numbering)
    let asked = 0
    for (let term = 0; term < numbers.length; term++) {
      const entry = known[numbers[term]!]!
      if (entry > 0) this.add(entry - 1)
      else if (entry === 0) {
        this.asked[asked++] = numbers[term]!
        if (asked < AHEAD) continue
        this.ask(owner, space, asked, known)
        asked = 0
      }
    }
    this.ask(owner, space, asked, known)
  }

  /** Looks up terms that are not cached. Memory is touched for all of them before the first is needed. */
  private ask(
    { units, offsets, lengths, hashes }: Numbering['owner'],
    space: number,
    count: number,
    known: Int32Array,
  ): void {
    const { asked, firsts } = this
    const { finder } = this.index
    let touched = 0
    for (let at = 0; at < count; at++) {
      firsts[at] = hashInSpace(hashes[asked[at]!]!, space)
      touched ^= finder.touch(firsts[at]!)
    }
    this.touched = touched
    for (let at = 0; at < count; at++) {
      const number = asked[at]!
      const id = finder.find(firsts[at]!, secondHash(units, offsets[number]!, lengths[number]!, space))
      known[number] = id === -1 ? ABSENT : id + 1
      if (id !== -1) this.add(id)
    }
  }

  /** Cached results of a space by term number: 0 if not looked up yet, `ABSENT`, or the index's term plus one. */
  private knownIn(space: number, { owner }: Numbering): Int32Array {
    const { version } = this.index
    const known = this.known.get(space)
    const isValid = known !== undefined && known.owner === owner && known.version === version
    const hasRoom = known !== undefined && known.terms.length >= owner.offsets.length
    if (isValid && hasRoom) return known.terms
    const terms = hasRoom ? known.terms.fill(0) : new Int32Array(owner.offsets.length)
    if (isValid) terms.set(known.terms)
    this.known.set(space, { owner, version, terms })
    return terms
  }

  private findPrefixes(table: TermTable, length: number): void {
    eachPrefix(table, length, (hash, term) => {
      const known = this.index.table.findUnits(hash, PREFIXES, table.units, table.offsets[term]!, length)
      if (known !== -1) this.add(known)
    })
  }

  private findSites(host: string): void {
    for (let site = host; site !== ''; ) {
      this.findText(site, SITES)
      const dot = site.indexOf('.')
      site = dot === -1 ? '' : site.slice(dot + 1)
    }
  }

  private findText(text: string, space: number): void {
    const known = this.index.table.findText(hashText(text), space, text)
    if (known !== -1) this.add(known)
  }

  /** Pairs of adjacent characters of scripts without spaces. */
  private findPairs(document: DocumentTerms): void {
    const { table, termOf } = document.plain
    const { units, offsets, lengths } = table
    for (let token = 1; token < document.tokens; token++) {
      const [before, term] = [termOf[token - 1]!, termOf[token]!]
      const [first, second] = [offsets[before]!, offsets[term]!]
      if (units[first]! < FIRST_UNSPACED || units[second]! < FIRST_UNSPACED) continue
      if (!isUnspacedUnit(units[first]!) || !isUnspacedUnit(units[second]!)) continue
      if (!isJoinedToNext(document, token - 1)) continue
      const length = lengths[before]! + lengths[term]!
      if (length > this.pair.length) continue
      for (let at = 0; at < lengths[before]!; at++) this.pair[at] = units[first + at]!
      for (let at = 0; at < lengths[term]!; at++) this.pair[lengths[before]! + at] = units[second + at]!
      const known = this.index.table.findUnits(hashUnits(this.pair, 0, length), PAIRS, this.pair, 0, length)
      if (known !== -1) this.add(known)
    }
  }

  private add(term: number): void {
    const bit = 1 << (term & 31)
    if ((this.present[term >>> 5]! & bit) !== 0) return
    this.present[term >>> 5]! |= bit
    this.terms[this.count++] = term
  }

  private makeRoom(): void {
    const { limit } = this.index.table
    if (this.terms.length >= limit) return
    const room = Math.ceil(limit * 1.25)
    this.present = new Uint32Array((room >>> 5) + 1)
    this.terms = new Uint32Array(room)
  }
}
