import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createFingerprintCache } from './fingerprint-cache.ts'

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 })

describe('the fingerprint cache', () => {
  test('returns only values that were stored, compared by all 64 bits', () => {
    const cache = createFingerprintCache(1024)
    assert.equal(cache.get(1, 2), -1)
    cache.set(1, 2, 7)
    assert.equal(cache.get(1, 2), 7)
    assert.equal(cache.get(2, 2), -1)
    assert.equal(cache.get(1, 3), -1)
    cache.set(1, 2, 0)
    assert.equal(cache.get(1, 2), 0)
    assert.equal(cache.get(0, 0), -1, 'zero is a fingerprint like any other')
    cache.set(0, 0, 3)
    assert.equal(cache.get(0, 0), 3)
  })

  test('treats signed and unsigned halves alike', () => {
    const cache = createFingerprintCache(1024)
    cache.set(-1, -2, 5)
    assert.equal(cache.get(0xffffffff, 0xfffffffe), 5)
  })

  test('keeps four entries per bucket', () => {
    for (let elsewhere = 0; elsewhere < 5; elsewhere++) {
      const cache = createFingerprintCache(64)
      // Other buckets move the clock hand too: free slots come first, wherever it points.
      for (let hi = 0; hi < elsewhere; hi++) cache.set(hi, 1, 1)
      for (let hi = 0; hi < 4; hi++) cache.set(hi, 2, hi)
      for (let hi = 0; hi < 4; hi++) assert.equal(cache.get(hi, 2), hi)
    }
  })

  test('keeps an entry that is read often', () => {
    const cache = createFingerprintCache(64)
    for (let hi = 0; hi < 4; hi++) cache.set(hi, 0, hi)
    for (let newcomer = 4; newcomer < 1000; newcomer++) {
      assert.equal(cache.get(2, 0), 2)
      cache.set(newcomer, 0, newcomer)
    }
  })

  test('may forget values, but never returns wrong ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, word, fc.nat(1000)), { maxLength: 400, size: 'max' }),
        fc.array(fc.tuple(word, word), { maxLength: 50 }),
        (entries, strangers) => {
          const cache = createFingerprintCache(64)
          const truth = new Map<string, number>()
          const name = (hi: number, lo: number): string => `${hi >>> 0},${lo >>> 0}`
          for (const [hi, lo, value] of entries) {
            cache.set(hi, lo, value)
            truth.set(name(hi, lo), value)
            assert.equal(cache.get(hi, lo), value)
          }
          for (const [hi, lo] of [...entries.map(([hi, lo]) => [hi, lo] as const), ...strangers]) {
            const kept = cache.get(hi, lo)
            assert.ok(kept === -1 || kept === truth.get(name(hi, lo)))
          }
        },
      ),
      { numRuns: 50 },
    )
  })
})
