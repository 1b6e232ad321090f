import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { resolveEncoding } from './charset.ts'

/** Supported content encodings. */
type Codec = 'gzip' | 'deflate' | 'br' | 'zstd'

const codecs = new Map<string, Codec>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
])

/** Values that servers send although nothing is encoded, out of habit. Names of charsets are another such habit. */
const nothing = new Set(['', 'identity', 'none', 'binary', '8bit', '7bit'])

const maxLayers = 3

/** The codecs to undo, outermost first, or why that is impossible. */
function readContentEncoding(
  field: string | undefined,
): { kind: 'layers'; layers: Codec[] } | { kind: 'failed'; message: string } {
  const layers: Codec[] = []
  if (field === undefined) return { kind: 'layers', layers }
  for (const name of field.toLowerCase().split(',', 16)) {
    const token = name.trim()
    if (nothing.has(token)) continue
    const codec = codecs.get(token)
    if (codec === undefined && resolveEncoding(token) !== undefined) continue
    if (codec === undefined) return { kind: 'failed', message: `unknown content encoding ${token.slice(0, 40)}` }
    layers.unshift(codec)
  }
  if (layers.length > maxLayers) return { kind: 'failed', message: `more than ${maxLayers} content encodings` }
  return { kind: 'layers', layers }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** RFC 1950: method 8, and a header that is a multiple of 31. Raw deflate streams rarely begin like this. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

/** A frame, or one of the skippable frames that may precede it. */
function isZstd(bytes: Buffer): boolean {
  if (bytes.length < 4) return false
  const magic = bytes.readUInt32LE(0)
  return magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5
}

/** Plain text labelled as compressed: no compressed stream begins with that many printable characters. */
function isPlainText(bytes: Buffer): boolean {
  if (bytes.length < 16) return false
  for (const byte of bytes.subarray(0, 64)) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false
  }
  return true
}

/** Where the deflate stream of a gzip member begins (RFC 1952), or the end if the header is truncated. */
export function gzipHeaderLength(bytes: Buffer): number {
  const flags = bytes[3] ?? 0
  let at = 10
  if (flags & 4) at += 2 + (at + 2 <= bytes.length ? bytes.readUInt16LE(at) : 0)
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue
    const end = bytes.indexOf(0, at)
    at = end === -1 ? bytes.length : end + 1
  }
  if (flags & 2) at += 2
  return Math.min(at, bytes.length)
}

/**
 * Decodes content encodings. Almost every body is small and complete: one synchronous call decodes it at a fraction of the cost of a
 * stream. A body that such a call can't decode within `quickBytes` (a large page, or a bomb), or that is damaged, is decoded by a stream in
 * the thread pool instead, up to the limit, so that no body blocks the event loop for more than some milliseconds. Only then is the result
 * a promise.
 */

export type DecodedBody =
  /** `truncated`: the body exceeds the limit or is incomplete; `body` is what could be decoded. */
  { kind: 'decoded'; body: Buffer; truncated: boolean } | { kind: 'failed'; code: 'decode-failed'; message: string }

const quickBytes = 2 << 20
const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants

/**
 * The body without its content encodings. A body that is not encoded, or labelled gzip without being gzip, is returned as the same buffer.
 */
export function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  maxDecodedBytes: number,
): DecodedBody | Promise<DecodedBody> {
  if (body.length === 0) return { kind: 'decoded', body, truncated: false }
  const encoding = readContentEncoding(contentEncoding)
  if (encoding.kind === 'failed') return failed(encoding.message)
  return undo(body, encoding.layers, maxDecodedBytes, false)
}

function undo(
  body: Buffer,
  layers: readonly Codec[],
  maxBytes: number,
  truncated: boolean,
): DecodedBody | Promise<DecodedBody> {
  const [outermost, ...inner] = layers
  if (outermost === undefined) {
    if (body.length <= maxBytes) return { kind: 'decoded', body, truncated }
    return { kind: 'decoded', body: body.subarray(0, maxBytes), truncated: true }
  }
  const next = (result: DecodedBody) =>
    result.kind === 'failed' ? result : undo(result.body, inner, maxBytes, truncated || result.truncated)
  const result = undoOne(body, outermost, maxBytes)
  return result instanceof Promise ? result.then(next) : next(result)
}

function undoOne(body: Buffer, codec: Codec, maxBytes: number): DecodedBody | Promise<DecodedBody> {
  const format = formatOf(body, codec)
  if (format === null) return { kind: 'decoded', body, truncated: false }
  try {
    const maxOutputLength = Math.min(maxBytes, quickBytes)
    return { kind: 'decoded', body: format.quick(body, { maxOutputLength }), truncated: false }
  } catch (error) {
    if (isTooLarge(error)) return stream(format.stream(), body, maxBytes)
    // The two bytes that identify zlib can also begin a raw deflate stream by chance.
    if (format === zlibFormat) return undoRaw(body, maxBytes, error)
    return salvage(format, body, maxBytes, error)
  }
}

function undoRaw(body: Buffer, maxBytes: number, zlibError: unknown): DecodedBody | Promise<DecodedBody> {
  try {
    const maxOutputLength = Math.min(maxBytes, quickBytes)
    return { kind: 'decoded', body: zlib.inflateRawSync(body, { maxOutputLength }), truncated: false }
  } catch {
    return salvage(zlibFormat, body, maxBytes, zlibError)
  }
}

type Format = {
  quick(body: Buffer, options: { maxOutputLength: number }): Buffer
  stream(): Transform
  /** A decoder that skips checksums and treats the end of the input as the end of the stream. */
  lenient(options: { chunkSize: number }): Transform
  /** Bytes to skip for the lenient decoder. */
  headerLength(body: Buffer): number
  /** Without a magic number, mislabelled text is only detected when decoding fails. */
  hasMagic: boolean
}

const lenientRaw = (options: { chunkSize: number }) => zlib.createInflateRaw({ ...options, finishFlush: Z_SYNC_FLUSH })
const streamed = { chunkSize: 64 << 10 }

const gzipFormat: Format = {
  quick: (body, options) => zlib.gunzipSync(body, { ...options, chunkSize: gzipChunkSize(body) }),
  stream: () => zlib.createGunzip(streamed),
  lenient: lenientRaw,
  headerLength: gzipHeaderLength,
  hasMagic: true,
}
const zlibFormat: Format = {
  quick: (body, options) => zlib.inflateSync(body, options),
  stream: () => zlib.createInflate(streamed),
  lenient: lenientRaw,
  headerLength: () => 2,
  hasMagic: false,
}
const rawFormat: Format = {
  quick: (body, options) => zlib.inflateRawSync(body, options),
  stream: () => zlib.createInflateRaw(streamed),
  lenient: lenientRaw,
  headerLength: () => 0,
  hasMagic: false,
}
const brotliFormat: Format = {
  quick: (body, options) => zlib.brotliDecompressSync(body, options),
  stream: () => zlib.createBrotliDecompress(streamed),
  lenient: (options) => zlib.createBrotliDecompress({ ...options, finishFlush: BROTLI_OPERATION_FLUSH }),
  headerLength: () => 0,
  hasMagic: false,
}
const zstdFormat: Format = {
  quick: (body, options) => zlib.zstdDecompressSync(body, options),
  stream: () => zlib.createZstdDecompress(streamed),
  lenient: (options) => zlib.createZstdDecompress({ ...options, finishFlush: ZSTD_e_flush }),
  headerLength: () => 0,
  hasMagic: true,
}

/** The actual format, where the label allows several; null if the body is not encoded at all. */
function formatOf(body: Buffer, codec: Codec): Format | null {
  if (body.length === 0) return null
  if (codec === 'br') return brotliFormat
  if (codec === 'zstd') return isZstd(body) ? zstdFormat : null
  if (isGzip(body)) return gzipFormat
  if (codec === 'gzip') return null
  return isZlib(body) ? zlibFormat : rawFormat
}

/** A gzip stream ends with its decoded length, which may be wrong: it only saves joining chunks. */
function gzipChunkSize(body: Buffer): number {
  const announced = body.length < 18 ? 0 : body.readUInt32LE(body.length - 4)
  return Math.min(Math.max(announced + 64, 1024), quickBytes, body.length * 1032 + 1024)
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

/** Decodes as much of a damaged body as possible. A decoder loses its last chunk to the error, so chunks are small. */
async function salvage(format: Format, body: Buffer, maxBytes: number, error: unknown): Promise<DecodedBody> {
  if (!format.hasMagic && isPlainText(body)) return { kind: 'decoded', body, truncated: false }
  const engine = format.lenient({ chunkSize: body.length < 64 << 10 ? 1024 : 16 << 10 })
  const result = await stream(engine, body.subarray(format.headerLength(body)), maxBytes)
  if (result.kind === 'decoded' && result.body.length > 0) return { ...result, truncated: true }
  return failed(error instanceof Error ? error.message : String(error))
}

function stream(engine: Transform, body: Buffer, maxBytes: number): Promise<DecodedBody> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let size = 0
    const finish = (truncated: boolean) => {
      engine.destroy()
      resolve({ kind: 'decoded', body: Buffer.concat(pieces, size), truncated })
    }
    engine.on('error', () => finish(true))
    engine.on('end', () => finish(false))
    engine.on('data', (piece: Buffer) => {
      if (engine.destroyed) return
      const fitting = piece.subarray(0, maxBytes - size)
      pieces.push(fitting)
      size += fitting.length
      if (fitting.length < piece.length) finish(true)
    })
    engine.end(body)
  })
}

function failed(message: string): DecodedBody {
  return { kind: 'failed', code: 'decode-failed', message }
}
