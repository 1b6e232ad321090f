/**
 * Classes of bytes for the HTML tokenizer, as bits, so that a scan needs one table look-up instead of six comparisons. The high bits show
 * what a value contains: one without any of them is plain ASCII and needs no decoding.
 */
export const WHITESPACE = 1
export const SLASH = 2
export const GREATER = 4
const EQUALS = 8
export const AMPERSAND = 16
export const NON_ASCII = 32
export const NUL = 64
export const LETTER = 128

export const TAG_NAME_END = WHITESPACE | SLASH | GREATER
export const ATTRIBUTE_NAME_END = WHITESPACE | SLASH | GREATER | EQUALS
export const UNQUOTED_END = WHITESPACE | GREATER
/** A value with one of these differs from its bytes as text. */
export const NOT_PLAIN = AMPERSAND | NON_ASCII | NUL

export const byteClass: Uint8Array = buildByteClass()

function buildByteClass(): Uint8Array {
  const table = new Uint8Array(256)
  for (const byte of [0x09, 0x0a, 0x0c, 0x0d, 0x20]) table[byte] = WHITESPACE
  table[0x2f] = SLASH
  table[0x3e] = GREATER
  table[0x3d] = EQUALS
  table[0x26] = AMPERSAND
  table[0] = NUL
  for (let byte = 0x41; byte <= 0x5a; byte++) table[byte] = table[byte + 0x20] = LETTER
  table.fill(NON_ASCII, 0x80)
  return table
}

/**
 * A page in two forms. Single bytes are read fastest from `bytes`; searching is fastest in `text`, which has one character per byte
 * (Latin-1), regardless of the page's encoding.
 */
export type PageBytes = { readonly bytes: Buffer; readonly text: string }

/**
 * Index of `byte` at or after `from`, or the length if there is none. `character` is the byte as text. The first `nearBytes` are compared
 * one by one: calling the native search costs as much as some twenty bytes.
 */
export function findByte(page: PageBytes, byte: number, character: string, from: number, nearBytes: number): number {
  const { bytes, text } = page
  const length = bytes.length
  const near = Math.min(from + nearBytes, length)
  let at = from
  while (at < near && bytes[at] !== byte) at++
  if (at < near || near === length) return at
  const found = text.indexOf(character, at)
  return found === -1 ? length : found
}

/** Whether the bytes from `at` equal `word`, which is in lower case, ignoring the case of ASCII letters. */
export function matchesWord(bytes: Uint8Array, at: number, word: string): boolean {
  if (at + word.length > bytes.length) return false
  for (let i = 0; i < word.length; i++) {
    const byte = bytes[at + i]!
    const wanted = word.charCodeAt(i)
    if (byte !== wanted && (byte < 0x41 || byte + 0x20 !== wanted)) return false
  }
  return true
}
