import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeSummary } from './change-summary.ts'

test('a change is told by its words and the first passages that are new', () => {
  assert.deepEqual(changeSummary('Prices\nApples 3\nPears 4', 'Prices\nApples 5\nPears 4\nPlums are in season'), {
    added: 5,
    removed: 1,
    passages: ['5', 'Plums are in season'],
  })
})

test('texts without lines are compared as well', () => {
  const old = 'one two three four five'
  assert.deepEqual(changeSummary(old, 'one two 2.5 three four five'), { added: 1, removed: 0, passages: ['2.5'] })
  assert.deepEqual(changeSummary(old, old), { added: 0, removed: 0, passages: [] })
})

test('signs alone are no passage', () => {
  assert.deepEqual(changeSummary('a b', 'a — b'), { added: 0, removed: 0, passages: [] })
})

test('passages are few and short, and end with a whole character', () => {
  const { passages } = changeSummary('a\nb\nc\nd', 'a 1\nb 2\nc 3\nd 4')
  assert.deepEqual(passages, ['1', '2', '3'])
  const [long] = changeSummary('', '𝒳'.repeat(500)).passages
  assert.equal(long!.length <= 200, true)
  assert.equal(long!.isWellFormed(), true)
  assert.match(long!, /…$/)
})
