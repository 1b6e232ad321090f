import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

/** Content encodings that can be undone. */
type Codec = 'gzip' | 'deflate' | 'br' | 'zstd'

const codecs = new Map<string, Codec>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
])

/** What servers write here although it encodes nothing, by habit or by mistaking the field for a charset. */
const nothing = new Set(['', 'identity', 'none', 'binary', '8bit', '7bit', 'utf-8', 'utf8', 'iso-8859-1', 'us-ascii'])

const maxLayers = 3

/** The codecs to undo, outermost first, or why they cannot be. */
function readContentEncoding(
  field: string | undefined,
): { kind: 'layers'; layers: Codec[] } | { kind: 'failed'; message: string } {
  const layers: Codec[] = []
  if (field === undefined) return { kind: 'layers', layers }
  for (const name of field.toLowerCase().split(',', 16)) {
    const token = name.trim()
    if (nothing.has(token)) continue
    const codec = codecs.get(token)
    if (codec === undefined) return { kind: 'failed', message: `unknown content encoding ${token.slice(0, 40)}` }
    layers.unshift(codec)
  }
  if (layers.length > maxLayers) return { kind: 'failed', message: `more than ${maxLayers} content encodings` }
  return { kind: 'layers', layers }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** RFC 1950: method 8, and a header that is a multiple of 31. Raw deflate streams rarely begin so. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

/** A frame, or one of the skippable frames that may stand before it. */
function isZstd(bytes: Buffer): boolean {
  if (bytes.length < 4) return false
  const magic = bytes.readUInt32LE(0)
  return magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5
}

/** Text where a compressed stream was announced: no compressed stream begins with so many printable characters. */
function isPlainText(bytes: Buffer): boolean {
  if (bytes.length < 16) return false
  for (const byte of bytes.subarray(0, 64)) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) return false
  }
  return true
}

/** Where the deflate stream of a gzip member begins (RFC 1952), or the end if the header is cut. */
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
 * Undoes content encodings. Almost every body is small and whole: one synchronous call decodes it, which costs a
 * fraction of a stream. What such a call cannot decode within `quickBytes` (a large page, or a bomb) and what is
 * damaged goes through a stream instead, on another thread and stopped at the limit, so that no body holds the event
 * loop for more than some milliseconds. Then, and only then, the result comes as a promise.
 */

export type DecodedBody =
  /** `truncated`: the body goes on behind the limit, or broke off; what could be decoded is here. */
  { kind: 'decoded'; body: Buffer; truncated: boolean } | { kind: 'failed'; code: 'decode-failed'; message: string }

const quickBytes = 2 << 20
const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants

/**
 * The body without its content encodings. A body that is not encoded at all, or labelled gzip without being gzip,
 * comes back as the very same buffer.
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
    // The two bytes that tell zlib from raw deflate can stand at the head of a raw stream by chance.
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
  /** A decoder that checks no sums and takes the end of the input for the end of the stream. */
  lenient(options: { chunkSize: number }): Transform
  /** Bytes before what the lenient decoder reads. */
  headerLength(body: Buffer): number
  /** Without a magic number, text under a wrong label is found out only when decoding fails. */
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

/** What the body is, where the label allows for more than one thing; null where it is not encoded at all. */
function formatOf(body: Buffer, codec: Codec): Format | null {
  if (body.length === 0) return null
  if (codec === 'br') return brotliFormat
  if (codec === 'zstd') return isZstd(body) ? zstdFormat : null
  if (isGzip(body)) return gzipFormat
  if (codec === 'gzip') return null
  return isZlib(body) ? zlibFormat : rawFormat
}

/** A gzip stream ends with its decoded length, which may be a lie: it only saves putting pieces together. */
function gzipChunkSize(body: Buffer): number {
  const announced = body.length < 18 ? 0 : body.readUInt32LE(body.length - 4)
  return Math.min(Math.max(announced + 64, 1024), quickBytes, body.length * 1032 + 1024)
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
}

/** What can be had of a damaged body. A decoder loses its last piece to the error, so the pieces are small. */
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
