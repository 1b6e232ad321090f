import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nothingChanged, type ReportedChanges } from '../../archive/diff/change-report.ts'
import { createComparisons } from './comparisons.ts'

function report(length: number): ReportedChanges {
  const change = { kind: 'added', block: 'line', path: '', place: '', key: '', from: -1, to: 0 } as const
  return { ...nothingChanged, changes: [{ ...change, after: 'x'.repeat(length) }] }
}

test('comparisons are evicted least recently used first, to stay within the size limit', () => {
  const comparisons = createComparisons(8_000)
  const [a, b, c] = [report(1500), report(1500), report(1500)]
  comparisons.keep('a', a)
  comparisons.keep('b', b)
  assert.equal(comparisons.get('a'), a)
  comparisons.keep('c', c)
  assert.equal(comparisons.get('b'), undefined)
  assert.equal(comparisons.get('a'), a)
  assert.equal(comparisons.get('c'), c)
  comparisons.keep('a', b)
  assert.equal(comparisons.get('a'), b)
  assert.equal(comparisons.get('c'), c)
})

test('a comparison larger than the limit is not cached', () => {
  const comparisons = createComparisons(10_000)
  comparisons.keep('a', report(10))
  comparisons.keep('b', report(10_000))
  assert.equal(comparisons.get('b'), undefined)
  assert.notEqual(comparisons.get('a'), undefined)
})
