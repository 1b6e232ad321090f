import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lagWords, share, sizeOf } from './number-words.ts'

test('a share is whole only when nothing is missing', () => {
  assert.equal(share(100_000, 100_000), '100 %')
  assert.equal(share(99_999, 100_000), '99.9 %')
  assert.equal(share(0, 0), '–')
})

test('sizes have a unit that people can read', () => {
  assert.deepEqual([0, 999, 1500, 123_456_789].map(sizeOf), ['0 B', '999 B', '1.5 KB', '123 MB'])
})

test('a lag of more than a minute is better told as a time', () => {
  assert.deepEqual([0, 840, 12_400, 59_999, 60_000].map(lagWords), ['0.0 s', '0.8 s', '12 s', '60 s', null])
})
