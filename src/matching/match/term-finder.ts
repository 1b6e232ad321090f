import { finishHash, hashStart, secondFactor } from '../terms/term-hash.ts'

/** Cells of a slot: both hashes, and the term plus one. A slot never spans two cache lines. */
const CELLS = 4
const SECOND = 1
const ENTRY = 2

/**
 * Finds terms of the index by two 32-bit hashes, in one memory access: comparing letters would take four more, and with hundreds of
 * thousands of terms each is a cache miss.
 * Terms with two equal hashes are taken for the same: hashes are keyed per process, so that a word is confused with another once in
 * 10^10 documents, and no page can provoke it.
 */
export class TermFinder {
  private slots = new Int32Array(CELLS * 32)
  private mask = this.slots.length - CELLS
  private size = 0

  /** -1 if there is no such term. */
  find(first: number, second: number): number {
    const { slots, mask } = this
    for (let at = (first * CELLS) & mask; ; at = (at + CELLS) & mask) {
      const entry = slots[at + ENTRY]!
      if (entry === 0 || (slots[at] === first && slots[at + SECOND] === second)) return entry - 1
    }
  }

  /** Prefetches what `find` reads first. */
  touch(first: number): number {
    return this.slots[(first * CELLS) & this.mask]!
  }

  /** The term must be new. */
  add(first: number, second: number, term: number): void {
    if (++this.size * 2 * CELLS > this.slots.length) this.grow()
    this.place(first, second, term + 1)
  }

  remove(first: number, term: number): void {
    const { slots, mask } = this
    let hole = (first * CELLS) & mask
    while (slots[hole + ENTRY] !== term + 1) hole = (hole + CELLS) & mask
    for (let at = (hole + CELLS) & mask; slots[at + ENTRY] !== 0; at = (at + CELLS) & mask) {
      const home = (slots[at]! * CELLS) & mask
      // An entry must not move before its home slot.
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      slots.copyWithin(hole, at, at + CELLS)
      hole = at
    }
    slots[hole + ENTRY] = 0
    this.size--
  }

  memoryBytes(): number {
    return this.slots.byteLength
  }

  private place(first: number, second: number, entry: number): void {
    const { slots, mask } = this
    let at = (first * CELLS) & mask
    while (slots[at + ENTRY] !== 0) at = (at + CELLS) & mask
    slots[at] = first
    slots[at + SECOND] = second
    slots[at + ENTRY] = entry
  }

  private grow(): void {
    const before = this.slots
    this.slots = new Int32Array(before.length * 2)
    this.mask = this.slots.length - CELLS
    for (let at = 0; at < before.length; at += CELLS)
      if (before[at + ENTRY] !== 0) this.place(before[at]!, before[at + SECOND]!, before[at + ENTRY]!)
  }
}

/** The second hash of a term; `space` as in `hashInSpace`. */
export function secondHash(units: Uint16Array, start: number, length: number, space: number): number {
  let state = hashStart ^ space
  for (let at = start; at < start + length; at++) state = Math.imul(state ^ units[at]!, secondFactor)
  return finishHash(state)
}
