import type { FingerprintCache } from './fingerprint-cache.ts'

/** Bits and hash probes per fingerprint: a false-positive rate of about 1 % when full. */
const BITS_EACH = 10
const PROBES = 7

/**
 * A Bloom filter of 64-bit fingerprints. No false negatives, so an unknown fingerprint needs no look-up; but some unknown ones appear
 * known, and values are not stored: every hit returns `known`. Beyond `entries`, the false-positive rate rises.
 */
export function createBloomFilter(entries: number, known: number): FingerprintCache {
  const bits = 2 ** Math.max(10, Math.min(32, Math.ceil(Math.log2(entries * BITS_EACH))))
  const words = new Uint32Array(bits / 32)
  const mask = bits - 1
  const place = (hi: number, lo: number, probe: number): number => (Math.imul(probe, hi | 1) + lo) & mask
  return {
    get(hi, lo) {
      for (let probe = 0; probe < PROBES; probe++) {
        const bit = place(hi, lo, probe) >>> 0
        if ((words[bit >>> 5]! & (1 << (bit & 31))) === 0) return -1
      }
      return known
    },
    set(hi, lo) {
      for (let probe = 0; probe < PROBES; probe++) {
        const bit = place(hi, lo, probe) >>> 0
        words[bit >>> 5]! |= 1 << (bit & 31)
      }
    },
  }
}
