/**
 * Maps the offsets of records in the plain file to those in the compressed one: pairs of eight-byte offsets in ascending order, followed
 * by the lengths of both files.
 */
const PAIR_BYTES = 16

export type Pair = { was: number; is: number }

export function packPlaces(pairs: readonly Pair[]): Buffer {
  const bytes = Buffer.alloc(pairs.length * PAIR_BYTES)
  for (const [index, { was, is }] of pairs.entries()) {
    bytes.writeBigInt64BE(BigInt(was), index * PAIR_BYTES)
    bytes.writeBigInt64BE(BigInt(is), index * PAIR_BYTES + 8)
  }
  return bytes
}

/** Null if no record began at that offset. */
export function findPlace(places: Buffer, was: number): { offset: number; length: number } | null {
  const count = Math.floor(places.length / PAIR_BYTES)
  const at = (index: number, part: 0 | 8): number => Number(places.readBigInt64BE(index * PAIR_BYTES + part))
  let [low, high] = [0, count - 2]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = at(middle, 0)
    if (found === was) return { offset: at(middle, 8), length: at(middle + 1, 8) - at(middle, 8) }
    if (found < was) low = middle + 1
    else high = middle - 1
  }
  return null
}
