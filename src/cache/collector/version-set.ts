/** A set of version ids, a bit each: ten million of them that lie close take little more than a megabyte. */
export type VersionSet = {
  readonly size: number
  add(id: number): void
  has(id: number): boolean
  /** Ascending, in lists of at most so many. */
  batches(limit: number): Generator<number[]>
}

const CHUNK_BITS = 65_536

export function createVersionSet(): VersionSet {
  const chunks = new Map<number, Uint8Array>()
  let size = 0

  return {
    get size() {
      return size
    },
    add(id) {
      const number = Math.floor(id / CHUNK_BITS)
      const chunk = chunks.get(number) ?? new Uint8Array(CHUNK_BITS / 8)
      chunks.set(number, chunk)
      const bit = id % CHUNK_BITS
      const mask = 1 << (bit & 7)
      if ((chunk[bit >> 3]! & mask) === 0) size++
      chunk[bit >> 3]! |= mask
    },
    has(id) {
      const chunk = chunks.get(Math.floor(id / CHUNK_BITS))
      const bit = id % CHUNK_BITS
      return chunk !== undefined && (chunk[bit >> 3]! & (1 << (bit & 7))) !== 0
    },
    *batches(limit) {
      let batch: number[] = []
      for (const number of [...chunks.keys()].sort((a, b) => a - b)) {
        const chunk = chunks.get(number)!
        for (let bit = 0; bit < CHUNK_BITS; bit++) {
          if ((chunk[bit >> 3]! & (1 << (bit & 7))) === 0) continue
          batch.push(number * CHUNK_BITS + bit)
          if (batch.length < limit) continue
          yield batch
          batch = []
        }
      }
      if (batch.length > 0) yield batch
    },
  }
}
