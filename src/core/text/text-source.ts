import { isUtf8 } from 'node:buffer'
import { bomEncoding, decodeText, detectCharset, isUtf8Text } from '../http/charset.ts'
import { type TextKind, type TextType, textTypeOf } from './text-type.ts'

/** A document whose media type has text, in UTF-8. */
export type SourceText = {
  readonly page: Buffer
  readonly kind: TextKind
  readonly type: TextType
  /** The body exceeds the limit and was cut. */
  readonly isCut: boolean
}

/** The rest is ignored. */
const maxBodyBytes = 10 * 1024 * 1024

/** Null if the media type has no text, or the body is in fact binary. */
export function readSource(body: Uint8Array, contentType: string | undefined): SourceText | null {
  const type = textTypeOf(contentType)
  const isCut = body.length > maxBodyBytes
  const bytes = asBuffer(isCut ? body.subarray(0, maxBodyBytes) : body)
  const kind = kindOf(type, bytes)
  if (kind === null) return null
  const page = toUtf8(bytes, kind, type)
  return kind === 'plain' && isBinary(page) ? null : { page, kind, type, isCut }
}

/** The bytes decide where the media type says nothing. */
function kindOf({ kind, media, isUntold }: TextType, bytes: Buffer): TextKind | null {
  if (isUntold && bytes.subarray(0, 512).includes('<')) return 'html'
  return vague.has(media) && startsAsXml(bytes) ? 'xml' : kind
}

/** File stores send these for everything whose type they don't know, feeds included. */
const vague = new Set(['application/octet-stream', 'binary/octet-stream'])

const xmlStart = /^(?:\xef\xbb\xbf)?\s*<(?:\?xml\s|rss[\s>]|feed\s|rdf:RDF\s)/

const startsAsXml = (bytes: Buffer): boolean => xmlStart.test(bytes.toString('latin1', 0, 256))

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

function toUtf8(bytes: Buffer, kind: TextKind, type: TextType): Buffer {
  const charset = charsetOf(bytes, kind, type)
  return charset === 'utf-8' && isUtf8(bytes) ? bytes : Buffer.from(decodeText(bytes, charset))
}

function charsetOf(bytes: Buffer, kind: TextKind, type: TextType): string {
  const told = bomEncoding(bytes) ?? type.charset
  if (told !== undefined) return told
  // A plain text that mentions `<meta charset>` doesn't declare its own.
  if (kind === 'plain' && isUtf8Text(bytes)) return 'utf-8'
  return detectCharset({ bytes }).charset
}

const sampleBytes = 4096

/** True if more than 1 % are control characters that don't occur in text: the body is binary, despite its media type. */
function isBinary(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, sampleBytes)
  let odd = 0
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!
    if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) odd++
  }
  return odd * 100 > length
}

/** Maximum output size for text of this many bytes, including the line break after the title; see `TextSink`. */
export function roomBytes(length: number): number {
  return 3 * length + 64
}

const maxKeptBytes = 4 * 1024 * 1024
let scratch = Buffer.allocUnsafeSlow(0)

/** A shared buffer for all documents but the largest: valid until the next call. */
export function roomFor(length: number): Buffer {
  const size = roomBytes(length)
  if (size <= scratch.length) return scratch
  const room = Buffer.allocUnsafeSlow(Math.max(size, 256 * 1024))
  if (size <= maxKeptBytes) scratch = room
  return room
}
