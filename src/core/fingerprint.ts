import { hash } from 'node:crypto'

/**
 * The fingerprint of a body: SHA-256. It names bodies that are kept once for many URLs, so two bodies with one name
 * must not be made at will; SHA-1, which archives often use, no longer promises that and is not faster here.
 */
export const digestBytes = 32

export function bodyDigest(body: Uint8Array): Buffer {
  return hash('sha256', body, 'buffer')
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * As WARC headers have it: the algorithm, a colon, base32 with its padding. The padding is part of the promise: a
 * widely used reader tells base32 from hexadecimal by the length of the text.
 */
export function digestText(digest: Uint8Array): string {
  let text = 'sha256:'
  let bits = 0
  let held = 0
  for (const byte of digest) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += alphabet[(held >>> (bits - 5)) & 31]
  }
  if (bits > 0) text += alphabet[(held << (5 - bits)) & 31]
  return text.padEnd(7 + Math.ceil(digest.length / 5) * 8, '=')
}

/** The digest behind a header's text, in base32 or hexadecimal; null where it is no SHA-256. */
export function parseDigestText(text: string): Buffer | null {
  const match = /^sha-?256:(?:([0-9a-f]{64})|([a-z2-7]{52})(?:====)?)$/i.exec(text)
  if (match === null) return null
  if (match[1] !== undefined) return Buffer.from(match[1], 'hex')
  const digest = Buffer.alloc(digestBytes)
  let bits = 0
  let held = 0
  let at = 0
  for (const letter of match[2]!.toUpperCase()) {
    held = ((held << 5) | alphabet.indexOf(letter)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    digest[at++] = held >>> bits
  }
  // 52 letters carry four bits more than a digest has. Two spellings of one digest would not compare as equal texts.
  return (held & ((1 << bits) - 1)) === 0 ? digest : null
}
