/**
 * The words of a line as numbers: runs of letters, digits and marks, in lower case. A character of a script without spaces between
 * words is a word of its own. The same in every process and release, as the results are stored.
 */
export type LineWords = {
  readonly hashes: Uint32Array
  /** Number of `hashes` used. */
  readonly count: number
  /** The same, but two characters of a script without spaces count as one word. */
  readonly weight: number
}

const UNKNOWN = 0
const GAP = 1
const LETTER = 2
const SINGLE = 3
const classes = new Uint8Array(65_536)
const letter = /[\p{L}\p{N}\p{M}]/u
const single =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

function classOf(unit: number): number {
  const known = classes[unit]!
  if (known !== UNKNOWN) return known
  const character = String.fromCharCode(unit)
  const isHalf = unit >= 0xd800 && unit <= 0xdfff
  const found = isHalf || single.test(character) ? SINGLE : letter.test(character) ? LETTER : GAP
  classes[unit] = found
  return found
}

const START = 0x811c9dc5
const PRIME = 0x01000193

/** `room` receives the hashes, and is reused for the next line. */
export function readWords(line: string, room: { hashes: Uint32Array }): LineWords {
  const text = line.toLowerCase()
  if (room.hashes.length < text.length) room.hashes = new Uint32Array(text.length * 2)
  const { hashes } = room
  let count = 0
  let singles = 0
  let hash = START
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const kind = classOf(unit)
    if (kind === LETTER) {
      hash = Math.imul(hash ^ unit, PRIME)
      isInWord = true
      continue
    }
    if (isInWord) hashes[count++] = mixed(hash)
    if (kind === SINGLE) {
      hashes[count++] = mixed(Math.imul(START ^ unit, PRIME))
      singles++
    }
    hash = START
    isInWord = false
  }
  if (isInWord) hashes[count++] = mixed(hash)
  return { hashes, count, weight: count - singles + (singles >> 1) }
}

/** Every bit of the word affects every bit of the result. */
export function mixed(word: number): number {
  let next = word ^ (word >>> 16)
  next = Math.imul(next, 0x7feb352d)
  next ^= next >>> 15
  next = Math.imul(next, 0x846ca68b)
  return (next ^ (next >>> 16)) >>> 0
}
