import { grown } from '../terms/term-table.ts'
import { BlockLists } from './block-lists.ts'
import type { FiledEntry } from './filing.ts'
import type { IndexTerms } from './index-terms.ts'

/** An entry of a profile: term, weight, and its index in the list of the term. Entries are in the order of their terms. */
const ENTRY = 3
/** An entry of a term's list: profile and weight. */
const POSTING = 2
const UNPOSTED = 0xffffffff
/** Weights are summed up in 32 bits; ten thousand of them can be wrong by less than this share. */
const SLACK = 1e-3

/**
 * Which profile wants which term, both ways: lists of profiles by term, to be read when a document has the term, and
 * entries by profile, to decide candidates and to find the profile's positions in the lists when it is removed.
 */
export class ProfileEntries {
  /** What a simple profile's entries must sum up to; 0 for all others. */
  thresholds = new Uint32Array(16)
  /** Profiles that owe nothing any more; only as many as `pay` said. */
  candidates = new Uint32Array(16)
  private readonly terms: IndexTerms
  private readonly own = new BlockLists(ENTRY)
  private readonly postings = new BlockLists(POSTING)
  /** What a profile owes before any document, as a negative number, and what it owes now. */
  private debts = new Float32Array(16)
  private owed = new Float32Array(16)
  private slots = 0

  constructor(terms: IndexTerms) {
    this.terms = terms
  }

  /** The slot must have no entries. */
  set(slot: number, entries: readonly FiledEntry[], needed: number, threshold: number): void {
    this.makeRoom(slot)
    this.thresholds[slot] = threshold
    this.debts[slot] = this.owed[slot] = -needed * (1 - SLACK)
    const merged = this.merge(entries)
    const cell = this.own.create(slot, merged.length)
    for (const [index, { term, weight, isPosted }] of merged.entries()) {
      const at = cell + index * ENTRY
      this.own.cells[at] = term
      this.own.cells[at + 1] = weight
      this.own.cells[at + 2] = isPosted ? this.post(term, slot, weight) : UNPOSTED
    }
  }

  remove(slot: number): void {
    const { own } = this
    const from = own.offsets[slot]!
    const end = from + own.lengths[slot]! * ENTRY
    for (let at = from; at < end; at += ENTRY) {
      const term = own.cells[at]!
      if (own.cells[at + 2] !== UNPOSTED) this.withdraw(term, own.cells[at + 2]!)
      this.terms.release(term)
    }
    own.clear(slot)
    this.debts[slot] = this.owed[slot] = Number.NEGATIVE_INFINITY
  }

  /** The weights of a profile's entries whose terms are present. */
  sum(slot: number, present: Uint8Array): number {
    const { cells, offsets, lengths } = this.own
    const from = offsets[slot]!
    const end = from + lengths[slot]! * ENTRY
    let sum = 0
    for (let at = from; at < end; at += ENTRY) if (present[cells[at]!] === 1) sum += cells[at + 1]!
    return sum
  }

  eachTerm(slot: number, found: (term: number) => void): void {
    const from = this.own.offsets[slot]!
    const end = from + this.own.lengths[slot]! * ENTRY
    for (let at = from; at < end; at += ENTRY) found(this.own.cells[at]!)
  }

  /**
   * Pays for the first `count` of the terms; returns how many candidates there are. Afterwards all profiles owe again what
   * they owed before. The cheaper is done: to visit those that were paid once more, or to go through all.
   */
  pay(terms: Uint32Array, count: number): number {
    const { lengths } = this.postings
    let payments = 0
    for (let index = 0; index < count; index++) payments += lengths[terms[index]!] ?? 0
    return payments * 8 > this.slots ? this.payMany(terms, count) : this.payFew(terms, count)
  }

  private payFew(terms: Uint32Array, count: number): number {
    const { offsets, lengths, cells, floats } = this.postings
    const { owed, debts, candidates } = this
    let found = 0
    for (let index = 0; index < count; index++) {
      const from = offsets[terms[index]!] ?? 0
      const end = from + (lengths[terms[index]!] ?? 0) * POSTING
      for (let at = from; at < end; at += POSTING) {
        const slot = cells[at]!
        const before = owed[slot]!
        const after = before + floats[at + 1]!
        owed[slot] = after
        if (after >= 0 && before < 0) candidates[found++] = slot
      }
    }
    for (let index = 0; index < count; index++) {
      const from = offsets[terms[index]!] ?? 0
      const end = from + (lengths[terms[index]!] ?? 0) * POSTING
      for (let at = from; at < end; at += POSTING) owed[cells[at]!] = debts[cells[at]!]!
    }
    return found
  }

  /** Candidates come in the order of their slots, in which their entries lie, too. */
  private payMany(terms: Uint32Array, count: number): number {
    const { offsets, lengths, cells, floats } = this.postings
    const { owed, debts, candidates, slots } = this
    for (let index = 0; index < count; index++) {
      const from = offsets[terms[index]!] ?? 0
      const end = from + (lengths[terms[index]!] ?? 0) * POSTING
      for (let at = from; at < end; at += POSTING) owed[cells[at]!]! += floats[at + 1]!
    }
    let found = 0
    for (let slot = 0; slot < slots; slot++) if (owed[slot]! >= 0) candidates[found++] = slot
    owed.set(debts.subarray(0, slots))
    return found
  }

  memoryBytes(): number {
    const { thresholds, candidates, debts, owed } = this
    const arrays = thresholds.byteLength + candidates.byteLength + debts.byteLength + owed.byteLength
    return arrays + this.own.memoryBytes() + this.postings.memoryBytes()
  }

  /** Terms as numbers, in order, each once. Of a term that is named twice only one use is noted. */
  private merge(entries: readonly FiledEntry[]): { term: number; weight: number; isPosted: boolean }[] {
    const found = entries.map(({ key, weight, isPosted }) => ({ term: this.terms.acquire(key), weight, isPosted }))
    found.sort((a, b) => a.term - b.term)
    let last = 0
    for (const entry of found.slice(1)) {
      const kept = found[last]!
      if (entry.term !== kept.term) found[++last] = entry
      else {
        kept.weight += entry.weight
        kept.isPosted ||= entry.isPosted
        this.terms.release(entry.term)
      }
    }
    return found.slice(0, last + 1)
  }

  private post(term: number, slot: number, weight: number): number {
    const at = this.postings.push(term)
    this.postings.cells[at] = slot
    this.postings.floats[at + 1] = weight
    return this.postings.lengths[term]! - 1
  }

  /** The last of the list moves into the free cell, and its profile's reference is updated. */
  private withdraw(term: number, place: number): void {
    const { postings } = this
    const from = postings.offsets[term]!
    const last = postings.lengths[term]! - 1
    if (place !== last) {
      const moved = postings.cells[from + last * POSTING]!
      postings.cells[from + place * POSTING] = moved
      postings.cells[from + place * POSTING + 1] = postings.cells[from + last * POSTING + 1]!
      this.own.cells[this.findEntry(moved, term) + 2] = place
    }
    postings.pop(term)
  }

  private findEntry(slot: number, term: number): number {
    const { cells, offsets, lengths } = this.own
    let low = 0
    for (let high = lengths[slot]! - 1; low < high; ) {
      const middle = (low + high) >> 1
      if (cells[offsets[slot]! + middle * ENTRY]! < term) low = middle + 1
      else high = middle
    }
    return offsets[slot]! + low * ENTRY
  }

  private makeRoom(slot: number): void {
    if (slot >= this.slots) this.slots = slot + 1
    if (slot < this.debts.length) return
    const room = Math.ceil(slot * 1.5) + 16
    this.thresholds = grown(this.thresholds, new Uint32Array(room))
    this.candidates = new Uint32Array(room)
    this.debts = grown(this.debts, new Float32Array(room))
    this.owed = grown(this.owed, new Float32Array(room))
  }
}
