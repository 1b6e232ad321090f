import type { FingerprintCache } from './fingerprint-cache.ts'

/** Bits for each fingerprint, and how many of them it sets: about one in a hundred unknown ones is taken for known when it is full. */
const BITS_EACH = 10
const PROBES = 7

/**
 * A set of 64-bit fingerprints in a bounded number of bits. It never forgets, so what it knows need not be looked up; but it takes
 * some for known that are not, and does not keep values: whatever is known has the greatest. Filled beyond `entries`, it invents more.
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
