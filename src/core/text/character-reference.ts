import { decodeHTML, decodeXML } from 'entities/decode'

/** The text, in UTF-8, that a character reference of `size` bytes represents. */
export type Reference = { readonly text: Uint8Array; readonly size: number }

/** Reads the reference that begins with the `&` at `at`. An `&` that begins none is returned as it is. */
export type ReadReference = (bytes: Uint8Array, at: number, end: number) => Reference

/** Length of the longest name. Some names end without `;` right before other letters, so all letters are read together. */
const maxNameLength = 32
const rememberedReferences = 1024

const plainAmpersand: Reference = { text: Buffer.from('&'), size: 1 }

type Remembered = Reference & { readonly source: Uint8Array }

/**
 * The same few references recur, so the latest are cached, each in the slot that its bytes hash to: a page full of made-up names can't make
 * the cache grow.
 */
function createReader(decode: (text: string) => string): ReadReference {
  const remembered: (Remembered | undefined)[] = new Array(rememberedReferences).fill(undefined)
  return (bytes, at, end) => {
    if (at + 1 < end && bytes[at + 1] === 0x23) return readNumber(bytes, at, end, decode)
    const limit = Math.min(end, at + 1 + maxNameLength)
    let stop = at + 1
    let sum = 0
    while (stop < limit && isAlphanumeric(bytes[stop]!)) sum = (Math.imul(sum, 31) + bytes[stop++]!) | 0
    if (stop === at + 1) return plainAmpersand
    if (stop < end && bytes[stop] === 0x3b) stop++
    const place = (sum ^ (sum >>> 10) ^ (stop - at)) & (rememberedReferences - 1)
    const known = remembered[place]
    if (known !== undefined && known.size === stop - at && isSame(known.source, bytes, at)) return known
    const source = bytes.slice(at, stop)
    const reference = { source, text: Buffer.from(decode(latin1(source))), size: stop - at }
    remembered[place] = reference
    return reference
  }
}

export const readHtmlReference: ReadReference = createReader(decodeHTML)
export const readXmlReference: ReadReference = createReader(decodeXML)

/** The number of digits is unlimited; the resulting code is clamped. */
function readNumber(bytes: Uint8Array, at: number, end: number, decode: (text: string) => string): Reference {
  let stop = at + 2
  const isHex = stop < end && (bytes[stop]! | 0x20) === 0x78
  if (isHex) stop++
  const digitsAt = stop
  let code = 0
  for (; stop < end; stop++) {
    const digit = digitOf(bytes[stop]!, isHex)
    if (digit === -1) break
    code = Math.min(code * (isHex ? 16 : 10) + digit, 0x110000)
  }
  if (stop === digitsAt) return plainAmpersand
  const hasEnd = stop < end && bytes[stop] === 0x3b
  return { text: Buffer.from(decode(`&#${code};`)), size: stop - at + (hasEnd ? 1 : 0) }
}

function digitOf(byte: number, isHex: boolean): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return isHex && letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function isAlphanumeric(byte: number): boolean {
  const letter = byte | 0x20
  return (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39)
}

function isSame(source: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 1; i < source.length; i++) if (source[i] !== bytes[at + i]) return false
  return true
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
