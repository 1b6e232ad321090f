import { grown } from '../terms/grown.ts'
import { BlockLists } from './block-lists.ts'

/** Room for other entries in a copy, by size class. */
const sizes = [0, 1, 2, 4, 7]
/**
 * A cell packs a number of 24 bits and one of 8. The head holds the profile's slot with the number of its weight unit, and its threshold
 * with the weight of the term it is listed under. Each other entry is a term with its weight. Weights and threshold are counted in the
 * unit, the greatest common divisor of the weights: so whole numbers and tenths, which nearly all are, fit into a byte.
 */
const HEAD = 2
const SMALL_BITS = 8
const MAX_SMALL = 2 ** SMALL_BITS - 1
const MAX_LARGE = 2 ** (32 - SMALL_BITS) - 1
/** Maximum number of cells for all copies of a profile. */
const MAX_CELLS = 40
/** Lists touched before the first is read, to prefetch them: memory serves many requests at once, but only if issued together. */
const AHEAD = 64

export type ProfileEntry = { readonly term: number; readonly weight: number; readonly isPosted: boolean }

/** The terms of a document, and the output arrays. */
export type CopiedSearch = {
  terms: Uint32Array
  count: number
  /** A bit per term. */
  present: Uint32Array
  slots: Uint32Array
  sums: Uint32Array
}

/**
 * Lists of profiles by term in which each profile carries all its entries. Matching a document then reads the lists of its terms
 * sequentially, which memory is fastest at; entries stored elsewhere would cost a cache miss per profile. Used for simple profiles with
 * few entries that are listed under few terms: others would have too many copies.
 */
export class CopiedEntries {
  private readonly lists = sizes.map((others) => new BlockLists(HEAD + others))
  /** A bit per profile that was already found under another of its terms. */
  private seen = new Uint32Array(1)
  /** By term: a bit per size class in which it has a list. Most terms have few, and a small table is quickly read. */
  private sizesOf = new Uint8Array(16)
  /** Start and end of the lists read next. */
  private readonly starts = new Uint32Array(AHEAD)
  private readonly ends = new Uint32Array(AHEAD)
  /** Combines the touched cells. Never read, but without it nothing would be touched. */
  protected touched = 0

  /** Weight units in use, and their numbers. */
  private readonly units: number[] = []
  private readonly unitNumbers = new Map<number, number>()

  /** Size class for a profile with `posted` listed entries; -1 if it must not be copied. */
  sizeOf(entries: readonly ProfileEntry[], posted: number, threshold: number): number {
    const size = copySize(entries.length, posted)
    if (size === -1) return -1
    const unit = unitOf(entries)
    if (unit === 0 || threshold / unit > MAX_LARGE) return -1
    for (const { term, weight } of entries) if (term > MAX_LARGE || weight / unit > MAX_SMALL) return -1
    if (!this.unitNumbers.has(unit)) {
      if (this.units.length > MAX_SMALL) return -1
      this.unitNumbers.set(unit, this.units.length)
      this.units.push(unit)
    }
    return size
  }

  /** Adds a profile to the list of one of its terms; returns its index there. */
  post(size: number, slot: number, threshold: number, entries: readonly ProfileEntry[], posted: ProfileEntry): number {
    if (slot >>> 5 >= this.seen.length) this.seen = new Uint32Array(((slot * 1.5) >>> 5) + 1)
    const list = this.lists[size]!
    let at = list.push(posted.term)
    if (posted.term >= this.sizesOf.length)
      this.sizesOf = grown(this.sizesOf, new Uint8Array(Math.ceil(posted.term * 1.5) + 1))
    this.sizesOf[posted.term]! |= 1 << size
    const end = at + list.stride
    const { cells } = list
    const unit = unitOf(entries)
    cells[at++] = (slot << SMALL_BITS) | this.unitNumbers.get(unit)!
    cells[at++] = (Math.ceil(threshold / unit) << SMALL_BITS) | (posted.weight / unit)
    for (const entry of entries) if (entry !== posted) cells[at++] = (entry.term << SMALL_BITS) | (entry.weight / unit)
    // Unused entries have weight 0.
    cells.fill(0, at, end)
    return list.lengthOf(posted.term) - 1
  }

  /** Removes an item of a list. Returns the profile that takes its place, or -1. */
  withdraw(size: number, term: number, place: number): number {
    const list = this.lists[size]!
    const moved = list.removeAt(term, place)
    if (list.lengthOf(term) === 0) this.sizesOf[term]! &= ~(1 << size)
    return moved === -1 ? -1 : moved >>> SMALL_BITS
  }

  /** Writes each profile that reaches its threshold once, with its sum, from `found` on; returns the end. */
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
    const { seen, starts, ends, units } = this
    let left = found
    for (let list = 0; list < lists; list++) {
      const end = ends[list]!
      for (let at = starts[list]!; at < end; ) {
        const head = cells[at]!
        const own = cells[at + 1]!
        let sum = own & MAX_SMALL
        at += HEAD
        for (const next = at + width; at < next; at++) {
          const entry = cells[at]!
          const term = entry >>> SMALL_BITS
          // A branchless mask: all bits of the weight, or none.
          sum += entry & MAX_SMALL & -((present[term >>> 5]! >>> (term & 31)) & 1)
        }
        if (sum < own >>> SMALL_BITS) continue
        const slot = head >>> SMALL_BITS
        const bit = 1 << (slot & 31)
        if ((seen[slot >>> 5]! & bit) !== 0) continue
        seen[slot >>> 5]! |= bit
        slots[left] = slot
        sums[left++] = sum * units[head & MAX_SMALL]!
      }
    }
    return left
  }
}

/** Size class for a profile with this many entries, `posted` of them listed; -1 if it would have too many copies. */
export function copySize(entries: number, posted: number): number {
  const size = sizes.findIndex((others) => others >= entries - 1)
  return size === -1 || posted * (HEAD + sizes[size]!) > MAX_CELLS ? -1 : size
}

function unitOf(entries: readonly ProfileEntry[]): number {
  let unit = 0
  for (const { weight } of entries) for (let rest = weight; rest !== 0; ) [unit, rest] = [rest, unit % rest]
  return unit
}
