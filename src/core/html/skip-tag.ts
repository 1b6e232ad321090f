import {
  ATTRIBUTE_NAME_END,
  byteClass,
  findByte,
  type PageBytes,
  SLASH,
  UNQUOTED_END,
  WHITESPACE,
} from './byte-class.ts'

// Imported bindings are looked up at each use, which would cost a tenth of the time in the loops below.
const classes = byteClass
const NAME_END = ATTRIBUTE_NAME_END
const VALUE_END = UNQUOTED_END
const SPACE = WHITESPACE
const BETWEEN = WHITESPACE | SLASH

/** See `findByte`. Most values are shorter. */
const nearBytes = 16

/** Skips the attributes of a tag, `from` being the end of its name. Returns the index after its `>`, or -1 if there is none. */
export function skipTag(page: PageBytes, from: number): number {
  const { bytes } = page
  const length = bytes.length
  let at = from
  while (at < length) {
    if (bytes[at] === 0x3e) return at + 1
    at = skipPart(page, at)
  }
  return -1
}

/** Whether the slash before the `>` at `after - 1` closes the tag: in `<a href=x/>` it belongs to the value. */
export function isSelfClosing(page: PageBytes, from: number, after: number): boolean {
  const slash = after - 2
  if (page.bytes[slash] !== 0x2f) return false
  let at = from
  while (at < slash) at = skipPart(page, at)
  return at === slash
}

/** Skips one byte between attributes, or one attribute with its value. */
function skipPart(page: PageBytes, from: number): number {
  const { bytes } = page
  const length = bytes.length
  let at = from + 1
  if (classes[bytes[from]!]! & BETWEEN) return at
  // The first byte always belongs to the name: `<p =x>` has an attribute named `=x`.
  while (at < length && !(classes[bytes[at]!]! & NAME_END)) at++
  while (at < length && classes[bytes[at]!]! & SPACE) at++
  return bytes[at] === 0x3d ? skipValue(page, at + 1) : at
}

/** Skips the value of an attribute, `from` being the index after its `=`. */
export function skipValue(page: PageBytes, from: number): number {
  const { bytes } = page
  const length = bytes.length
  let at = from
  while (at < length && classes[bytes[at]!]! & SPACE) at++
  const quote = bytes[at]
  if (quote === 0x22) return findByte(page, 0x22, '"', at + 1, nearBytes) + 1
  if (quote === 0x27) return findByte(page, 0x27, "'", at + 1, nearBytes) + 1
  while (at < length && !(classes[bytes[at]!]! & VALUE_END)) at++
  return at
}
