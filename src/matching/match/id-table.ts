import { finishHash, hashStart } from '../terms/term-hash.ts'

const NONE = -1

/** Maps profile ids to slots. Slots of removed profiles are reused. */
export class IdTable {
  size = 0
  /** All slots are below this. */
  limit = 0
  ids = new Float64Array(16)
  private table = new Uint32Array(64)
  private mask = 63
  private freed: number[] = []

  find(id: number): number {
    const { table, mask, ids } = this
    for (let at = hashOf(id) & mask; ; at = (at + 1) & mask) {
      const entry = table[at]!
      if (entry === 0) return NONE
      if (ids[entry - 1] === id) return entry - 1
    }
  }

  /** The id must not be in the table yet. */
  add(id: number): number {
    const slot = this.freed.pop() ?? this.limit++
    if (slot >= this.ids.length) {
      const before = this.ids
      this.ids = new Float64Array(Math.ceil(before.length * 1.5))
      this.ids.set(before)
    }
    this.ids[slot] = id
    this.size++
    if (this.size * 2 > this.table.length) this.grow()
    this.place(id, slot + 1)
    return slot
  }

  remove(id: number): void {
    const { table, mask, ids } = this
    let hole = hashOf(id) & mask
    while (ids[table[hole]! - 1] !== id) hole = (hole + 1) & mask
    const slot = table[hole]! - 1
    for (let at = (hole + 1) & mask; table[at] !== 0; at = (at + 1) & mask) {
      const home = hashOf(ids[table[at]! - 1]!) & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      table[hole] = table[at]!
      hole = at
    }
    table[hole] = 0
    ids[slot] = Number.NaN
    this.freed.push(slot)
    this.size--
  }

  memoryBytes(): number {
    return this.ids.byteLength + this.table.byteLength + this.freed.length * 8
  }

  private place(id: number, entry: number): void {
    let at = hashOf(id) & this.mask
    while (this.table[at] !== 0) at = (at + 1) & this.mask
    this.table[at] = entry
  }

  private grow(): void {
    const before = this.table
    this.table = new Uint32Array(before.length * 2)
    this.mask = this.table.length - 1
    for (const entry of before) if (entry !== 0) this.place(this.ids[entry - 1]!, entry)
  }
}

function hashOf(id: number): number {
  return finishHash((id | 0) ^ Math.imul(Math.floor(id / 2 ** 32), 0x9e3779b1) ^ hashStart)
}
