/**
 * What a byte means to the HTML tokenizer, as bits, so that a scan asks one table instead of six questions.
 * The high bits gather what a value contains: a value without any of them is plain ASCII and needs no decoding.
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
/** A value that has one of these is not the same text as its bytes. */
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
 * A page as both of its faces. Single bytes are read fastest from `bytes`; searching is fastest in `text`, which has
 * one character for each byte (Latin-1), whatever the page's real encoding is.
 */
export type PageBytes = { readonly bytes: Buffer; readonly text: string }

/**
 * Index of `byte` at or after `from`, or the length when there is none. `character` is the byte as text. The first
 * `nearBytes` are looked at one by one: the call of the native search costs as much as some twenty bytes.
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

/** True when the bytes from `at` are `word`, which is given in lower case, with ASCII letters in any case. */
export function matchesWord(bytes: Uint8Array, at: number, word: string): boolean {
  if (at + word.length > bytes.length) return false
  for (let i = 0; i < word.length; i++) {
    const byte = bytes[at + i]!
    const wanted = word.charCodeAt(i)
    if (byte !== wanted && (byte < 0x41 || byte + 0x20 !== wanted)) return false
  }
  return true
}
