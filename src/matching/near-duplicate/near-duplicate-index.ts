import { countBits } from './simhash.ts'

/**
 * The last documents by their simhash, to be found by anything within a distance of three bits. The 64 bits are cut into
 * four bands: where three bits at most differ, one band is equal. Documents of an equal band are in one chain, the
 * newest first; a chain ends where its next slot was reused for a newer document, so nothing need be unlinked.
 */
export type NearDuplicateIndex = {
  readonly size: number
  add(id: number, signature: bigint): void
  /** The nearest first, of equals the newest. */
  find(signature: bigint): NearDuplicate[]
  memoryBytes(): number
}

export type NearDuplicate = { readonly id: number; readonly distance: number }

const BANDS = 4
const CAPACITY = 100_000
/** A band that thousands share (one template, no content) is not searched to its end. */
const MAX_CHAIN = 1_000
export const MAX_DISTANCE = 3

export function createNearDuplicateIndex({ capacity = CAPACITY, maxDistance = MAX_DISTANCE } = {}): NearDuplicateIndex {
  const buckets = 2 ** 16
  /** Sequence numbers plus one, counted from the beginning; a slot is the number modulo the capacity. */
  const heads = new Float64Array(BANDS * buckets)
  const nexts = new Float64Array(BANDS * capacity)
  const low = new Uint32Array(capacity)
  const high = new Uint32Array(capacity)
  const ids = new Float64Array(capacity)
  let added = 0

  function eachBand(a: number, b: number, visit: (band: number, bucket: number) => void): void {
    visit(0, a & 0xffff)
    visit(1, buckets + (a >>> 16))
    visit(2, buckets * 2 + (b & 0xffff))
    visit(3, buckets * 3 + (b >>> 16))
  }

  const oldest = (): number => Math.max(0, added - capacity)

  return {
    get size() {
      return Math.min(added, capacity)
    },
    add(id, signature) {
      const place = added % capacity
      low[place] = Number(signature & 0xffffffffn)
      high[place] = Number((signature >> 32n) & 0xffffffffn)
      ids[place] = id
      added++
      eachBand(low[place]!, high[place]!, (band, bucket) => {
        nexts[place * BANDS + band] = heads[bucket]!
        heads[bucket] = added
      })
    },
    find(signature) {
      const a = Number(signature & 0xffffffffn)
      const b = Number((signature >> 32n) & 0xffffffffn)
      const found = new Map<number, number>()
      eachBand(a, b, (band, bucket) => {
        let next = heads[bucket]!
        for (let seen = 0; next > oldest() && seen < MAX_CHAIN; seen++) {
          const place = (next - 1) % capacity
          const distance = countBits(low[place]! ^ a) + countBits(high[place]! ^ b)
          if (distance <= maxDistance) found.set(next, distance)
          next = nexts[place * BANDS + band]!
        }
      })
      return [...found]
        .sort((one, other) => one[1] - other[1] || other[0] - one[0])
        .map(([sequence, distance]) => ({ id: ids[(sequence - 1) % capacity]!, distance }))
    },
    memoryBytes: () => [heads, nexts, low, high, ids].reduce((sum, array) => sum + array.byteLength, 0),
  }
}
