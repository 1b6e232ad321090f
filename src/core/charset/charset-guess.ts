import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import { resolveEncoding } from './encoding-label.ts'

/** The guess gets slow with size and no better. */
const SAMPLE_BYTES = 4096
/** How far the page is searched for text to guess from. */
const SEARCH_BYTES = 262_144
/** Below this the guess is worse than the default of the web. */
const MIN_CONFIDENCE = 20

/** True for UTF-8 that may be cut off inside its last character, as a body at its size limit is. */
export function isUtf8Text(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true
  for (let cut = 1; cut <= 3 && cut <= bytes.length; cut++) {
    const byte = bytes[bytes.length - cut]!
    if (byte < 0x80) return false
    if (byte >= 0xc0) return isUtf8(bytes.subarray(0, bytes.length - cut))
  }
  return false
}

/** Guesses the encoding of text that is not UTF-8 from the frequency of its bytes. */
export function guessEncoding(bytes: Uint8Array): string | undefined {
  const sample = sampleText(bytes)
  if (sample.length === 0) return undefined
  for (const match of analyse(sample)) {
    if (match.confidence < MIN_CONFIDENCE) return undefined
    const encoding = resolveEncoding(match.name)
    // Wide encodings are declared or have a BOM; a guess of one is wrong more often than right.
    if (encoding !== undefined && !encoding.startsWith('utf-16')) return encoding
  }
  return undefined
}

/** Text around the first bytes that are not ASCII, without tags: markup says nothing about the language. */
function sampleText(bytes: Uint8Array): Uint8Array {
  const end = Math.min(bytes.length, SEARCH_BYTES)
  const sample = new Uint8Array(SAMPLE_BYTES)
  let size = 0
  let inTag = false
  let hasNonAscii = false
  for (let at = 0; at < end && size < SAMPLE_BYTES; at++) {
    const byte = bytes[at]!
    if (byte === 0x3c) inTag = true
    else if (byte === 0x3e) inTag = false
    else if (!inTag) {
      if (!hasNonAscii && size === SAMPLE_BYTES / 4) size = 0
      hasNonAscii ||= byte >= 0x80 || byte === 0x1b
      sample[size++] = byte
    }
  }
  return sample.subarray(0, hasNonAscii ? size : 0)
}
