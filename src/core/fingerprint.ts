import { hash } from 'node:crypto'
import { toBase32 } from './base32.ts'

/**
 * The fingerprint of a body: SHA-256. It names bodies that are kept once for many URLs, so two bodies with one name
 * must not be made at will; SHA-1, which archives often use, no longer promises that and is not faster here.
 */
export function bodyDigest(body: Uint8Array): Buffer {
  return hash('sha256', body, 'buffer')
}

/**
 * As WARC headers have it: the algorithm, a colon, base32 with its padding. The padding is part of the promise: a
 * widely used reader tells base32 from hexadecimal by the length of the text.
 */
export function digestText(digest: Uint8Array): string {
  return `sha256:${toBase32(digest)}`
}
