import { grown } from '../terms/grown.ts'

/**
 * Many lists of items in one array: each owner (a term, a profile) has a block that holds its items contiguously. A full block moves to
 * a larger one, a mostly empty one to a smaller, and free blocks are reused by size. When half of the memory is in free blocks,
 * everything is compacted into new memory.
 *
 * An item is `stride` cells. Items keep their index in the list until their owner moves them; their cells may move.
 */
export class BlockLists {
  cells: Uint32Array
  /** By owner: start and number of its items, side by side, so that one memory access gets both. */
  spans = new Uint32Array(32)
  /** Number of items in all lists. */
  items = 0
  readonly stride: number
  private classes = new Uint8Array(16)
  private used = 0
  private unused = 0
  /** By size: the first free block plus one; each free block links to the next in its first cell. */
  private heads = new Uint32Array(sizes.length)

  constructor(stride: number) {
    this.stride = stride
    this.cells = new Uint32Array(256)
  }

  lengthOf(owner: number): number {
    return this.spans[owner * 2 + 1] ?? 0
  }

  /** Adds an item and returns its first cell, to be filled immediately. */
  push(owner: number): number {
    if (owner * 2 >= this.spans.length) this.growOwners(owner)
    const length = this.spans[owner * 2 + 1]!
    if (length === 0) this.allocate(owner, 0)
    else if (length === sizes[this.classes[owner]!]) this.move(owner, this.classes[owner]! + 1)
    this.spans[owner * 2 + 1] = length + 1
    this.items++
    return this.spans[owner * 2]! + length * this.stride
  }

  /** Removes the last item. */
  pop(owner: number): void {
    const length = this.spans[owner * 2 + 1]! - 1
    this.spans[owner * 2 + 1] = length
    this.items--
    if (length === 0) this.free(this.spans[owner * 2]!, this.classes[owner]!)
    else if (length * 4 < sizes[this.classes[owner]!]!) this.move(owner, classFor(length * 2))
    if (this.unused * 2 > this.used && this.unused > MIN_COMPACTED) this.compact()
  }

  /** Removes an item by moving the last one into its cells. Returns the first cell of the moved item; -1 if it was the last itself. */
  removeAt(owner: number, index: number): number {
    const last = this.spans[owner * 2 + 1]! - 1
    const to = this.spans[owner * 2]! + index * this.stride
    const from = this.spans[owner * 2]! + last * this.stride
    const moved = index === last ? -1 : this.cells[from]!
    this.cells.copyWithin(to, from, from + this.stride)
    this.pop(owner)
    return moved
  }

  /** Gives an empty list this many items, to be filled immediately; returns its first cell. */
  create(owner: number, items: number): number {
    if (owner * 2 >= this.spans.length) this.growOwners(owner)
    if (items === 0) return 0
    this.allocate(owner, classFor(items))
    this.spans[owner * 2 + 1] = items
    this.items += items
    return this.spans[owner * 2]!
  }

  clear(owner: number): void {
    if (this.lengthOf(owner) === 0) return
    this.items -= this.spans[owner * 2 + 1]!
    this.spans[owner * 2 + 1] = 0
    this.free(this.spans[owner * 2]!, this.classes[owner]!)
    if (this.unused * 2 > this.used && this.unused > MIN_COMPACTED) this.compact()
  }

  memoryBytes(): number {
    const { cells, spans, classes, heads } = this
    return cells.byteLength + spans.byteLength + classes.byteLength + heads.byteLength
  }

  private allocate(owner: number, size: number): void {
    this.spans[owner * 2] = this.take(size)
    this.classes[owner] = size
  }

  private take(size: number): number {
    const room = sizes[size]! * this.stride
    const head = this.heads[size]!
    if (head !== 0) {
      this.heads[size] = this.cells[head - 1]!
      this.unused -= room
      return head - 1
    }
    const offset = this.used
    if (offset + room > this.cells.length) this.growCells(offset + room)
    this.used = offset + room
    return offset
  }

  private free(offset: number, size: number): void {
    this.cells[offset] = this.heads[size]!
    this.heads[size] = offset + 1
    this.unused += sizes[size]! * this.stride
  }

  private move(owner: number, size: number): void {
    const from = this.spans[owner * 2]!
    const before = this.classes[owner]!
    const to = this.take(size)
    this.cells.copyWithin(to, from, from + this.spans[owner * 2 + 1]! * this.stride)
    this.spans[owner * 2] = to
    this.classes[owner] = size
    this.free(from, before)
  }

  private compact(): void {
    const before = this.cells
    this.cells = new Uint32Array(Math.ceil((this.used - this.unused) * 1.25) + 256)
    this.used = this.unused = 0
    this.heads.fill(0)
    for (let owner = 0; owner * 2 < this.spans.length; owner++) {
      if (this.spans[owner * 2 + 1] === 0) continue
      const from = this.spans[owner * 2]!
      this.allocate(owner, this.classes[owner]!)
      this.cells.set(before.subarray(from, from + this.spans[owner * 2 + 1]! * this.stride), this.spans[owner * 2]!)
    }
  }

  private growCells(needed: number): void {
    const before = this.cells
    const cells = new Uint32Array(Math.max(needed, Math.ceil(before.length * (before.length > 1 << 22 ? 1.25 : 2))))
    cells.set(before)
    this.cells = cells
  }

  private growOwners(owner: number): void {
    const room = Math.max(owner + 1, Math.ceil(this.classes.length * 1.5))
    this.spans = grown(this.spans, new Uint32Array(room * 2))
    this.classes = grown(this.classes, new Uint8Array(room))
  }
}

const MIN_COMPACTED = 1 << 16

/** Block sizes in items: each about a quarter larger than the one before, so that little room is wasted. */
const sizes = createSizes()

function createSizes(): number[] {
  const list = [1]
  for (let size = 1; size < 2 ** 31; list.push(size)) size = Math.max(size + 1, Math.floor(size * 1.25))
  return list
}

function classFor(items: number): number {
  let low = 0
  for (let high = sizes.length - 1; low < high; ) {
    const middle = (low + high) >> 1
    if (sizes[middle]! < items) low = middle + 1
    else high = middle
  }
  return low
}
