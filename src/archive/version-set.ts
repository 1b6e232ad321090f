/**
 * A set of version ids. Dense ids take a bit each, sparse ones (hundreds apart; each engine numbers in its own way) two bytes:
 * ten million dense ids take little more than a megabyte.
 */
export type VersionSet = {
  readonly size: number
  add(id: number): void
  has(id: number): boolean
  /** Ascending, in lists of at most `limit`. */
  batches(limit: number): Generator<number[]>
}

const CHUNK_IDS = 65_536
/** A list of this many takes half the memory of a bitmap. */
const MAX_LISTED = 2048

type Chunk = {
  /** False if it was there already. */
  add(place: number): boolean
  has(place: number): boolean
  places(): Iterable<number>
  isFull(): boolean
}

export function createVersionSet(): VersionSet {
  const chunks = new Map<number, Chunk>()
  let size = 0

  return {
    get size() {
      return size
    },
    add(id) {
      const number = Math.floor(id / CHUNK_IDS)
      let chunk = chunks.get(number)
      if (chunk === undefined || chunk.isFull()) {
        chunk = chunk === undefined ? createList() : asBits(chunk)
        chunks.set(number, chunk)
      }
      if (chunk.add(id % CHUNK_IDS)) size++
    },
    has: (id) => chunks.get(Math.floor(id / CHUNK_IDS))?.has(id % CHUNK_IDS) === true,
    *batches(limit) {
      let batch: number[] = []
      for (const number of [...chunks.keys()].sort((a, b) => a - b)) {
        for (const place of chunks.get(number)!.places()) {
          batch.push(number * CHUNK_IDS + place)
          if (batch.length < limit) continue
          yield batch
          batch = []
        }
      }
      if (batch.length > 0) yield batch
    },
  }
}

/** Sorted ascending. Most ids arrive in order, and are appended. */
function createList(): Chunk {
  let list = new Uint16Array(8)
  let length = 0

  function find(place: number): number {
    if (length === 0 || place > list[length - 1]!) return length
    let low = 0
    let high = length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (list[middle]! < place) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    add(place) {
      const at = find(place)
      if (at < length && list[at] === place) return false
      if (length === list.length) {
        const larger = new Uint16Array(length * 2)
        larger.set(list)
        list = larger
      }
      list.copyWithin(at + 1, at, length)
      list[at] = place
      length++
      return true
    },
    has(place) {
      const at = find(place)
      return at < length && list[at] === place
    },
    places: () => list.subarray(0, length),
    isFull: () => length >= MAX_LISTED,
  }
}

function asBits(listed: Chunk): Chunk {
  const bytes = new Uint8Array(CHUNK_IDS / 8)
  const has = (place: number): boolean => (bytes[place >> 3]! & (1 << (place & 7))) !== 0
  function add(place: number): boolean {
    if (has(place)) return false
    bytes[place >> 3]! |= 1 << (place & 7)
    return true
  }
  for (const place of listed.places()) add(place)
  return {
    add,
    has,
    *places() {
      for (let place = 0; place < CHUNK_IDS; place++) if (has(place)) yield place
    },
    isFull: () => false,
  }
}
