/** Content encodings that can be undone. */
export type Codec = 'gzip' | 'deflate' | 'br' | 'zstd'

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
export function readContentEncoding(
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

export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** RFC 1950: method 8, and a header that is a multiple of 31. Raw deflate streams rarely begin so. */
export function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
}

/** A frame, or one of the skippable frames that may stand before it. */
export function isZstd(bytes: Buffer): boolean {
  if (bytes.length < 4) return false
  const magic = bytes.readUInt32LE(0)
  return magic === 0xfd2fb528 || magic >>> 4 === 0x184d2a5
}

/** Text where a compressed stream was announced: no compressed stream begins with so many printable characters. */
export function isPlainText(bytes: Buffer): boolean {
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
