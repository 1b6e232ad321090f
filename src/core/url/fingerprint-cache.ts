/**
 * A bounded map from 64-bit fingerprints to small values, in typed arrays: the popular-URL cache in front of the URL-seen test. It may
 * forget, but has no false positives. Four-way buckets; in a full one, the entry not read since the hand last passed is evicted (clock
 * replacement).
 */
export type FingerprintCache = {
  /** The stored value, or -1. */
  get(hi: number, lo: number): number
  set(hi: number, lo: number, value: number): void
}

const WAYS = 4
/** A bucket is 64 bytes, so that a look-up touches one or two cache lines: low words, high words, values, and reference bits. */
const BUCKET = 4 * WAYS
const HIGH = WAYS
const VALUE = 2 * WAYS
const ASKED = 3 * WAYS

export function createFingerprintCache(entries: number): FingerprintCache {
  const buckets = 2 ** Math.max(4, Math.ceil(Math.log2(Math.max(1, entries / WAYS))))
  const mask = buckets - 1
  const words = new Int32Array(buckets * BUCKET)
  for (let at = VALUE; at < words.length; at += BUCKET) words.fill(-1, at, at + WAYS)
  let hand = 0

  function find(hi: number, lo: number): number {
    const base = (lo & mask) * BUCKET
    for (let at = base; at < base + WAYS; at++) {
      if (words[at] === (lo | 0) && words[at + HIGH] === (hi | 0) && words[at + VALUE] !== -1) return at
    }
    return -1
  }

  function victim(base: number): number {
    for (let at = base; at < base + WAYS; at++) if (words[at + VALUE] === -1) return at
    for (let turn = 0; turn < WAYS; turn++) {
      const at = base + ((hand + turn) & (WAYS - 1))
      if (words[at + ASKED] === 0) return at
      words[at + ASKED] = 0
    }
    return base + (hand & (WAYS - 1))
  }

  return {
    get(hi, lo) {
      const at = find(hi, lo)
      if (at < 0) return -1
      words[at + ASKED] = 1
      return words[at + VALUE]!
    },
    set(hi, lo, value) {
      let at = find(hi, lo)
      if (at < 0) {
        at = victim((lo & mask) * BUCKET)
        hand = (hand + 1) & 0xff
        words[at] = lo
        words[at + HIGH] = hi
        words[at + ASKED] = 0
      }
      words[at + VALUE] = value
    },
  }
}
