import { grown } from '../terms/grown.ts'
import { BlockLists } from './block-lists.ts'

/** How many other entries there is room for in a copy, for each size of copies. */
const sizes = [0, 1, 2, 4, 7]
/** Before the other entries: the profile's slot, the weight of the term that it is listed under, and the profile's threshold. */
const HEAD = 3
const ENTRY = 2
/** The copies of a profile take no more cells than this. */
const MAX_CELLS = 40
/** So many lists are touched before the first of them is read: memory answers many questions at once, but only if they are asked at once. */
const AHEAD = 64

export type ProfileEntry = { readonly term: number; readonly weight: number; readonly isPosted: boolean }

/** The terms of a document, and where what is found is put. */
export type CopiedSearch = {
  terms: Uint32Array
  count: number
  /** A bit for each term. */
  present: Uint32Array
  slots: Uint32Array
  sums: Uint32Array
}

/**
 * Lists of profiles by term in which each profile has all its entries with it. A document's terms are then decided by reading
 * their lists from beginning to end, which memory is fastest at; entries that lie elsewhere cost a wait for memory for each profile. That is
 * for simple profiles of few entries that are listed under few terms: the others would have too many copies.
 */
export class CopiedEntries {
  private readonly lists = sizes.map((others) => new BlockLists(HEAD + others * ENTRY))
  /** A bit for each profile that was found already, under another of its terms. */
  private seen = new Uint32Array(1)
  /** For each term a bit for each size in which it has a list: most terms have few, and what is asked is near. */
  private sizesOf = new Uint8Array(16)
  /** Where lists begin and end that are read next. */
  private readonly starts = new Uint32Array(AHEAD)
  private readonly ends = new Uint32Array(AHEAD)
  /** Of what was touched. Nobody asks for it, but without it nothing would be touched. */
  protected touched = 0

  /** Adds a profile to the list of one of its terms; returns its index there. */
  post(size: number, slot: number, threshold: number, entries: readonly ProfileEntry[], posted: ProfileEntry): number {
    if (slot >>> 5 >= this.seen.length) this.seen = new Uint32Array(((slot * 1.5) >>> 5) + 1)
    const list = this.lists[size]!
    let at = list.push(posted.term)
    if (posted.term >= this.sizesOf.length)
      this.sizesOf = grown(this.sizesOf, new Uint8Array(Math.ceil(posted.term * 1.5) + 1))
    this.sizesOf[posted.term]! |= 1 << size
    const end = at + HEAD + sizes[size]! * ENTRY
    const { cells } = list
    cells[at++] = slot
    cells[at++] = posted.weight
    cells[at++] = threshold
    for (const entry of entries) {
      if (entry === posted) continue
      cells[at++] = entry.term
      cells[at++] = entry.weight
    }
    // What is left over weighs nothing.
    cells.fill(0, at, end)
    return list.lengthOf(posted.term) - 1
  }

  /** Removes an item of a list. Returns the profile that has its place now, or -1. */
  withdraw(size: number, term: number, place: number): number {
    const list = this.lists[size]!
    const moved = list.removeAt(term, place)
    if (list.lengthOf(term) === 0) this.sizesOf[term]! &= ~(1 << size)
    return moved
  }

  /** Puts profiles whose weights reach their thresholds, each once, and their sums at `found` and behind; returns where that ends. */
  find(search: CopiedSearch, found: number): number {
    const { slots } = search
    let end = found
    for (const [size, list] of this.lists.entries()) if (list.items > 0) end = this.findOf(size, list, search, end)
    for (let at = found; at < end; at++) this.seen[slots[at]! >>> 5] = 0
    return end
  }

  memoryBytes(): number {
    return this.lists.reduce((sum, list) => sum + list.memoryBytes(), this.seen.byteLength + this.sizesOf.byteLength)
  }

  private findOf(size: number, list: BlockLists, search: CopiedSearch, found: number): number {
    const { terms, count } = search
    const { cells, spans, stride } = list
    const { sizesOf, starts, ends } = this
    const bit = 1 << size
    let left = found
    let ahead = 0
    let touched = 0
    for (let index = 0; index < count; index++) {
      const term = terms[index]!
      if (term >= sizesOf.length || (sizesOf[term]! & bit) === 0) continue
      const start = spans[term * 2]!
      touched ^= cells[start]!
      starts[ahead] = start
      ends[ahead++] = start + spans[term * 2 + 1]! * stride
      if (ahead < AHEAD) continue
      left = this.findIn(cells, stride - HEAD, ahead, search, left)
      ahead = 0
    }
    this.touched = touched
    return this.findIn(cells, stride - HEAD, ahead, search, left)
  }

  private findIn(
    cells: Uint32Array,
    width: number,
    lists: number,
    { present, slots, sums }: CopiedSearch,
    found: number,
  ): number {
    const { seen, starts, ends } = this
    let left = found
    for (let list = 0; list < lists; list++) {
      const end = ends[list]!
      for (let at = starts[list]!; at < end; ) {
        const slot = cells[at]!
        let sum = cells[at + 1]! | 0
        const threshold = cells[at + 2]! | 0
        at += HEAD
        for (const next = at + width; at < next; at += ENTRY) {
          const other = cells[at]!
          // All bits of the weight, or none.
          sum = (sum + (cells[at + 1]! & -((present[other >>> 5]! >>> (other & 31)) & 1))) | 0
        }
        if (sum < threshold) continue
        const bit = 1 << (slot & 31)
        if ((seen[slot >>> 5]! & bit) !== 0) continue
        seen[slot >>> 5]! |= bit
        slots[left] = slot
        sums[left++] = sum
      }
    }
    return left
  }
}

/** In which of the lists a profile with this many entries belongs, of which some are listed; -1 where it must not be copied. */
export function copySize(entries: number, posted: number): number {
  const size = sizes.findIndex((others) => others >= entries - 1)
  return size === -1 || posted * (HEAD + sizes[size]! * ENTRY) > MAX_CELLS ? -1 : size
}
