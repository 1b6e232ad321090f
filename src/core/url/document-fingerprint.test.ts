import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { COLUMNS, columnSums, documentFingerprint } from './document-fingerprint.ts'

/** Naive reference, column by column. */
function sumsByHand(body: Uint8Array): number[] {
  return Array.from({ length: COLUMNS }, (_, column) => {
    let sum = 0
    for (let at = column; at < body.length; at += COLUMNS) sum += body[at]!
    return sum % 256
  })
}

/** Deterministic: the same bytes for the same seed. */
function bytes(length: number, seed: number): Buffer {
  let state = seed
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 24
    }),
  )
}

describe('fingerprints of static documents', () => {
  test('are the folded sums of sixteen columns', () => {
    assert.equal(documentFingerprint(Buffer.from('')), 0n)
    assert.equal(documentFingerprint(Buffer.from([0x12])), 0x3000000000000000n)
    assert.equal(documentFingerprint(Buffer.from('0123456789abcdef')), 0x32107654ba745230n)
  })

  test('have correct column sums for any length, even on overflow', () => {
    for (const length of [0, 1, 15, 16, 17, 31, 32, 4095, 4096, 4097, 70_001])
      assert.deepEqual([...columnSums(bytes(length, length + 1))], sumsByHand(bytes(length, length + 1)), `${length}`)
    const full = Buffer.alloc(100_000, 0xff)
    assert.deepEqual([...columnSums(full)], sumsByHand(full))
  })

  test('do not depend on the position of the document in memory', () => {
    const body = bytes(10_000, 3)
    const moved = Buffer.concat([Buffer.from('x'), body]).subarray(1)
    assert.equal(documentFingerprint(moved), documentFingerprint(body))
  })

  test('detect a changed byte and two swapped neighbours', () => {
    const body = Buffer.from('The quick brown fox jumps over the lazy dog, and that is all there is to say.')
    const changed = Buffer.from(body)
    changed[40] = changed[40]! + 1
    assert.notEqual(documentFingerprint(changed), documentFingerprint(body))
    const swapped = Buffer.from(body)
    swapped[4] = body[5]!
    swapped[5] = body[4]!
    assert.notEqual(documentFingerprint(swapped), documentFingerprint(body))
  })

  test('do not detect swapped rows or changes that cancel out within a column', () => {
    const [first, second] = [bytes(16, 1), bytes(16, 2)]
    assert.equal(
      documentFingerprint(Buffer.concat([first, second])),
      documentFingerprint(Buffer.concat([second, first])),
    )
    const prices = Buffer.from('tea 10, coffee 20, milk 30 .....')
    const later = Buffer.from(prices)
    later[4] = prices[4]! + 1
    later[20] = prices[20]! - 1
    assert.equal(documentFingerprint(later), documentFingerprint(prices))
  })
})
