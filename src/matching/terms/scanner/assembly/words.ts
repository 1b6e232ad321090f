/**
 * Splits text into words and looks up each in a vocabulary. Sixteen units at a time are classified, lower-cased and packed. Longer words,
 * and words with other letters than ASCII, are read unit by unit with the program's table. Special cases (marks, signs, characters of two
 * units, words that are too long) are left to the program, and so are characters that its table doesn't know yet.
 *
 * A slot of the vocabulary is the key of a word in two halves, its number plus one, and its stamp: see the program's `Vocabulary`. The key
 * of up to sixteen ASCII letters is these letters. Others have a hash with the highest bit set, which no ASCII letter has, and the head of
 * their letters; for them the letters are compared as well.
 */
import {
  FIRST_KANA,
  FIRST_LETTER,
  FIRST_SURROGATE,
  MAX_TERM_LENGTH,
  SEPARATOR,
  UNSPACED,
  UNSPACED_MARK,
  WIDE,
} from './wire.ts'

const HASHED: u64 = 0x8000000000000000
/** Size of a slot, as a power of two: its two halves of 16 bytes are the key, and number and stamp. */
const SLOT_BITS: usize = 5
const SLOT: usize = 32
const HIGH: usize = 8
const ENTRY: usize = 16
const STAMP: usize = 20
/** Maximum number of letters for a key that is the letters themselves. */
const EXACT: u32 = 16
const FIRST_SLOTS: u32 = 4096
const FIRST_WORDS: u32 = 2048
const FIRST_TERMS: u32 = 4096
const LETTERS_BLOCK: usize = 65536
/** Bytes before the letters of a word. */
const HEAD: usize = 8

const spelled: usize = memory.data(131072, 16)
/** The text is always followed by zeros, which separate words. */
const text: usize = memory.data(131136, 16)
/** Sixteen bytes of ones and sixteen of zeros: a load n bytes before the middle is a mask that keeps n letters. */
const window: usize = memory.data(32, 16)
const termOf: usize = memory.data(65536, 16)
const starts: usize = memory.data(65536, 16)
const ends: usize = memory.data(65536, 16)
/** A word that is not read directly from the text. */
const word: usize = memory.data(144, 16)
/** The word to look up: its letters, packed. */
const chunks: usize = memory.data(128, 16)
let chunkCount: usize = 0
let head: u64 = 0
let low: u64 = 0
let high: u64 = 0

let seed: u64 = 0
let factor: u64 = 1
let otherFactor: u64 = 1
let base: i32 = 1
/** Tokens not yet passed on, terms of the document, words in total. */
let found: u32 = 0
let terms: u32 = 0
let words: u32 = 0

let top: usize = __heap_base
let slots: usize = 0
let slotBits: u64 = 0
let letters: usize = 0
let lettersEnd: usize = 0
/** By word: address of its letters. */
let places: usize = 0
let placesRoom: u32 = 0
/** By term: its word, and its number of occurrences in the document. */
let wordOf: usize = 0
let counts: usize = 0
let termsRoom: u32 = 0

export function begin(newSeed: u64, newFactor: u64, newOtherFactor: u64): void {
  seed = newSeed
  factor = newFactor | 1
  otherFactor = newOtherFactor | 1
  v128.store(window, i8x16.splat(-1))
  makeTables()
}

/** Starts a new vocabulary in the same memory. */
export function forgetWords(): void {
  memory.fill(__heap_base, 0, top - __heap_base)
  top = __heap_base
  letters = 0
  lettersEnd = 0
  words = 0
  terms = 0
  found = 0
  base = 1
  makeTables()
}

function makeTables(): void {
  slotBits = 12
  slots = allocate((<usize>FIRST_SLOTS) << SLOT_BITS)
  placesRoom = FIRST_WORDS
  places = allocate((<usize>placesRoom) << 2)
  termsRoom = FIRST_TERMS
  wordOf = allocate((<usize>termsRoom) << 2)
  counts = allocate((<usize>termsRoom) << 2)
}

/** Returns zeroed memory. Abandoned areas are not reused: areas double, so all abandoned ones together are no larger than those in use. */
function allocate(bytes: usize): usize {
  const at = (top + 15) & ~15
  top = at + bytes
  const missing = <i32>((top + 0xffff) >> 16) - memory.size()
  if (missing > 0 && memory.grow(max(missing, memory.size() >> 2)) < 0 && memory.grow(missing) < 0) unreachable()
  return at
}

export function spelledAt(): usize {
  return spelled
}
export function textAt(): usize {
  return text
}
export function termOfAt(): usize {
  return termOf
}
export function startsAt(): usize {
  return starts
}
export function endsAt(): usize {
  return ends
}
export function wordAt(): usize {
  return word
}
export function wordOfAt(): usize {
  return wordOf
}
export function countsAt(): usize {
  return counts
}
export function placesAt(): usize {
  return places
}
export function foundCount(): u32 {
  return found
}
export function termCount(): u32 {
  return terms
}
export function wordCount(): u32 {
  return words
}

/** Marks the current tokens as taken. */
export function takeFound(): void {
  found = 0
}

/** Ends the document. Returns the base of the next document's stamps. */
export function endDocument(): i32 {
  base += <i32>terms
  found = 0
  terms = 0
  return base
}

/**
 * Reads words from unit `from` of the loaded text, and returns where to continue: at `end`, at a special case, or where `limit` tokens
 * are reached. Unless the text ends at `end`, a word that reaches it is left for the next call. `offset` is added to positions.
 */
export function scan(from: u32, end: u32, isLast: bool, offset: u32, limit: u32): u32 {
  const stop = text + ((<usize>end) << 1)
  v128.store(stop, i64x2.splat(0))
  v128.store(stop, i64x2.splat(0), 16)
  let at = text + ((<usize>from) << 1)
  const shift = offset - <u32>(text >> 1)
  while (at < stop) {
    const start = at
    // Anything but ASCII becomes a byte that isn't a letter.
    const bytes = i8x16.narrow_i16x8_u(v128.load(at), v128.load(at, 16))
    const lowered = v128.or(bytes, i8x16.splat(0x20))
    const isLetter = i8x16.lt_u(i8x16.sub(lowered, i8x16.splat(0x61)), i8x16.splat(26))
    const isDigit = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10))
    const length = <usize>ctz(~i8x16.bitmask(v128.or(isLetter, isDigit)))
    if (length === 0) {
      const unit = <i32>load<u16>(at)
      const kind = kindOf(unit)
      if (kind === SEPARATOR) {
        at += 2
        continue
      }
      if (kind === UNSPACED) {
        if (unit < FIRST_KANA || unit >= FIRST_SURROGATE || (at + 2 === stop && !isLast)) break
        const next = kindOf(<i32>load<u16>(at, 2))
        if (next === 0 || next === UNSPACED_MARK || found >= limit) break
        store<u16>(word, <u16>unit)
        pack(1)
        add(<u32>(at >> 1) + shift, <u32>(at >> 1) + shift + 1)
        at += 2
        continue
      }
      if (kind < FIRST_LETTER) break
    }
    at += length << 1
    const kind = kindOf(<i32>load<u16>(at))
    if (kind >= FIRST_LETTER) {
      at = readWide(start, stop, isLast)
      if (at === start) break
    } else if ((kind !== SEPARATOR && kind !== UNSPACED) || (at === stop && !isLast)) {
      at = start
      break
    } else {
      const small = v128.or(bytes, v128.and(isLetter, i8x16.splat(0x20)))
      const letters = v128.and(small, v128.load(window + 16 - length))
      low = i64x2.extract_lane(letters, 0)
      high = i64x2.extract_lane(letters, 1)
      head = <u64>length
    }
    if (found >= limit) {
      at = start
      break
    }
    add(<u32>(start >> 1) + shift, <u32>(at >> 1) + shift)
  }
  return <u32>((at - text) >> 1)
}

function kindOf(unit: i32): i32 {
  return <i32>load<u16>(spelled + ((<usize>unit) << 1))
}

/** Reads a word of any letters in the table. Returns where it ends; `start` if it is a special case or may continue. */
function readWide(start: usize, stop: usize, isLast: bool): usize {
  let at = start
  let kind = kindOf(<i32>load<u16>(at))
  let length: usize = 0
  while (kind >= FIRST_LETTER) {
    if (length === MAX_TERM_LENGTH) return start
    store<u16>(word + (length << 1), <u16>kind)
    length++
    at += 2
    kind = kindOf(<i32>load<u16>(at))
  }
  if ((kind !== SEPARATOR && kind !== UNSPACED) || (at === stop && !isLast)) return start
  pack(<u32>length)
  return at
}

/** Makes `word` the word to look up. */
function pack(length: u32): void {
  const count = <usize>length
  let all: u32 = 0
  for (let i: usize = 0; i < count; i++) all |= <u32>load<u16>(word + (i << 1))
  if (all > 0x7f) {
    store<u64>(word + (count << 1), 0)
    chunkCount = (count + 3) >> 2
    memory.copy(chunks, word, chunkCount << 3)
    head = <u64>(length | WIDE)
  } else {
    chunkCount = max<usize>((count + 7) >> 3, 2)
    store<u64>(chunks + ((chunkCount - 2) << 3), 0)
    store<u64>(chunks + ((chunkCount - 1) << 3), 0)
    for (let i: usize = 0; i < count; i++) store<u8>(chunks + i, <u8>load<u16>(word + (i << 1)))
    head = <u64>length
  }
  const isExact = head <= <u64>EXACT
  low = isExact ? load<u64>(chunks) : hashed()
  high = isExact ? load<u64>(chunks, 8) : head
}

/** Adds a token of the current word. */
function add(start: u32, end: u32): void {
  const slot = findSlot()
  const stamp = load<i32>(slot, STAMP) - base
  // Branchless: a branch on whether the document already has the word would be mispredicted for every fourth word.
  const isNew = <u32>stamp >>> 31
  const term = isNew ? terms : <u32>stamp
  if (term >= termsRoom) growTerms()
  const count = counts + ((<usize>term) << 2)
  const before = load<u32>(count)
  store<u32>(count, (isNew ? 0 : before) + 1)
  terms += isNew
  const entry = load<u32>(slot, ENTRY)
  store<i32>(slot, base + <i32>term, STAMP)
  const at = (<usize>found) << 2
  store<u32>(termOf + at, term)
  store<u32>(starts + at, start)
  store<u32>(ends + at, end)
  found++
  store<u32>(wordOf + ((<usize>term) << 2), entry === 0 ? takeIn(slot) : entry - 1)
}

/** The same for a word of `length` units in `word`. There must be room. */
export function addWord(length: u32, start: u32, end: u32): void {
  pack(length)
  add(start, end)
}

/** The number of a word of `length` units in `word`, which is added if new. */
export function intern(length: u32): u32 {
  pack(length)
  const slot = findSlot()
  const entry = load<u32>(slot, ENTRY)
  return entry === 0 ? takeIn(slot) : entry - 1
}

/** Home slot of a word. */
function homeOf(wantedLow: u64, wantedHigh: u64): usize {
  const hash = (wantedLow ^ seed) * factor + wantedHigh * otherFactor
  return (<usize>(hash >> (64 - slotBits))) << SLOT_BITS
}

/** The slot of the current word, or the free slot for it. */
function findSlot(): usize {
  const wantedLow = low
  const wantedHigh = high
  const mask = ((<usize>1) << (<usize>slotBits + SLOT_BITS)) - 1
  let at = homeOf(wantedLow, wantedHigh)
  while (true) {
    const slot = slots + at
    const entry = load<u32>(slot, ENTRY)
    if (entry === 0) return slot
    if (load<u64>(slot) === wantedLow && load<u64>(slot, HIGH) === wantedHigh)
      if (<i64>wantedLow > 0 || isWord(entry - 1)) return slot
    at = (at + SLOT) & mask
  }
}

function hashed(): u64 {
  let hash = seed ^ (head * 0x9e3779b97f4a7c15)
  for (let i: usize = 0; i < chunkCount; i++) {
    hash = (hash ^ load<u64>(chunks + (i << 3))) * factor
    hash ^= hash >> 29
  }
  return hash | HASHED
}

function isWord(number: u32): bool {
  const place = <usize>load<u32>(places + ((<usize>number) << 2))
  if (load<u64>(place) !== head) return false
  for (let i: usize = 0; i < chunkCount; i++)
    if (load<u64>(place + HEAD + (i << 3)) !== load<u64>(chunks + (i << 3))) return false
  return true
}

/** Adds a new word in a free slot. */
function takeIn(slot: usize): u32 {
  if (words === placesRoom) growPlaces()
  if (<i64>low > 0) {
    chunkCount = 2
    store<u64>(chunks, low)
    store<u64>(chunks, high, 8)
  }
  const number = words++
  const bytes = HEAD + (chunkCount << 3)
  if (letters + bytes > lettersEnd) {
    letters = allocate(LETTERS_BLOCK)
    lettersEnd = letters + LETTERS_BLOCK
  }
  store<u64>(letters, head)
  memory.copy(letters + HEAD, chunks, chunkCount << 3)
  store<u32>(places + ((<usize>number) << 2), <u32>letters)
  letters += bytes
  store<u64>(slot, low)
  store<u64>(slot, high, HIGH)
  store<u32>(slot, number + 1, ENTRY)
  if (words > (<u32>1) << (<u32>slotBits - 1)) growSlots()
  return number
}

function growTerms(): void {
  const bytes = (<usize>termsRoom) << 2
  const newWords = allocate(bytes << 1)
  const newCounts = allocate(bytes << 1)
  memory.copy(newWords, wordOf, bytes)
  memory.copy(newCounts, counts, bytes)
  wordOf = newWords
  counts = newCounts
  termsRoom <<= 1
}

function growPlaces(): void {
  const bytes = (<usize>placesRoom) << 2
  const newPlaces = allocate(bytes << 1)
  memory.copy(newPlaces, places, bytes)
  places = newPlaces
  placesRoom <<= 1
}

function growSlots(): void {
  const before = slots
  const end = before + ((<usize>1) << (<usize>slotBits + SLOT_BITS))
  slotBits++
  slots = allocate((<usize>1) << (<usize>slotBits + SLOT_BITS))
  const mask = ((<usize>1) << (<usize>slotBits + SLOT_BITS)) - 1
  for (let from = before; from < end; from += SLOT) {
    if (load<u32>(from, ENTRY) === 0) continue
    let at = homeOf(load<u64>(from), load<u64>(from, HIGH))
    while (load<u32>(slots + at, ENTRY) !== 0) at = (at + SLOT) & mask
    v128.store(slots + at, v128.load(from))
    v128.store(slots + at, v128.load(from, 16), 16)
  }
}
