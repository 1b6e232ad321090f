import { createHash, hash } from 'node:crypto'

/** Labelled digests as WARC writes them: `sha1:BASE32`. Other tools also write hex and base64; all are read. */

export type DigestAlgorithm = 'sha1' | 'sha256' | 'sha512' | 'md5'
export type Digest = { algorithm: DigestAlgorithm; bytes: Buffer }

const digestLength: Record<DigestAlgorithm, number> = { sha1: 20, sha256: 32, sha512: 64, md5: 16 }
const maxTextChars = 200
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function digestText(algorithm: DigestAlgorithm, bytes: Uint8Array): string {
  return `${algorithm}:${base32(bytes)}`
}

/** The digest of the parts one after the other, without joining them. */
export function digestOf(algorithm: DigestAlgorithm, parts: readonly Uint8Array[]): string {
  if (parts.length === 1) return digestText(algorithm, hash(algorithm, parts[0]!, 'buffer'))
  const running = createHash(algorithm)
  for (const part of parts) running.update(part)
  return digestText(algorithm, running.digest())
}

/** Null for an algorithm that is not known here; `malformed` for a value that no digest of the algorithm has. */
export function parseDigest(text: string): Digest | 'malformed' | null {
  const colon = text.indexOf(':')
  if (colon <= 0 || text.length > maxTextChars) return 'malformed'
  const name = text.slice(0, colon).trim().toLowerCase().replace('-', '')
  if (!Object.hasOwn(digestLength, name)) return null
  const algorithm = name as DigestAlgorithm
  const bytes = decodeAny(text.slice(colon + 1).trim(), digestLength[algorithm])
  return bytes === null ? 'malformed' : { algorithm, bytes }
}

export function matchesDigest(digest: Digest, data: Uint8Array): boolean {
  return hash(digest.algorithm, data, 'buffer').equals(digest.bytes)
}

export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (let i = 0; i < bytes.length; i++) {
    held = ((held << 8) | bytes[i]!) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31]
  }
  if (bits > 0) text += alphabet[(held << (5 - bits)) & 31]
  return text
}

/** The three spellings have different lengths for every algorithm, so the length tells them apart. */
function decodeAny(text: string, length: number): Buffer | null {
  const bare = text.replace(/=+$/, '')
  let bytes: Buffer | null = null
  if (text.length === 2 * length) bytes = /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : null
  else if (bare.length === Math.ceil((length * 8) / 5)) bytes = fromBase32(bare)
  else if (bare.length === Math.ceil((length * 4) / 3))
    bytes = /^[\w+/-]+$/.test(bare) ? Buffer.from(bare, 'base64') : null
  return bytes?.length === length ? bytes : null
}

function fromBase32(text: string): Buffer | null {
  const bytes = Buffer.alloc(Math.floor((text.length * 5) / 8))
  let bits = 0
  let held = 0
  let at = 0
  for (const char of text.toUpperCase()) {
    const value = alphabet.indexOf(char)
    if (value < 0) return null
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (held >> bits) & 0xff
    }
  }
  return bytes
}
