/**
 * The fingerprint of static documents from PARCAHYD ("An alternative scheme for generating fingerprints for static documents"). The paper
 * gives its properties, not its steps: 64 bits, different fingerprints mean different documents, and two documents collide with a
 * probability of (1/256)^16. This is the simplest scheme with these figures: the document is written in rows of sixteen bytes and each
 * column is summed modulo 256, which gives the sixteen values of 256 that the probability counts; each sum is then folded into a
 * hexadecimal digit, which gives the 64 bits.
 *
 * It depends on the bytes, not on their order: swapping rows, or bytes within a column, doesn't change it
 * (docs/decisions/019-document-fingerprints.md).
 */
export const COLUMNS = 16

/** The column sums, one byte each: 128 bits, before folding. */
export function columnSums(body: Uint8Array, sums: Uint8Array = new Uint8Array(COLUMNS)): Uint8Array {
  sums.fill(0)
  const rows = body.length - (body.length % COLUMNS)
  // SIMD within a word: four columns to a pair of words, with 16 bits per sum, which has room for 256 rows.
  const even = new Uint32Array(4)
  const odd = new Uint32Array(4)
  for (let from = 0; from < rows; from += 256 * COLUMNS) {
    addRows(body, from, Math.min(from + 256 * COLUMNS, rows), even, odd)
    for (let word = 0; word < 4; word++) {
      sums[word * 4] = sums[word * 4]! + (even[word]! & 0xff)
      sums[word * 4 + 1] = sums[word * 4 + 1]! + (odd[word]! & 0xff)
      sums[word * 4 + 2] = sums[word * 4 + 2]! + ((even[word]! >>> 16) & 0xff)
      sums[word * 4 + 3] = sums[word * 4 + 3]! + ((odd[word]! >>> 16) & 0xff)
    }
  }
  for (let at = rows; at < body.length; at++) sums[at - rows] = sums[at - rows]! + body[at]!
  return sums
}

function addRows(body: Uint8Array, from: number, to: number, even: Uint32Array, odd: Uint32Array): void {
  let [e0, e1, e2, e3, o0, o1, o2, o3] = [0, 0, 0, 0, 0, 0, 0, 0]
  for (let at = from; at < to; at += COLUMNS) {
    e0 += body[at]! | (body[at + 2]! << 16)
    o0 += body[at + 1]! | (body[at + 3]! << 16)
    e1 += body[at + 4]! | (body[at + 6]! << 16)
    o1 += body[at + 5]! | (body[at + 7]! << 16)
    e2 += body[at + 8]! | (body[at + 10]! << 16)
    o2 += body[at + 9]! | (body[at + 11]! << 16)
    e3 += body[at + 12]! | (body[at + 14]! << 16)
    o3 += body[at + 13]! | (body[at + 15]! << 16)
  }
  even.set([e0, e1, e2, e3])
  odd.set([o0, o1, o2, o3])
}

const scratch = new Uint8Array(COLUMNS)

/** The 64-bit fingerprint of a document, unsigned. Different ones mean different documents; equal ones prove little. */
export function documentFingerprint(body: Uint8Array): bigint {
  const sums = columnSums(body, scratch)
  let [high, low] = [0, 0]
  for (let column = 0; column < 8; column++) high = (high << 4) | folded(sums[column]!)
  for (let column = 8; column < COLUMNS; column++) low = (low << 4) | folded(sums[column]!)
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
}

const folded = (sum: number): number => (sum >>> 4) ^ (sum & 15)
