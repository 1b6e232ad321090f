import {
  ATTRIBUTE_NAME_END,
  byteClass,
  GREATER,
  matchesWord,
  NOT_PLAIN,
  type PageBytes,
  SLASH,
  UNQUOTED_END,
  WHITESPACE,
} from '../../core/html/byte-class.ts'
import { skipValue } from '../../core/html/skip-tag.ts'

// An imported binding is looked up at each use; in the loops below that costs a tenth of the time.
const classes = byteClass
const NAME_END = ATTRIBUTE_NAME_END
const VALUE_END = UNQUOTED_END
const TAG_END = GREATER
const SPACE = WHITESPACE
const SLASH_BIT = SLASH

/**
 * Where the wanted attributes of the tag at hand lie in the page: start, end and byte classes of each value, three
 * numbers per slot. A start of -1 means that the tag has no such attribute; one without a value has an empty range.
 */
export type TagAttributes = {
  readonly ranges: Int32Array
  selfClosing: boolean
}

export const SRC = 0
export const REL = 3
export const HREF = 6
export const NAME = 9
export const SRCSET = 12
export const ACTION = 15
export const METHOD = 18
export const CONTENT = 21
export const HTTP_EQUIV = 24
const RANGE_NUMBERS = 27

export function createTagAttributes(): TagAttributes {
  return { ranges: new Int32Array(RANGE_NUMBERS), selfClosing: false }
}

/** As `skipTag`, and notes the wanted ones. The first of several with one name counts. */
export function readAttributes(page: PageBytes, from: number, into: TagAttributes): number {
  const { bytes } = page
  const length = bytes.length
  const ranges = into.ranges
  for (let slot = 0; slot < RANGE_NUMBERS; slot += 3) ranges[slot] = -1
  into.selfClosing = false
  let at = from
  while (at < length) {
    const kind = classes[bytes[at]!]!
    if (kind & TAG_END) return at + 1
    if (kind & (SPACE | SLASH_BIT)) {
      at++
      into.selfClosing = (kind & SLASH_BIT) !== 0 && bytes[at] === 0x3e
      continue
    }
    const nameStart = at++
    while (at < length && !(classes[bytes[at]!]! & NAME_END)) at++
    const slot = wantedSlot(bytes, nameStart, at)
    while (at < length && classes[bytes[at]!]! & SPACE) at++
    if (bytes[at] !== 0x3d) noteRange(ranges, slot, at, at, 0)
    else if (slot === -1) at = skipValue(page, at + 1)
    else at = readValue(bytes, at + 1, slot, ranges)
  }
  return -1
}

function readValue(bytes: Buffer, from: number, slot: number, ranges: Int32Array): number {
  const length = bytes.length
  let at = from
  let seen = 0
  while (at < length && classes[bytes[at]!]! & SPACE) at++
  const quote = bytes[at]
  if (quote === 0x22 || quote === 0x27) {
    const start = ++at
    for (; at < length && bytes[at] !== quote; at++) seen |= classes[bytes[at]!]!
    noteRange(ranges, slot, start, at, seen)
    return at + 1
  }
  const start = at
  for (; at < length; at++) {
    const kind = classes[bytes[at]!]!
    if (kind & VALUE_END) break
    seen |= kind
  }
  noteRange(ranges, slot, start, at, seen)
  return at
}

function noteRange(ranges: Int32Array, slot: number, start: number, end: number, seen: number): void {
  if (slot === -1 || ranges[slot] !== -1) return
  ranges[slot] = start
  ranges[slot + 1] = end
  ranges[slot + 2] = seen & NOT_PLAIN
}

function wantedSlot(bytes: Buffer, start: number, end: number): number {
  switch (end - start) {
    case 3:
      if (matchesWord(bytes, start, 'src')) return SRC
      return matchesWord(bytes, start, 'rel') ? REL : -1
    case 4:
      if (matchesWord(bytes, start, 'href')) return HREF
      return matchesWord(bytes, start, 'name') ? NAME : -1
    case 6:
      if (matchesWord(bytes, start, 'srcset')) return SRCSET
      if (matchesWord(bytes, start, 'action')) return ACTION
      return matchesWord(bytes, start, 'method') ? METHOD : -1
    case 7:
      return matchesWord(bytes, start, 'content') ? CONTENT : -1
    case 10:
      return matchesWord(bytes, start, 'http-equiv') ? HTTP_EQUIV : -1
    default:
      return -1
  }
}
