/**
 * A bounded set of 64-bit fingerprints with a small value each, in typed arrays: the popular-URL cache in front of the
 * URL-seen test. It may forget, it never invents. Four places per bucket; when all are taken, the one that was not
 * asked for since the hand last passed goes (clock replacement).
 */
export type FingerprintCache = {
  /** The kept value, or -1. */
  get(hi: number, lo: number): number
  set(hi: number, lo: number, value: number): void
}

const WAYS = 4

export function createFingerprintCache(entries: number): FingerprintCache {
  const buckets = 2 ** Math.max(4, Math.ceil(Math.log2(Math.max(1, entries / WAYS))))
  const mask = buckets - 1
  const high = new Uint32Array(buckets * WAYS)
  const low = new Uint32Array(buckets * WAYS)
  const kept = new Int32Array(buckets * WAYS).fill(-1)
  const asked = new Uint8Array(buckets * WAYS)
  let hand = 0

  function find(hi: number, lo: number): number {
    const base = (lo & mask) * WAYS
    for (let at = base; at < base + WAYS; at++) {
      if (low[at] === lo >>> 0 && high[at] === hi >>> 0 && kept[at] !== -1) return at
    }
    return -1
  }

  function victim(base: number): number {
    for (let at = base; at < base + WAYS; at++) if (kept[at] === -1) return at
    for (let turn = 0; turn < WAYS; turn++) {
      const at = base + ((hand + turn) & (WAYS - 1))
      if (asked[at] === 0) return at
      asked[at] = 0
    }
    return base + (hand & (WAYS - 1))
  }

  return {
    get(hi, lo) {
      const at = find(hi, lo)
      if (at < 0) return -1
      asked[at] = 1
      return kept[at]!
    },
    set(hi, lo, value) {
      let at = find(hi, lo)
      if (at < 0) {
        at = victim((lo & mask) * WAYS)
        hand = (hand + 1) & 0xff
        high[at] = hi
        low[at] = lo
        asked[at] = 0
      }
      kept[at] = value
    },
  }
}
