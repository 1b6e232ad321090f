import { grown } from './grown.ts'
import { hashInSpace } from './term-hash.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * Terms and their numbers, in typed arrays: a term costs some 40 bytes and nothing for the garbage collector to visit. Numbers are
 * dense; that of a removed term is reused for the next new one. A slot holds the hash and the number plus one. Slots are probed
 * linearly, and a removal shifts later ones back, so there are no tombstones. Spellings are in one pool, which is compacted when more
 * than half of it is unused.
 */
export class TermTable {
  /** Number of terms. */
  size = 0
  /** All numbers are below this. */
  limit = 0
  offsets: Uint32Array
  lengths: Uint8Array
  units: Uint16Array
  /** By term: hash of its text, without its space. */
  hashes: Int32Array
  private spaces: Uint8Array
  /** Only an empty one until the first term is looked up or added by its hash. */
  private slots = new Int32Array(2)
  private mask = 0
  private readonly firstSlots: number
  private unitsUsed = 0
  private unitsLost = 0
  private freed: number[] = []
  /** Terms below this are in the slots. */
  private indexed = 0

  /** The vocabulary the terms come from, and their words there; null if they come from elsewhere. */
  origin: { readonly vocabulary: Vocabulary; readonly words: Uint32Array } | null = null

  /** A table of words whose spelling stays in their vocabulary. */
  static ofWords(vocabulary: Vocabulary, words: Uint32Array): TermTable {
    const { offsets, lengths, hashes, units } = vocabulary
    const table = new TermTable(words.length, units)
    for (let term = 0; term < words.length; term++) {
      const word = words[term]!
      table.offsets[term] = offsets[word]!
      table.lengths[term] = lengths[word]!
      table.hashes[term] = hashes[word]!
    }
    table.size = table.limit = words.length
    table.origin = { vocabulary, words }
    return table
  }

  /** Reserves room for this many terms. Given spellings count as full: they are copied before one is added. */
  constructor(expected = 16, units?: Uint16Array) {
    const room = Math.max(16, expected)
    this.offsets = new Uint32Array(room)
    this.lengths = new Uint8Array(room)
    this.spaces = new Uint8Array(room)
    this.hashes = new Int32Array(room)
    this.units = units ?? new Uint16Array(room * 8)
    if (units !== undefined) this.unitsUsed = units.length
    this.firstSlots = 2 ** Math.ceil(Math.log2(room * 2)) * 2
  }

  /** -1 if there is no such term. `hash` is that of the text without its space. */
  findUnits(hash: number, space: number, units: Uint16Array, start: number, length: number): number {
    if (this.indexed < this.limit) this.index()
    const { slots, mask } = this
    const wanted = space === 0 ? hash : hashInSpace(hash, space)
    for (let at = wanted & mask; ; at = (at + 1) & mask) {
      const entry = slots[at * 2 + 1]!
      if (entry === 0) return -1
      if (slots[at * 2] === wanted && this.equalsUnits(entry - 1, space, units, start, length)) return entry - 1
    }
  }

  findText(hash: number, space: number, text: string): number {
    if (this.indexed < this.limit) this.index()
    const { slots, mask } = this
    const wanted = hashInSpace(hash, space)
    for (let at = wanted & mask; ; at = (at + 1) & mask) {
      const entry = slots[at * 2 + 1]!
      if (entry === 0) return -1
      if (slots[at * 2] === wanted && this.equalsText(entry - 1, space, text)) return entry - 1
    }
  }

  addUnits(hash: number, space: number, units: Uint16Array, start: number, length: number): number {
    if (this.indexed < this.limit) this.index()
    const { slots, mask } = this
    const wanted = space === 0 ? hash : hashInSpace(hash, space)
    let at = wanted & mask
    for (; ; at = (at + 1) & mask) {
      const entry = slots[at * 2 + 1]!
      if (entry === 0) break
      if (slots[at * 2] === wanted && this.equalsUnits(entry - 1, space, units, start, length)) return entry - 1
    }
    const offset = this.roomForUnits(length)
    const own = this.units
    for (let i = 0; i < length; i++) own[offset + i] = units[start + i]!
    return this.insert(at, wanted, hash, space, offset, length)
  }

  /** Adds a term that is known to be new, in space 0. It gets its slot lazily, at the next look-up. */
  append(hash: number, units: Uint16Array, start: number, length: number): number {
    const offset = this.roomForUnits(length)
    const own = this.units
    for (let i = 0; i < length; i++) own[offset + i] = units[start + i]!
    const id = this.limit++
    if (id >= this.offsets.length) this.growTerms()
    this.offsets[id] = offset
    this.lengths[id] = length
    this.hashes[id] = hash
    this.size++
    return id
  }

  addText(hash: number, space: number, text: string): number {
    const known = this.findText(hash, space, text)
    if (known !== -1) return known
    const offset = this.roomForUnits(text.length)
    for (let at = 0; at < text.length; at++) this.units[offset + at] = text.charCodeAt(at)
    return this.insert(-1, hashInSpace(hash, space), hash, space, offset, text.length)
  }

  /** Adds a word of the vocabulary the table is made from. */
  addWord(word: number): number {
    const { offsets, lengths, hashes, units } = this.origin!.vocabulary
    // The vocabulary may have been reallocated; existing content is the same in both.
    this.units = units
    const hash = hashes[word]!
    const known = this.findUnits(hash, 0, units, offsets[word]!, lengths[word]!)
    return known === -1 ? this.insert(-1, hash, hash, 0, offsets[word]!, lengths[word]!) : known
  }

  remove(id: number): void {
    const { slots, mask } = this
    let hole = this.hashOf(id) & mask
    while (slots[hole * 2 + 1] !== id + 1) hole = (hole + 1) & mask
    for (let at = (hole + 1) & mask; slots[at * 2 + 1] !== 0; at = (at + 1) & mask) {
      const home = slots[at * 2]! & mask
      // An entry must not move before its home slot.
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      slots[hole * 2] = slots[at * 2]!
      slots[hole * 2 + 1] = slots[at * 2 + 1]!
      hole = at
    }
    slots[hole * 2 + 1] = 0
    this.unitsLost += this.lengths[id]!
    this.lengths[id] = 0
    this.freed.push(id)
    this.size--
    if (this.unitsLost > 4096 && this.unitsLost * 2 > this.unitsUsed) this.compact()
  }

  textOf(id: number): string {
    const offset = this.offsets[id]!
    return String.fromCharCode.apply(
      null,
      this.units.subarray(offset, offset + this.lengths[id]!) as unknown as number[],
    )
  }

  spaceOf(id: number): number {
    return this.spaces[id]!
  }

  startsWith(id: number, text: string): boolean {
    if (this.lengths[id]! < text.length) return false
    const offset = this.offsets[id]!
    for (let at = 0; at < text.length; at++) if (this.units[offset + at] !== text.charCodeAt(at)) return false
    return true
  }

  memoryBytes(): number {
    const { offsets, lengths, spaces, hashes, units, slots, freed } = this
    const arrays = [offsets, lengths, spaces, hashes, units, slots]
    return arrays.reduce((sum, array) => sum + array.byteLength, freed.length * 8)
  }

  private hashOf(id: number): number {
    return hashInSpace(this.hashes[id]!, this.spaces[id]!)
  }

  private equalsUnits(id: number, space: number, units: Uint16Array, start: number, length: number): boolean {
    if (this.lengths[id] !== length || this.spaces[id] !== space) return false
    const own = this.units
    const offset = this.offsets[id]!
    for (let at = 0; at < length; at++) if (own[offset + at] !== units[start + at]) return false
    return true
  }

  private equalsText(id: number, space: number, text: string): boolean {
    return this.lengths[id] === text.length && this.spaces[id] === space && this.startsWith(id, text)
  }

  /** `slot` is a suitable free slot, or -1 if none is known. */
  private insert(slot: number, wanted: number, hash: number, space: number, offset: number, length: number): number {
    const id = this.freed.pop() ?? this.limit++
    if (id >= this.offsets.length) this.growTerms()
    this.offsets[id] = offset
    this.lengths[id] = length
    this.spaces[id] = space
    this.hashes[id] = hash
    this.size++
    this.indexed = this.limit
    const isFull = this.size * 4 > this.slots.length
    if (isFull) this.growSlots()
    if (isFull || slot === -1) this.place(wanted, id + 1)
    else {
      this.slots[slot * 2] = wanted
      this.slots[slot * 2 + 1] = id + 1
    }
    return id
  }

  private place(hash: number, entry: number): void {
    const { slots, mask } = this
    let at = hash & mask
    while (slots[at * 2 + 1] !== 0) at = (at + 1) & mask
    slots[at * 2] = hash
    slots[at * 2 + 1] = entry
  }

  private growTerms(): void {
    const room = Math.ceil(this.offsets.length * 1.5) + 16
    this.offsets = grown(this.offsets, new Uint32Array(room))
    this.lengths = grown(this.lengths, new Uint8Array(room))
    this.spaces = grown(this.spaces, new Uint8Array(room))
    this.hashes = grown(this.hashes, new Int32Array(room))
  }

  private index(): void {
    if (this.size * 4 > this.slots.length) this.growSlots()
    for (let id = this.indexed; id < this.limit; id++) this.place(this.hashes[id]!, id + 1)
    this.indexed = this.limit
  }

  private growSlots(): void {
    const before = this.slots
    let length = Math.max(this.firstSlots, before.length)
    while (this.size * 4 > length) length *= 2
    this.slots = new Int32Array(length)
    this.mask = this.slots.length / 2 - 1
    for (let at = 0; at < before.length; at += 2) if (before[at + 1] !== 0) this.place(before[at]!, before[at + 1]!)
  }

  private roomForUnits(length: number): number {
    const offset = this.unitsUsed
    if (offset + length > this.units.length)
      this.units = grown(this.units, new Uint16Array(Math.ceil(this.units.length * 1.5) + length))
    this.unitsUsed += length
    return offset
  }

  private compact(): void {
    const before = this.units
    this.units = new Uint16Array(Math.max(1024, Math.ceil((this.unitsUsed - this.unitsLost) * 1.5)))
    let used = 0
    for (let id = 0; id < this.limit; id++) {
      const length = this.lengths[id]!
      const offset = this.offsets[id]!
      for (let at = 0; at < length; at++) this.units[used + at] = before[offset + at]!
      this.offsets[id] = used
      used += length
    }
    this.unitsUsed = used
    this.unitsLost = 0
  }
}
