/**
 * Ranges of the wanted attributes of the current tag in the page: start, end and byte classes for each of them. A start of
 * 0 means that the tag has no such attribute; an attribute without a value has an empty range.
 */
import {
  ATTRIBUTE_NAME_END,
  classAt,
  findByte,
  firstOf,
  foldedWord,
  NOT_PLAIN,
  SLASH,
  SPACE,
  UNQUOTED_END,
} from './bytes.ts'

const RANGE: usize = 12
/** Thirteen ranges, padded to a multiple of sixteen bytes. */
const ranges: usize = memory.data(160, 16)
const RANGES: usize = 160
export const SRC: usize = ranges
export const REL: usize = ranges + RANGE
export const HREF: usize = ranges + RANGE * 2
export const NAME: usize = ranges + RANGE * 3
export const SRCSET: usize = ranges + RANGE * 4
export const ACTION: usize = ranges + RANGE * 5
export const METHOD: usize = ranges + RANGE * 6
export const CONTENT: usize = ranges + RANGE * 7
export const HTTP_EQUIV: usize = ranges + RANGE * 8
export const XLINK_HREF: usize = ranges + RANGE * 9
export const POSTER: usize = ranges + RANGE * 11
export const DATA: usize = ranges + RANGE * 12
/** The only one that counts for every tag. */
export const STYLE_ATTRIBUTE: usize = ranges + RANGE * 10

export let selfClosing: bool = false

export function startOf(range: usize): usize {
  return load<usize>(range)
}

export function endOf(range: usize): usize {
  return load<usize>(range, 4)
}

export function classesOf(range: usize): u32 {
  return load<u32>(range, 8)
}

function clearRanges(): void {
  const zero = i64x2.splat(0)
  for (let at: usize = 0; at < RANGES; at += 16) v128.store(ranges + at, zero)
}

function note(range: usize, start: usize, end: usize, seen: u32): void {
  if (range === 0 || load<usize>(range) !== 0) return
  store<usize>(range, start)
  store<usize>(range, end, 4)
  store<u32>(range, seen & NOT_PLAIN, 8)
}

// Lower-case names as little-endian words.
const src: u64 = 0x637273
const rel: u64 = 0x6c6572
const href: u64 = 0x66657268
const name: u64 = 0x656d616e
const style: u64 = 0x656c797473
const srcset: u64 = 0x746573637273
const data: u64 = 0x61746164
const poster: u64 = 0x726574736f70
const action: u64 = 0x6e6f69746361
const method: u64 = 0x646f6874656d
const content: u64 = 0x746e65746e6f63
const httpEqu: u64 = 0x7571652d70747468
const iv: u64 = 0x7669
const xlinkHr: u64 = 0x72683a6b6e696c78
const ef: u64 = 0x6665

/** The range for an attribute of this name; 0 if it is not wanted. */
function rangeFor(start: usize, length: usize): usize {
  if (length < 3 || length > 10) return 0
  const word = foldedWord(start, length)
  if (length === 4) return word === href ? HREF : word === name ? NAME : word === data ? DATA : 0
  if (length === 3) return word === src ? SRC : word === rel ? REL : 0
  if (length === 6) {
    if (word === srcset) return SRCSET
    return word === action ? ACTION : word === method ? METHOD : word === poster ? POSTER : 0
  }
  if (length === 5) return word === style ? STYLE_ATTRIBUTE : 0
  if (length === 7) return word === content ? CONTENT : 0
  if (length !== 10) return 0
  const rest = foldedWord(start + 8, 2)
  if (word === httpEqu) return rest === iv ? HTTP_EQUIV : 0
  return word === xlinkHr && rest === ef ? XLINK_HREF : 0
}

/** Start of the name of the attribute whose quote was found last. */
let nameStart: usize = 0

/**
 * Fast path for attributes like ` name="value"`, as most are. Returns the place of the next attribute's quote, or of the `>`
 * if the tag ends here; 0 for anything else.
 */
function usualStop(at: usize): usize {
  const first = load<u8>(at)
  if (first === 0x3e) return at
  if (first !== 0x20 && first !== 0x0a) return 0
  const start = at + 1
  const block = v128.load(start)
  const marks = v128.or(i8x16.eq(block, i8x16.splat(0x3d)), i8x16.eq(block, i8x16.splat(0x3e)))
  const others = v128.or(i8x16.eq(block, i8x16.splat(0x2f)), i8x16.lt_u(block, i8x16.splat(0x21)))
  const length = firstOf(v128.or(marks, others))
  const next = load<u16>(start + length)
  if (length === 0 || length === 16 || (next !== 0x223d && next !== 0x273d)) return 0
  nameStart = start
  return start + length + 1
}

/** Of a tag that has no other wanted attribute. */
function styleFor(start: usize, length: usize): usize {
  return length === 5 && foldedWord(start, 5) === style ? STYLE_ATTRIBUTE : 0
}

/**
 * Skips the attributes of a tag, except its style; `from` is the end of its name. Returns the place after its `>`, or 0 if there is none.
 */
export function skipTag(from: usize, end: usize): usize {
  store<usize>(STYLE_ATTRIBUTE, 0)
  let at = from
  while (at < end) {
    const stop = usualStop(at)
    if (stop === 0) at = skipPart(at, end)
    else {
      const byte = load<u8>(stop)
      if (byte === 0x3e) return stop + 1
      const range = styleFor(nameStart, stop - 1 - nameStart)
      at = range === 0 ? findByte(stop + 1, end, byte) + 1 : readQuoted(stop + 1, end, byte, range)
    }
  }
  return 0
}

/** Skips one byte between attributes, or one attribute with its value. */
function skipPart(from: usize, end: usize): usize {
  let at = from + 1
  if (classAt(from) & (SPACE | SLASH)) return at
  // The first byte always belongs to the name: `<p =x>` has an attribute named `=x`.
  while (!(classAt(at) & ATTRIBUTE_NAME_END)) at++
  const range = styleFor(from, at - from)
  while (classAt(at) & SPACE) at++
  if (at >= end || load<u8>(at) !== 0x3d) {
    note(range, at, at, 0)
    return at
  }
  return range === 0 ? skipValue(at + 1, end) : readValue(at + 1, end, range)
}

/** Skips the value of an attribute; `from` is after its `=`. */
function skipValue(from: usize, end: usize): usize {
  let at = from
  while (classAt(at) & SPACE) at++
  const quote = load<u8>(at)
  if (quote === 0x22 || quote === 0x27) return findByte(at + 1, end, quote) + 1
  while (!(classAt(at) & UNQUOTED_END)) at++
  return at
}

/** Like `skipTag`, but records the wanted attributes. The first of several with the same name counts. */
export function readAttributes(from: usize, end: usize): usize {
  clearRanges()
  selfClosing = false
  let at = from
  while (at < end) {
    const stop = usualStop(at)
    if (stop === 0) at = readPart(at, end)
    else {
      const byte = load<u8>(stop)
      if (byte === 0x3e) return at < end ? at + 1 : 0
      const range = rangeFor(nameStart, stop - 1 - nameStart)
      at = range === 0 ? findByte(stop + 1, end, byte) + 1 : readQuoted(stop + 1, end, byte, range)
    }
  }
  return 0
}

/** Reads one byte between attributes, or one attribute with its value. */
function readPart(from: usize, end: usize): usize {
  const kind = classAt(from)
  let at = from + 1
  if (kind & (SPACE | SLASH)) {
    selfClosing = (kind & SLASH) !== 0 && at < end && load<u8>(at) === 0x3e
    return at
  }
  while (!(classAt(at) & ATTRIBUTE_NAME_END)) at++
  const range = rangeFor(from, at - from)
  while (classAt(at) & SPACE) at++
  if (at < end && load<u8>(at) === 0x3d) return range === 0 ? skipValue(at + 1, end) : readValue(at + 1, end, range)
  note(range, at, at, 0)
  return at
}

function readValue(from: usize, end: usize, range: usize): usize {
  let at = from
  while (classAt(at) & SPACE) at++
  const quote = load<u8>(at)
  if (quote === 0x22 || quote === 0x27) return readQuoted(at + 1, end, quote, range)
  const start = at
  let seen: u32 = 0
  for (;;) {
    const kind = classAt(at)
    if (kind & UNQUOTED_END) break
    seen |= kind
    at++
  }
  note(range, start, at, seen)
  return at
}

function readQuoted(start: usize, end: usize, quote: u8, range: usize): usize {
  const wanted = i8x16.splat(quote)
  let others = i64x2.splat(0)
  for (let at = start; at < end; at += 16) {
    const block = v128.load(at)
    const place = firstOf(i8x16.eq(block, wanted))
    const marks = v128.or(i8x16.eq(block, i8x16.splat(0)), i8x16.eq(block, i8x16.splat(AMPERSAND_BYTE)))
    const found = v128.or(marks, i8x16.lt_s(block, i8x16.splat(0)))
    if (place === 16) {
      others = v128.or(others, found)
      continue
    }
    const close = at + place
    // In the last block, only bytes before the quote count.
    const isPlain = !v128.any_true(others) && firstOf(found) >= place
    note(range, start, close, isPlain ? 0 : classesBetween(start, close))
    // A quote after the end of the page doesn't count: the tag is cut off, and its ranges are not read.
    return close + 1
  }
  return end
}

function classesBetween(start: usize, end: usize): u32 {
  let seen: u32 = 0
  for (let at = start; at < end; at++) seen |= classAt(at)
  return seen
}

const AMPERSAND_BYTE: i8 = 0x26
