import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSize } from '../kit/strings.ts'
import { formatLag, formatShare } from './strings.ts'

test('a share is 100 % only when nothing is missing', () => {
  assert.equal(formatShare(100_000, 100_000), '100 %')
  assert.equal(formatShare(99_999, 100_000), '99.9 %')
  assert.equal(formatShare(0, 0), '–')
})

test('sizes have a readable unit', () => {
  assert.deepEqual([0, 999, 1500, 123_456_789].map(formatSize), ['0 B', '999 B', '1.5 KB', '123 MB'])
})

test('a lag is shown in seconds, up to a minute', () => {
  assert.deepEqual([0, 840, 12_400, 59_999, 60_000].map(formatLag), ['0.0 s', '0.8 s', '12 s', '60 s', null])
})
