import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import { decodeBig5 } from './big5.ts'
import { decodeEucKr } from './euc-kr.ts'
import { prescan } from './meta-prescan.ts'

export type Charset = {
  /** Name in the Encoding standard, in lower case, as `TextDecoder` accepts it. */
  charset: string
  source: 'bom' | 'header' | 'meta' | 'detected' | 'default'
}

/** Encoding of a text document, from its byte order mark, the header, its own declaration, or its bytes, in this order. */
export function detectCharset(document: { bytes: Uint8Array; contentType?: string | null | undefined }): Charset {
  const { bytes, contentType } = document
  const bom = bomEncoding(bytes)
  if (bom !== undefined) return { charset: bom, source: 'bom' }
  const header = contentType ? httpContentTypeEncoding(contentType) : undefined
  if (header !== undefined) return { charset: header, source: 'header' }
  const declared = htmlBodyDeclaredEncoding(bytes)
  if (declared !== undefined) return { charset: declared, source: 'meta' }
  if (isUtf8Text(bytes)) return { charset: 'utf-8', source: 'detected' }
  const late = lateDeclaredEncoding(bytes)
  if (late !== undefined) return { charset: late, source: 'meta' }
  const guess = guessEncoding(bytes)
  return guess === undefined ? { charset: 'windows-1252', source: 'default' } : { charset: guess, source: 'detected' }
}

export function bomEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return undefined
}

/** Longer documents are cut: a hostile body could exceed the length of a V8 string. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024

/** Encodings that the runtime decodes otherwise than the standard. */
const ownDecoders = new Map([
  ['big5', decodeBig5],
  ['euc-kr', decodeEucKr],
])

/** Decodes a document and drops its byte order mark. Malformed bytes become U+FFFD; an unknown name is read as the web's default. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  const name = resolveEncoding(charset) ?? 'windows-1252'
  const whole = bytes.length > MAX_DECODED_BYTES ? bytes.subarray(0, MAX_DECODED_BYTES) : bytes
  return ownDecoders.get(name)?.(whole) ?? new TextDecoder(name).decode(whole)
}

/** Decodes parts of documents, in which a byte order mark is a character. `charset` is a name of the Encoding standard. */
export function createPartDecoder(charset: string): (bytes: Uint8Array) => string {
  const own = ownDecoders.get(charset)
  if (own !== undefined) return own
  const decoder = new TextDecoder(charset, { ignoreBOM: true })
  return (bytes) => decoder.decode(bytes)
}

/** False for encodings in which a byte below 0x80 isn't always its ASCII character. */
export function isAsciiCompatible(charset: string): boolean {
  return charset !== 'utf-16le' && charset !== 'utf-16be' && charset !== 'iso-2022-jp'
}

/** Longer than any label of the Encoding standard; anything longer is not looked up. */
const MAX_LABEL_LENGTH = 40

/** Cache of resolved labels. Only valid ones are kept, so hostile names can't make it grow. */
const known = new Map<string, string>()

/**
 * The encoding for a label of the Encoding standard (`latin1` is `windows-1252`), in lower case. Undefined for unknown labels, and for
 * those of encodings that must no longer be decoded (UTF-7, HZ, ISO-2022-KR).
 */
export function resolveEncoding(label: string): string | undefined {
  if (label.length > MAX_LABEL_LENGTH) return undefined
  const key = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase()
  const hit = known.get(key)
  if (hit !== undefined) return hit
  const name = nameOf(key)
  if (name !== undefined) known.set(key, name)
  return name
}

function nameOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

const MAX_HEADER_LENGTH = 4096

const parameter =
  /;[\t\n\r ]*([^\t\n\r;=," ]+)=(?:"((?:[^"\\]|\\[\s\S])*)"?[^;,]*|([^;,]*))|"(?:[^"\\]|\\[\s\S])*"?|[\s\S]/g

/**
 * Encoding named by a Content-Type header: the first `charset` parameter with a known label. Quoted text that only looks like a parameter
 * doesn't count. Of several values joined by commas, the first that names an encoding counts.
 */
export function httpContentTypeEncoding(header: string): string | undefined {
  if (header !== lastHeader) {
    lastEncoding = namedEncoding(header)
    lastHeader = header
  }
  return lastEncoding
}

/** Cache of one entry: pages of a site have the same header. */
let lastHeader = ''
let lastEncoding: string | undefined

function namedEncoding(header: string): string | undefined {
  if (!/charset/i.test(header)) return undefined
  for (const match of header.slice(0, MAX_HEADER_LENGTH).matchAll(parameter)) {
    if (match[1]?.toLowerCase() !== 'charset') continue
    const encoding = resolveEncoding(match[2]?.replace(/\\([\s\S])/g, '$1') ?? match[3] ?? '')
    if (encoding !== undefined) return encoding
  }
  return undefined
}

/** The standard requires 1024 bytes; enough pages put scripts before their meta to justify more. */
const PRESCAN_BYTES = 4096

/**
 * Encoding declared by an HTML page itself: the HTML standard's prescan for `<meta charset>` and `<meta http-equiv="content-type">`, then
 * the XML declaration. The result is a name that `TextDecoder` accepts.
 */
export function htmlBodyDeclaredEncoding(body: Uint8Array): string | undefined {
  const length = Math.min(body.length, PRESCAN_BYTES)
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, length)
  // Latin-1 has one character per byte.
  const start = bytes.toString('latin1', 0, Math.min(length, 6))
  if (start === '<\0?\0x\0') return 'utf-16le'
  if (start === '\0<\0?\0x') return 'utf-16be'
  const declared = prescan(bytes, length, readableEncoding)
  return declared === undefined && start.startsWith('<?xml')
    ? xmlDeclaredEncoding(bytes.toString('latin1', 0, length))
    : declared
}

/** How far a browser's parser may be when a meta makes it begin again; here, what is worth searching before guessing. */
const LATE_BYTES = 65_536

/** A declaration behind the part that is searched first. It only matters for text that isn't UTF-8, which is rare. */
function lateDeclaredEncoding(body: Uint8Array): string | undefined {
  if (body.length <= PRESCAN_BYTES) return undefined
  const length = Math.min(body.length, LATE_BYTES)
  return prescan(Buffer.from(body.buffer, body.byteOffset, length), length, readableEncoding)
}

const xmlDeclaration = /^<\?xml[^>]*?encoding[\t\n\f\r ]*=[\t\n\f\r ]*(["'])([^"'>]*)\1/

function xmlDeclaredEncoding(text: string): string | undefined {
  return readableEncoding(xmlDeclaration.exec(text)?.[2] ?? '')
}

/** As in the standard: a page whose ASCII was readable isn't UTF-16, and x-user-defined is a historic hack. */
function readableEncoding(label: string): string | undefined {
  const name = resolveEncoding(label)
  if (name === 'utf-16le' || name === 'utf-16be') return 'utf-8'
  return name === 'x-user-defined' ? 'windows-1252' : name
}

/** Larger samples make the guess slower, but not better. */
const SAMPLE_BYTES = 4096
/** How far to search for text to guess from. */
const SEARCH_BYTES = 262_144
/** Below this confidence the guess is worse than the web's default. */
const MIN_CONFIDENCE = 20

/** True for UTF-8 that may be cut off inside its last character, like a body at its size limit. */
export function isUtf8Text(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true
  for (let cut = 1; cut <= 3 && cut <= bytes.length; cut++) {
    const byte = bytes[bytes.length - cut]!
    if (byte < 0x80) return false
    if (byte >= 0xc0) return isUtf8(bytes.subarray(0, bytes.length - cut))
  }
  return false
}

/** Guesses the encoding of text that is not UTF-8 from the frequency of its bytes. */
function guessEncoding(bytes: Uint8Array): string | undefined {
  const sample = sampleText(bytes)
  if (sample.length === 0) return undefined
  for (const match of analyse(sample)) {
    if (match.confidence < MIN_CONFIDENCE) return undefined
    const encoding = resolveEncoding(match.name)
    // UTF-16 is declared or has a BOM; a guess of it is wrong more often than right.
    if (encoding !== undefined && !encoding.startsWith('utf-16')) return encoding
  }
  return undefined
}

/** Text around the first non-ASCII bytes, without tags: markup says nothing about the language. */
function sampleText(bytes: Uint8Array): Uint8Array {
  const end = Math.min(bytes.length, SEARCH_BYTES)
  const sample = new Uint8Array(SAMPLE_BYTES)
  let size = 0
  let inTag = false
  let hasNonAscii = false
  for (let at = 0; at < end && size < SAMPLE_BYTES; at++) {
    const byte = bytes[at]!
    if (byte === 0x3c) inTag = true
    else if (byte === 0x3e) inTag = false
    else if (!inTag) {
      if (!hasNonAscii && size === SAMPLE_BYTES / 4) size = 0
      hasNonAscii ||= byte >= 0x80 || byte === 0x1b
      sample[size++] = byte
    }
  }
  return sample.subarray(0, hasNonAscii ? size : 0)
}
