// Byte classes of the HTML tokenizer as bits, so that a scan needs one table look-up instead of six comparisons; and
// searches that test sixteen bytes at a time. Those read up to fifteen bytes past the end, where there is always memory.
import { AMPERSAND, NON_ASCII, NUL } from './wire.ts'

export const SPACE: u32 = 1
export const SLASH: u32 = 2
export const GREATER: u32 = 4
export const EQUALS: u32 = 8
export const LETTER: u32 = 128
export const TAG_NAME_END: u32 = SPACE | SLASH | GREATER
export const ATTRIBUTE_NAME_END: u32 = SPACE | SLASH | GREATER | EQUALS
export const UNQUOTED_END: u32 = SPACE | GREATER
export const NOT_PLAIN: u32 = AMPERSAND | NON_ASCII | NUL

const classes: usize = memory.data(256)

export function fillClasses(): void {
  store<u8>(classes + 0x09, SPACE)
  store<u8>(classes + 0x0a, SPACE)
  store<u8>(classes + 0x0c, SPACE)
  store<u8>(classes + 0x0d, SPACE)
  store<u8>(classes + 0x20, SPACE)
  store<u8>(classes + 0x2f, SLASH)
  store<u8>(classes + 0x3e, GREATER)
  store<u8>(classes + 0x3d, EQUALS)
  store<u8>(classes + 0x26, AMPERSAND)
  store<u8>(classes, NUL)
  memory.fill(classes + 0x41, <u8>LETTER, 26)
  memory.fill(classes + 0x61, <u8>LETTER, 26)
  memory.fill(classes + 0x80, <u8>NON_ASCII, 128)
}

export function classAt(at: usize): u32 {
  return load<u8>(classes + <usize>load<u8>(at))
}

/**
 * Index of the first non-zero byte in the result of a comparison; 16 if there is none. Extracts words instead of a bit
 * mask: not every processor has an instruction for that.
 */
export function firstOf(hits: v128): usize {
  const low = i64x2.extract_lane(hits, 0)
  if (low !== 0) return <usize>ctz(low) >> 3
  const high = i64x2.extract_lane(hits, 1)
  return high !== 0 ? 8 + (<usize>ctz(high) >> 3) : 16
}

/** The first place of `byte` at or after `at`; `end` if there is none. */
export function findByte(at: usize, end: usize, byte: u8): usize {
  const wanted = i8x16.splat(byte)
  for (; at < end; at += 16) {
    const place = firstOf(i8x16.eq(v128.load(at), wanted))
    if (place !== 16) return min(at + place, end)
  }
  return end
}

/** The first place of two adjacent bytes; `end` if there is none. */
export function findPair(at: usize, end: usize, first: u8, second: u8): usize {
  for (at = findByte(at, end, first); at + 1 < end; at = findByte(at + 1, end, first))
    if (load<u8>(at, 1) === second) return at
  return end
}

/** The end of a tag's name. The page is followed by a `>`, so there always is one. */
export function findNameEnd(at: usize): usize {
  const block = v128.load(at)
  const marks = v128.or(i8x16.eq(block, i8x16.splat(0x2f)), i8x16.eq(block, i8x16.splat(0x3e)))
  // Bytes before the first of these belong to the name. So do control characters, which the table recognises.
  at += firstOf(v128.or(marks, i8x16.lt_u(block, i8x16.splat(0x21))))
  while (!(classAt(at) & TAG_NAME_END)) at++
  return at
}

/** Up to eight bytes as one number, with ASCII letters in lower case. Bytes below 0x40 may be changed as well. */
export function foldedWord(at: usize, length: usize): u64 {
  const word = load<u64>(at) | 0x2020202020202020
  return length >= 8 ? word : word & ((1 << ((<u64>length) << 3)) - 1)
}

/** Whether the bytes at `at` are `word`, ignoring the case of ASCII letters. `word` is in lower case. */
export function matchesWord(at: usize, end: usize, word: string): bool {
  const length = <usize>word.length
  if (at + length > end) return false
  for (let i: usize = 0; i < length; i++) {
    const byte = <u32>load<u8>(at + i)
    const wanted = <u32>word.charCodeAt(<i32>i)
    if (byte !== wanted && (byte < 0x41 || byte + 0x20 !== wanted)) return false
  }
  return true
}

export function skipSpace(at: usize, end: usize): usize {
  while (at < end && classAt(at) & SPACE) at++
  return at
}

export function trimSpaceEnd(start: usize, end: usize): usize {
  while (end > start && classAt(end - 1) & SPACE) end--
  return end
}
