import { guessEncoding, isUtf8Text } from './charset-guess.ts'
import { htmlBodyDeclaredEncoding } from './charset-prescan.ts'
import { httpContentTypeEncoding } from './content-type.ts'
import { resolveEncoding } from './encoding-label.ts'

export type Charset = {
  /** Name by the Encoding standard, in lower case; `TextDecoder` knows it. */
  charset: string
  source: 'bom' | 'header' | 'meta' | 'detected' | 'default'
}

/** Encoding of a text document: byte order mark, then header, then what it says of itself, then its bytes. */
export function detectCharset(document: { bytes: Uint8Array; contentType?: string | null | undefined }): Charset {
  const { bytes, contentType } = document
  const bom = bomEncoding(bytes)
  if (bom !== undefined) return { charset: bom, source: 'bom' }
  const header = contentType ? httpContentTypeEncoding(contentType) : undefined
  if (header !== undefined) return { charset: header, source: 'header' }
  const declared = htmlBodyDeclaredEncoding(bytes)
  if (declared !== undefined) return { charset: declared, source: 'meta' }
  if (isUtf8Text(bytes)) return { charset: 'utf-8', source: 'detected' }
  const guess = guessEncoding(bytes)
  return guess === undefined ? { charset: 'windows-1252', source: 'default' } : { charset: guess, source: 'detected' }
}

export function bomEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return undefined
}

/** Longer documents are cut: a string of V8 cannot hold what a hostile body may bring. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024

/** Text of a document, its byte order mark dropped. Malformed bytes become U+FFFD; an unknown name is the web's default. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  const name = resolveEncoding(charset) ?? 'windows-1252'
  return new TextDecoder(name).decode(bytes.length > MAX_DECODED_BYTES ? bytes.subarray(0, MAX_DECODED_BYTES) : bytes)
}

/** True for encodings in which a byte below 0x80 can be something else than its ASCII character. */
export function isAsciiCompatible(charset: string): boolean {
  return charset !== 'utf-16le' && charset !== 'utf-16be' && charset !== 'iso-2022-jp'
}
