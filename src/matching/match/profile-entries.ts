import { BlockLists } from './block-lists.ts'
import { CopiedEntries, type ProfileEntry } from './copied-entries.ts'
import type { FiledEntry } from './filing.ts'
import type { IndexTerms } from './index-terms.ts'

/**
 * The record of a profile: its threshold, how it is listed (the size class of its copies plus one, 0 for payments), a term and weight for
 * each entry, in order of the terms, and then for each entry its index in the list of the term. Deciding a profile reads only the first
 * part, which usually fits into one cache line.
 */
const HEAD = 2
const LISTED = 1
const ENTRY = 2
const RECORD = ENTRY + 1
const UNPOSTED = 0xffffffff
/** Full payment for a profile. A posting is the profile's slot and, in its last eight bits, its share of this, rounded up. */
const WHOLE = 128
const SHARE_BITS = 8
/** Maximum number of profiles. */
export const MAX_SLOTS = 2 ** (32 - SHARE_BITS)
/** Below this number of payments per profile, the paid profiles are visited again instead of scanning all. */
const FEW = 1 / 32

/**
 * Which profile wants which term, in both directions: lists of profiles by term, read if a document has the term, and entries by
 * profile, to decide candidates and to find the profile's positions in the lists when it is removed.
 *
 * Simple profiles with few entries are decided where they are listed, see `CopiedEntries`. For the others payments are made. The amount
 * paid for a profile is one byte, starting at zero, so that those of a million profiles stay in the processor's cache.
 */
export class ProfileEntries {
  /** Profiles found by `pay`, or left after `settle`; valid up to the count these returned. */
  candidates = new Uint32Array(16)
  /** Sum of the weights of each remaining candidate; 0 if it isn't simple. */
  sums = new Uint32Array(16)
  /** For the last document: candidates by payments, and matches. */
  considered = 0
  private readonly terms: IndexTerms
  private readonly own = new BlockLists(1)
  private readonly postings = new BlockLists(1)
  private readonly copies = new CopiedEntries()
  /** Saturates at 255, so that further payments can't wrap around. */
  private paid = new Uint8ClampedArray(16)
  /** The same memory, four profiles at a time. */
  private paidFour = new Uint32Array(this.paid.buffer)
  private slots = 0

  constructor(terms: IndexTerms) {
    this.terms = terms
  }

  /** The slot must have no entries. `threshold` is what the weights of a simple profile must add up to; 0 for all others. */
  set(slot: number, entries: readonly FiledEntry[], needed: number, threshold: number): void {
    this.makeRoom(slot)
    const merged = this.merge(entries)
    const posted = merged.reduce((count, { isPosted }) => count + (isPosted ? 1 : 0), 0)
    const size = threshold === 0 ? -1 : this.copies.sizeOf(merged, posted, threshold)
    let at = this.own.create(slot, HEAD + merged.length * RECORD)
    let place = at + HEAD + merged.length * ENTRY
    const { cells } = this.own
    cells[at++] = threshold
    cells[at++] = size + 1
    for (const entry of merged) {
      cells[at++] = entry.term
      cells[at++] = entry.weight
      if (!entry.isPosted) cells[place++] = UNPOSTED
      else if (size === -1) cells[place++] = this.post(entry.term, slot, shareOf(entry.weight, needed))
      else cells[place++] = this.copies.post(size, slot, threshold, merged, entry)
    }
  }

  remove(slot: number): void {
    const { own } = this
    const entries = this.entriesOf(slot)
    const size = own.cells[own.spans[slot * 2]! + LISTED]! - 1
    const from = own.spans[slot * 2]! + HEAD
    for (let entry = 0; entry < entries; entry++) {
      const term = own.cells[from + entry * ENTRY]!
      const place = own.cells[from + entries * ENTRY + entry]!
      if (place !== UNPOSTED) this.withdraw(size, term, place)
      this.terms.release(term)
    }
    own.clear(slot)
  }

  eachTerm(slot: number, found: (term: number) => void): void {
    const from = this.own.spans[slot * 2]! + HEAD
    const end = from + this.entriesOf(slot) * ENTRY
    for (let at = from; at < end; at += ENTRY) found(this.own.cells[at]!)
  }

  /**
   * For a document with the first `count` of the terms: finds the profiles to be verified (with sum 0) and the simple ones that match.
   * Returns their number. `present` has a bit per term.
   */
  find(terms: Uint32Array, count: number, present: Uint32Array): number {
    this.considered = this.pay(terms, count)
    const left = this.settle(this.considered, present)
    const end = this.copies.find({ terms, count, present, slots: this.candidates, sums: this.sums }, left)
    this.considered += end - left
    return end
  }

  /** Pays for the first `count` of the terms; returns the number of candidates. */
  private pay(terms: Uint32Array, count: number): number {
    const { spans, items } = this.postings
    if (items === 0) return 0
    let payments = 0
    for (let index = 0; index < count; index++) payments += spans[terms[index]! * 2 + 1] ?? 0
    return payments > this.slots * FEW ? this.payMany(terms, count) : this.payFew(terms, count)
  }

  /**
   * Of the first `count` candidates, keeps those that are not simple, and the simple ones whose weights reach their threshold. Returns
   * their number. `present` has a bit per term.
   */
  settle(count: number, present: Uint32Array): number {
    const { candidates, sums } = this
    const { cells, spans } = this.own
    let left = 0
    for (let index = 0; index < count; index++) {
      const slot = candidates[index]!
      let at = spans[slot * 2]!
      const entries = ((spans[slot * 2 + 1]! - HEAD) / RECORD) | 0
      const threshold = cells[at]! | 0
      const end = at + HEAD + entries * ENTRY
      let sum = 0
      for (at += HEAD; at < end; at += ENTRY) {
        const term = cells[at]!
        // A branchless mask: all bits of the weight, or none.
        sum = (sum + (cells[at + 1]! & -((present[term >>> 5]! >>> (term & 31)) & 1))) | 0
      }
      candidates[left] = slot
      sums[left] = threshold === 0 ? 0 : sum
      // Branchless: a branch would have to wait for the record.
      left += 1 + ((sum - threshold) >> 31)
    }
    return left
  }

  private payFew(terms: Uint32Array, count: number): number {
    const { spans, cells } = this.postings
    const { paid, candidates } = this
    let found = 0
    for (let index = 0; index < count; index++) {
      const from = spans[terms[index]! * 2] ?? 0
      const end = from + (spans[terms[index]! * 2 + 1] ?? 0)
      for (let at = from; at < end; at++) {
        const slot = cells[at]! >>> SHARE_BITS
        const before = paid[slot]!
        const after = before + (cells[at]! & 0xff)
        paid[slot] = after
        if (after >= WHOLE && before < WHOLE) candidates[found++] = slot
      }
    }
    for (let index = 0; index < count; index++) {
      const from = spans[terms[index]! * 2] ?? 0
      const end = from + (spans[terms[index]! * 2 + 1] ?? 0)
      for (let at = from; at < end; at++) paid[cells[at]! >>> SHARE_BITS] = 0
    }
    return found
  }

  /** Candidates come in the order of their slots, which is also that of their records. */
  private payMany(terms: Uint32Array, count: number): number {
    const { spans, cells } = this.postings
    const { paid, paidFour, candidates, slots } = this
    for (let index = 0; index < count; index++) {
      const from = spans[terms[index]! * 2] ?? 0
      const end = from + (spans[terms[index]! * 2 + 1] ?? 0)
      for (let at = from; at < end; at++) paid[cells[at]! >>> SHARE_BITS]! += cells[at]! & 0xff
    }
    let found = 0
    for (let four = 0; four * 4 < slots; four++) {
      if ((paidFour[four]! & 0x80808080) === 0) continue
      for (let slot = four * 4; slot < four * 4 + 4; slot++) {
        candidates[found] = slot
        found += paid[slot]! >>> 7
      }
    }
    paid.fill(0, 0, slots)
    return found
  }

  memoryBytes(): number {
    const { candidates, sums, paid, own, postings, copies } = this
    return (
      candidates.byteLength +
      sums.byteLength +
      paid.byteLength +
      own.memoryBytes() +
      postings.memoryBytes() +
      copies.memoryBytes()
    )
  }

  /** Distinct terms as numbers, in order. A term that is named twice is counted as used once. */
  private merge(entries: readonly FiledEntry[]): ProfileEntry[] {
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

  private post(term: number, slot: number, share: number): number {
    // The push may replace the cells.
    const at = this.postings.push(term)
    this.postings.cells[at] = (slot << SHARE_BITS) | share
    return this.postings.lengthOf(term) - 1
  }

  /** Another profile may move into the freed place; its record is updated. */
  private withdraw(size: number, term: number, place: number): void {
    let moved: number
    if (size !== -1) moved = this.copies.withdraw(size, term, place)
    else {
      moved = this.postings.removeAt(term, place)
      if (moved !== -1) moved >>>= SHARE_BITS
    }
    if (moved !== -1) this.own.cells[this.placeOf(moved, term)] = place
  }

  /** The cell of a profile's record with its index in the list of a term. */
  private placeOf(slot: number, term: number): number {
    const { cells, spans } = this.own
    const entries = this.entriesOf(slot)
    const from = spans[slot * 2]! + HEAD
    let low = 0
    for (let high = entries - 1; low < high; ) {
      const middle = (low + high) >> 1
      if (cells[from + middle * ENTRY]! < term) low = middle + 1
      else high = middle
    }
    return from + entries * ENTRY + low
  }

  private entriesOf(slot: number): number {
    return (this.own.lengthOf(slot) - HEAD) / RECORD
  }

  private makeRoom(slot: number): void {
    if (slot >= this.slots) this.slots = slot + 1
    // One cell is written after the last candidate.
    if (slot + 4 < this.paid.length) return
    const room = Math.ceil((slot * 1.5) / 4) * 4 + 16
    this.candidates = new Uint32Array(room)
    this.sums = new Uint32Array(room)
    this.paid = new Uint8ClampedArray(room)
    this.paidFour = new Uint32Array(this.paid.buffer)
  }
}

/** Rounded up, so that weights that together reach what is needed have shares that add up to at least the whole. */
function shareOf(weight: number, needed: number): number {
  return Math.min(WHOLE, Math.ceil((weight / needed) * WHOLE))
}
