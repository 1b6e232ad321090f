import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, sizeOf } from './number-words.ts'

test('a share is whole only when nothing is missing', () => {
  assert.equal(share(100_000, 100_000), '100 %')
  assert.equal(share(99_999, 100_000), '99.9 %')
  assert.equal(share(0, 0), '–')
})

test('sizes have a unit that people can read', () => {
  assert.deepEqual([0, 999, 1500, 123_456_789].map(sizeOf), ['0 B', '999 B', '1.5 KB', '123 MB'])
})
