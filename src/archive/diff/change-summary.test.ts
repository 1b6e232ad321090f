import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOfLines } from '../../core/text/line-blocks.ts'
import { changeSummary } from './change-summary.ts'

function summaryOf(old: string, next: string) {
  const [one, other] = [old, next].map((text) => ({ text, blocks: blocksOfLines(text) }))
  return changeSummary(one!, other!)
}

test('summarises a change as word counts and its first new passages', () => {
  assert.deepEqual(summaryOf('Prices\nApples 3\nPears 4', 'Prices\nApples 5\nPears 4\nPlums are in season'), {
    added: 5,
    removed: 1,
    passages: ['5', 'Plums are in season'],
    line: 'Apples 3 → 5 · + Plums are in season',
  })
})

test('compares texts without line breaks', () => {
  const old = 'one two three four five'
  assert.deepEqual(summaryOf(old, 'one two 2.5 three four five'), {
    added: 1,
    removed: 0,
    passages: ['2.5'],
    line: 'one two three → 2.5 three four five',
  })
  assert.deepEqual(summaryOf(old, old), { added: 0, removed: 0, passages: [], line: '' })
})

test('punctuation alone is not a passage', () => {
  assert.deepEqual(summaryOf('a b', 'a — b'), { added: 0, removed: 0, passages: [], line: 'a b → a — b' })
})

test('limits the number and length of passages without splitting characters', () => {
  const { passages } = summaryOf('a\nb\nc\nd', 'a 1\nb 2\nc 3\nd 4')
  assert.deepEqual(passages, ['1', '2', '3'])
  const [long] = summaryOf('', '𝒳'.repeat(500)).passages
  assert.equal(long!.length <= 200, true)
  assert.equal(long!.isWellFormed(), true)
  assert.match(long!, /…$/)
})

test('shows changed scores, times, IP addresses and telephone numbers as a whole', () => {
  for (const [old, next, line] of [
    ['Score 2:1 at half-time', 'Score 2:2 at half-time', 'Score 2:1 → 2:2 at half-time'],
    ['Doors 12:30 today', 'Doors 12:45 today', 'Doors 12:30 → 12:45 today'],
    ['Gateway 10.11.12.13 is up', 'Gateway 10.11.12.14 is up', 'Gateway 10.11.12.13 → 10.11.12.14 is up'],
    ['Desk +49 30 1234567 all day', 'Desk +49 30 1234999 all day', 'Desk +49 30 1234567 → +49 30 1234999 all day'],
  ] as const)
    assert.equal(summaryOf(old, next).line, line)
})
