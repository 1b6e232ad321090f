import { createHash, hash } from 'node:crypto'
import { fromBase32, toBase32 } from '../../core/url/fingerprint.ts'

/** Labelled digests as WARC writes them: `sha1:BASE32`. Other tools also write hex and base64; all are read. */

export type DigestAlgorithm = 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512' | 'md5'
export type Digest = { algorithm: DigestAlgorithm; bytes: Buffer }

const digestLength: Record<DigestAlgorithm, number> = {
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
  md5: 16,
}
const maxTextChars = 200

export function digestText(algorithm: DigestAlgorithm, bytes: Uint8Array): string {
  return `${algorithm}:${toBase32(bytes)}`
}

/** The digest of the concatenated parts, without joining them. */
export function digestOf(algorithm: DigestAlgorithm, parts: readonly Uint8Array[]): string {
  if (parts.length === 1) return digestText(algorithm, hash(algorithm, parts[0]!, 'buffer'))
  const running = createHash(algorithm)
  for (const part of parts) running.update(part)
  return digestText(algorithm, running.digest())
}

/** Null for an unknown algorithm; `malformed` for a value that can't be a digest of the algorithm. */
export function parseDigest(text: string): Digest | 'malformed' | null {
  const colon = text.indexOf(':')
  if (colon <= 0 || text.length > maxTextChars) return 'malformed'
  const label = text.slice(0, colon).trim().toLowerCase().replace('-', '')
  // Some writers leave out the number of the first one.
  const name = label === 'sha' ? 'sha1' : label
  if (!Object.hasOwn(digestLength, name)) return null
  const algorithm = name as DigestAlgorithm
  const bytes = decodeAny(text.slice(colon + 1).trim(), digestLength[algorithm])
  return bytes === null ? 'malformed' : { algorithm, bytes }
}

export function matchesDigest(digest: Digest, data: Uint8Array): boolean {
  return hash(digest.algorithm, data, 'buffer').equals(digest.bytes)
}

/** Without padding, the three encodings differ in length for every algorithm, so the length identifies them. */
function decodeAny(text: string, length: number): Buffer | null {
  const bare = text.replace(/=+$/, '')
  let bytes: Buffer | null = null
  if (bare.length === 2 * length) bytes = /^[0-9a-f]+$/i.test(text) ? Buffer.from(text, 'hex') : null
  else if (bare.length === Math.ceil((length * 8) / 5)) bytes = fromBase32(bare)
  else if (bare.length === Math.ceil((length * 4) / 3))
    bytes = /^[\w+/-]+$/.test(bare) ? Buffer.from(bare, 'base64') : null
  return bytes?.length === length ? bytes : null
}
