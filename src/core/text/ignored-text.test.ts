import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createWorkBudget } from '../work/work-budget.ts'
import { createIgnoredText, ignoredBy } from './ignored-text.ts'

describe('ignored text', () => {
  const { cut } = createIgnoredText()

  test('is cut out without leaving extra white space', () => {
    const text = 'News\nVisitors: 1234\nIt rains, says 12 of 13 , today'
    assert.equal(cut(text, ['Visitors:\\s+\\d+', 'says \\d+ of']), 'News\nIt rains, 13 , today')
    assert.equal(cut('a\n b  c', []), 'a\n b  c')
  })

  test('may span lines and match several expressions', () => {
    assert.equal(cut('one two\nthree four', ['two\\s+three', 'e fo']), 'one ur')
  })

  test('an invalid expression matches nothing and does not affect others', () => {
    assert.equal(cut('one (two', ['(', '(a)\\1', 'one']), '(two')
  })

  test('expressions evicted from the cache are compiled again', () => {
    for (let n = 0; n < 1200; n++) assert.equal(cut(`a${n} b`, [`a${n % 600}\\b`]), n < 600 ? 'b' : `a${n} b`)
  })

  test('is not cut at all if compiling and matching take too much work', () => {
    const text = 'ab'.repeat(50_000)
    const slow = Array.from({ length: 50 }, (_, n) => `x${n}|a[ab]{400}c`)
    const budget = createWorkBudget(1_000_000)
    assert.equal(cut(text, slow, budget), null)
    assert.ok(budget.left <= 0)
    assert.equal(cut(text, ['c'], budget), null)
    assert.equal(cut(text, [], budget), text)
    assert.equal(cut('a b', ['b'], createWorkBudget(1_000)), 'a')
  })

  test('a profile without the ignore field ignores nothing', () => {
    assert.deepEqual(ignoredBy({}), [])
    assert.deepEqual(ignoredBy({ ignore: ['a'] }), ['a'])
  })
})
