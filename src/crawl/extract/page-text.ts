import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { AMPERSAND, NON_ASCII, NUL } from './scanner/assembly/wire.ts'

/** Decodes bytes in the page's encoding. Never throws; malformed sequences become U+FFFD. */
export type Decode = (bytes: Uint8Array) => string

/** The default `Decode`, for UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
}

/** `Buffer.toString` spends as much time on its arguments as on a short text; this method of the runtime doesn't. */
type SliceableBuffer = Buffer & { latin1Slice(start: number, end: number): string }

/** Returns a copy, never a view of the page: a link that is kept must not retain the page. */
export function asciiText(bytes: Buffer, start: number, end: number): string {
  return (bytes as SliceableBuffer).latin1Slice(start, end)
}

/** Text of an attribute value; `classes` are the byte classes the scanner saw in it. Plain ASCII is copied as it is. */
export function attributeText(bytes: Buffer, start: number, end: number, classes: number, decode: Decode): string {
  if (classes === 0) return asciiText(bytes, start, end)
  const text = rawText(bytes, start, end, classes, decode)
  return classes & AMPERSAND ? decodeHTMLAttribute(text) : text
}

function rawText(bytes: Buffer, start: number, end: number, classes: number, decode: Decode): string {
  const text = classes & NON_ASCII ? decode(bytes.subarray(start, end)) : asciiText(bytes, start, end)
  return classes & NUL ? text.replaceAll('\0', '\uFFFD') : text
}

/** Most titles don't. */
const needsCollapsing = /[\t\n\f\r]| {2}/

/** Text content of a title: entities decoded by the rules for text, white space collapsed as in `document.title`. */
export function titleText(bytes: Buffer, start: number, end: number, decode: Decode): string {
  const classes = classesOf(bytes, start, end)
  const text = rawText(bytes, start, end, classes, decode)
  const decoded = classes & AMPERSAND ? decodeHTML(text) : text
  return (needsCollapsing.test(decoded) ? decoded.replace(/[\t\n\f\r ]+/g, ' ') : decoded).trim()
}

function classesOf(bytes: Buffer, start: number, end: number): number {
  let classes = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte >= 0x80) classes |= NON_ASCII
    else if (byte === 0x26) classes |= AMPERSAND
    else if (byte === 0) classes |= NUL
  }
  return classes
}

/** Longer values take the general path. Used only within one call, so one buffer is enough. */
const scratch = Buffer.alloc(1024)

/**
 * Text of an ASCII value whose ampersands are of the two kinds common in links: `&amp;`, and `&name=` of an unescaped
 * query (which by the rules for attributes stands for itself, even if there is such an entity). Undefined if there is any
 * other, which needs the whole table of entities. Three times as fast as that.
 */
export function plainAmpersandText(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start > scratch.length) return undefined
  let size = 0
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    scratch[size++] = byte
    if (byte !== 0x26) continue
    if (isAmp(bytes, at + 1)) at += 4
    else if (!isParameter(bytes, at + 1, end)) return undefined
  }
  return asciiText(scratch, 0, size)
}

function isAmp(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x61 && bytes[at + 1] === 0x6d && bytes[at + 2] === 0x70 && bytes[at + 3] === 0x3b
}

function isParameter(bytes: Buffer, from: number, end: number): boolean {
  let at = from
  while (at < end && isLetter(bytes[at]!)) at++
  return at > from && at < end && bytes[at] === 0x3d
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x7a
}
