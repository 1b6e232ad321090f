/** Pseudo-random numbers, the same for the same seed on every machine: a benchmark's web must not change between runs. */
export type Random = {
  /** At least 0 and less than 1. */
  next(): number
  /** A whole number, at least 0 and less than `limit`. */
  below(limit: number): number
  /** Normally distributed, mean 0, deviation 1. */
  normal(): number
  pick<T>(items: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0
  function next(): number {
    // A Weyl sequence through a 32-bit mixer: a period of 2^32, enough for a web of some million pages.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick(items) {
      if (items.length === 0) throw new RangeError('nothing to pick from')
      return items[Math.floor(next() * items.length)]!
    },
  }
}
