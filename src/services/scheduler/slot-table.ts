import { AppError } from '../../core/errors.ts'

/**
 * Numbers the rows of a table of typed arrays. An id is any whole number of at most 53 bits; its slot is small and dense,
 * and is given to somebody else once the id is removed. Per id it costs eight bytes and its share of a hash table with
 * linear probing, where a `Map` would cost forty to eighty.
 */
export type SlotTable = {
  /** -1 where the id is not known. */
  find(id: number): number
  /** The slot of a new id; it must not be known. */
  add(id: number): number
  remove(slot: number): void
  idOf(slot: number): number
  size(): number
  /** All slots in use are below it. */
  end(): number
  capacity(): number
}

export type SlotTableOptions = {
  capacity: number
  /** Called before a slot is given out that lies behind the old capacity. */
  onGrow(capacity: number): void
}

type Column = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array

/** The same column with more room. */
export function grown<T extends Column>(column: T, length: number): T {
  const larger = new (column.constructor as new (length: number) => T)(length)
  larger.set(column)
  return larger
}

const GROWTH = 1.5
const FREE = 0xffffffff

export function createSlotTable({ capacity, onGrow }: SlotTableOptions): SlotTable {
  let room = Math.max(16, capacity)
  /** The upper bits of an id, FREE for an empty slot. */
  let high = new Uint32Array(room).fill(FREE)
  /** The lower bits; of an empty slot the next empty one plus one. */
  let low = new Uint32Array(room)
  let table = new Int32Array(tableSize(room)).fill(-1)
  let mask = table.length - 1
  let used = 0
  let end = 0
  let firstFree = 0

  function place(slot: number): void {
    let at = hash(high[slot]!, low[slot]!) & mask
    while (table[at] !== -1) at = (at + 1) & mask
    table[at] = slot
  }

  function grow(): void {
    const old = room
    room = Math.ceil(room * GROWTH)
    high = grown(high, room).fill(FREE, old)
    low = grown(low, room)
    if (tableSize(room) > table.length) {
      table = new Int32Array(tableSize(room)).fill(-1)
      mask = table.length - 1
      for (let slot = 0; slot < old; slot++) if (high[slot] !== FREE) place(slot)
    }
    onGrow(room)
  }

  function freeSlot(): number {
    if (firstFree !== 0) {
      const slot = firstFree - 1
      firstFree = low[slot]!
      return slot
    }
    if (end === room) grow()
    return end++
  }

  return {
    find(id) {
      const hi = Math.floor(id / 2 ** 32)
      const lo = id >>> 0
      for (let at = hash(hi, lo) & mask; ; at = (at + 1) & mask) {
        const slot = table[at]!
        if (slot === -1 || (low[slot] === lo && high[slot] === hi)) return slot
      }
    },
    add(id) {
      checkId(id)
      const slot = freeSlot()
      high[slot] = Math.floor(id / 2 ** 32)
      low[slot] = id >>> 0
      place(slot)
      used++
      return slot
    },
    remove(slot) {
      let hole = hash(high[slot]!, low[slot]!) & mask
      while (table[hole] !== slot) hole = (hole + 1) & mask
      // Entries behind the hole move up, unless that would put them before the place where their search begins.
      for (let at = (hole + 1) & mask; table[at] !== -1; at = (at + 1) & mask) {
        const home = hash(high[table[at]!]!, low[table[at]!]!) & mask
        if (((at - home) & mask) < ((at - hole) & mask)) continue
        table[hole] = table[at]!
        hole = at
      }
      table[hole] = -1
      high[slot] = FREE
      low[slot] = firstFree
      firstFree = slot + 1
      used--
    },
    idOf: (slot) => high[slot]! * 2 ** 32 + low[slot]!,
    size: () => used,
    end: () => end,
    capacity: () => room,
  }
}

/** Throws `internal` for what cannot be an id. */
export function checkId(id: number): void {
  if (!Number.isSafeInteger(id) || id < 0) throw new AppError('internal', `not a whole number: ${id}`)
}

function tableSize(slots: number): number {
  return 2 ** Math.ceil(Math.log2(slots * 1.4))
}

function hash(hi: number, lo: number): number {
  return spread(lo ^ Math.imul(hi, 0x9e3779b1))
}

/** A reversible mix of 32 bits: numbers that follow each other end up far apart. */
export function spread(word: number): number {
  let h = word ^ (word >>> 16)
  h = Math.imul(h, 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}
