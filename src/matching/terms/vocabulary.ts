import { grown } from './grown.ts'
import { finishHash, hashFactor, hashStart, secondFactor } from './term-hash.ts'

/** What follows in a longer word is not compared. */
export const MAX_TERM_LENGTH = 64

/** Four cells of a slot: both hashes, the word's number plus one, and its stamp. */
export const CELLS = 4
export const SECOND = 1
export const ENTRY = 2
export const STAMP = 3

/** Above, a vocabulary is given up: its slots should stay in the processor's cache. */
const MAX_WORDS = 1 << 15
const MAX_STAMP = 2 ** 30
/** Arrays that grew beyond are not kept. */
const MAX_KEPT = 1 << 18

/**
 * The words of the documents that were read lately, by number. Documents repeat each other's words, so most words of a document are here
 * already with their spelling and hash, and what is known of a word (its stem) is found by its number.
 *
 * Words are found by two hashes of 32 bits. Words of which both are equal are taken for the same without comparing letters: the hashes are keyed
 * per process, so that a word is confused with another once in 10^11 documents, and no page can provoke it.
 *
 * A word that the present document has bears a stamp of `base` or above: its number in the document plus `base`. The stamps of the documents
 * before are lower, so nothing is cleared between two documents. Only one document is read at a time: a vocabulary is
 * taken, and given back when the document is read. Who comes in between gets one of its own.
 */
export class Vocabulary {
  slots = new Int32Array(CELLS << 12)
  mask = this.slots.length - CELLS
  base = 1
  /** Of words. */
  size = 0
  offsets = new Uint32Array(1 << 11)
  lengths = new Uint8Array(1 << 11)
  hashes = new Int32Array(1 << 11)
  /** 1 where a word is not made of ASCII characters alone. */
  accents = new Uint8Array(1 << 11)
  /** The spellings. What was written is never changed: tables of documents refer to it. */
  units = new Uint16Array(1 << 14)
  /** For each term of the present document its word, and how often it occurs. */
  wordOf = new Uint32Array(1 << 12)
  counts = new Uint32Array(1 << 12)
  /** For each token of the present document its term, and where it is. As long as the two above. */
  termOf = new Uint32Array(1 << 12)
  starts = new Uint32Array(1 << 12)
  ends = new Uint32Array(1 << 12)
  private unitsUsed = 0

  /** Adds a word that is new, in a slot that is free; returns its number. `stamp` is that of the present document. */
  add(
    slot: number,
    first: number,
    second: number,
    stamp: number,
    units: Uint16Array,
    start: number,
    length: number,
  ): number {
    const word = this.size++
    if (word >= this.offsets.length) this.growWords()
    const offset = this.unitsUsed
    if (offset + length > this.units.length) this.units = grown(this.units, new Uint16Array(this.units.length * 2))
    const own = this.units
    let all = 0
    for (let at = 0; at < length; at++) {
      const unit = units[start + at]!
      own[offset + at] = unit
      all |= unit
    }
    this.unitsUsed = offset + length
    this.offsets[word] = offset
    this.lengths[word] = length
    this.hashes[word] = first
    this.accents[word] = all > 0x7f ? 1 : 0
    const { slots } = this
    slots[slot] = first
    slots[slot + SECOND] = second
    slots[slot + ENTRY] = word + 1
    slots[slot + STAMP] = stamp
    if (this.size * 2 * CELLS > this.mask) this.growSlots()
    return word
  }

  /** The number of a word, which is added if nobody had it. */
  intern(text: string): number {
    const length = Math.min(text.length, MAX_TERM_LENGTH)
    const units = new Uint16Array(length)
    let first = hashStart
    let second = hashStart
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at)
      units[at] = unit
      first = Math.imul(first ^ unit, hashFactor)
      second = Math.imul(second ^ unit, secondFactor)
    }
    first = finishHash(first)
    const { slots, mask } = this
    let slot = (first << 2) & mask
    while (slots[slot + ENTRY] !== 0 && (slots[slot] !== first || slots[slot + SECOND] !== second))
      slot = (slot + CELLS) & mask
    const known = slots[slot + ENTRY]!
    return known === 0 ? this.add(slot, first, second, 0, units, 0, length) : known - 1
  }

  growTokens(): void {
    const room = () => new Uint32Array(this.starts.length * 2)
    this.wordOf = grown(this.wordOf, room())
    this.counts = grown(this.counts, room())
    this.termOf = grown(this.termOf, room())
    const ends = grown(this.ends, room())
    this.starts = grown(this.starts, room())
    this.ends = ends
  }

  private growWords(): void {
    const room = this.offsets.length * 2
    this.offsets = grown(this.offsets, new Uint32Array(room))
    this.lengths = grown(this.lengths, new Uint8Array(room))
    this.hashes = grown(this.hashes, new Int32Array(room))
    this.accents = grown(this.accents, new Uint8Array(room))
  }

  private growSlots(): void {
    const before = this.slots
    const slots = new Int32Array(before.length * 2)
    const mask = slots.length - CELLS
    for (let from = 0; from < before.length; from += CELLS) {
      if (before[from + ENTRY] === 0) continue
      let at = (before[from]! << 2) & mask
      while (slots[at + ENTRY] !== 0) at = (at + CELLS) & mask
      for (let cell = 0; cell < CELLS; cell++) slots[at + cell] = before[from + cell]!
    }
    this.slots = slots
    this.mask = mask
  }
}

let free: Vocabulary | null = null

export function takeVocabulary(): Vocabulary {
  const vocabulary = free ?? new Vocabulary()
  free = null
  return vocabulary
}

/** After a document with so many terms. */
export function giveBack(vocabulary: Vocabulary, terms: number): void {
  vocabulary.base += terms
  if (vocabulary.size <= MAX_WORDS && vocabulary.base < MAX_STAMP && vocabulary.starts.length <= MAX_KEPT)
    free = vocabulary
}
