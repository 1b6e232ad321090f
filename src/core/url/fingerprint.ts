import { hash } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const letters = Buffer.from(alphabet)

/** RFC 4648, with padding. */
export function toBase32(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(Math.ceil(bytes.length / 5) * 8)
  let at = 0
  let bits = 0
  let held = 0
  for (let i = 0; i < bytes.length; i++) {
    held = ((held << 8) | bytes[i]!) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text[at++] = letters[(held >> (bits - 5)) & 31]!
  }
  if (bits > 0) text[at++] = letters[(held << (5 - bits)) & 31]!
  return text.fill('=', at).toString('latin1')
}

/** Upper or lower case, padded or not; null for any other character, and for non-zero bits after the last whole byte. */
export function fromBase32(text: string): Buffer | null {
  const bare = text.replace(/={1,6}$/, '').toUpperCase()
  const bytes = Buffer.alloc(Math.floor((bare.length * 5) / 8))
  let bits = 0
  let held = 0
  let at = 0
  for (const letter of bare) {
    const value = alphabet.indexOf(letter)
    if (value < 0) return null
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = held >>> bits
  }
  // Otherwise two spellings of one value would not compare as equal texts.
  return (held & ((1 << bits) - 1)) === 0 ? bytes : null
}

/**
 * The digest of a body: SHA-256. It identifies bodies that are stored once for many URLs, so collisions must not be constructible; SHA-1,
 * which archives often use, no longer guarantees that and is not faster here.
 */
export function bodyDigest(body: Uint8Array): Buffer {
  return hash('sha256', body, 'buffer')
}

/**
 * As in WARC headers: the algorithm, a colon, base32 with padding. The padding matters: a widely used reader distinguishes base32 from
 * hexadecimal by the length of the text.
 */
export function digestText(digest: Uint8Array): string {
  return `sha256:${toBase32(digest)}`
}
