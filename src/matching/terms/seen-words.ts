import type { TermTable } from './term-table.ts'

const CELLS = 4
const SECOND = 1
const ENTRY = 2
const COUNT = 3

/**
 * The words of the document that is being read, by two hashes of 32 bits. Words of which both are equal are taken for the
 * same without comparing letters: the hashes are keyed per process, so that two words of one document
 * are confused once in 10^12 documents, and no page can provoke it. New words go to the document's table, where all
 * further comparisons are by letters.
 */
export class SeenWords {
  private readonly table: TermTable
  /** For each slot both hashes, the term's number plus one, and how often it was seen. */
  private slots: Int32Array
  private mask: number

  constructor(table: TermTable, expected: number) {
    this.table = table
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(16, expected) * 2)) * CELLS)
    this.mask = this.slots.length / CELLS - 1
  }

  /** The number of the term, after it was counted. */
  add(first: number, second: number, units: Uint16Array, start: number, length: number): number {
    const { slots, mask } = this
    let at = (first & mask) * CELLS
    for (let entry = slots[at + ENTRY]!; entry !== 0; entry = slots[at + ENTRY]!) {
      if (slots[at] === first && slots[at + SECOND] === second) {
        slots[at + COUNT]!++
        return entry - 1
      }
      at = (at + CELLS) & (mask * CELLS)
    }
    return this.insert(at, first, second, this.table.addUnits(first, 0, units, start, length))
  }

  /** For each term how often it was seen. */
  counts(): Uint32Array {
    const counts = new Uint32Array(this.table.limit)
    const { slots } = this
    for (let at = 0; at < slots.length; at += CELLS)
      if (slots[at + ENTRY] !== 0) counts[slots[at + ENTRY]! - 1] = slots[at + COUNT]!
    return counts
  }

  private insert(at: number, first: number, second: number, term: number): number {
    const { slots } = this
    slots[at] = first
    slots[at + SECOND] = second
    slots[at + ENTRY] = term + 1
    slots[at + COUNT] = 1
    if (this.table.size * 2 > this.mask) this.grow()
    return term
  }

  private grow(): void {
    const before = this.slots
    this.slots = new Int32Array(before.length * 2)
    this.mask = this.slots.length / CELLS - 1
    for (let from = 0; from < before.length; from += CELLS) {
      if (before[from + ENTRY] === 0) continue
      let at = (before[from]! & this.mask) * CELLS
      while (this.slots[at + ENTRY] !== 0) at = (at + CELLS) & (this.mask * CELLS)
      for (let cell = 0; cell < CELLS; cell++) this.slots[at + cell] = before[from + cell]!
    }
  }
}
