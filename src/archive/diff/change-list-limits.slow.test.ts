import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Block, Blocks, Changes } from '../../core/change/change.ts'
import { changeLine } from '../../core/change/change-line.ts'
import { listChanges } from './change-list.ts'
import { reportChanges } from './change-report.ts'
import { block } from './changes.testkit.ts'
import { createDiffBudget } from './sequence-diff.ts'

const work = 400_000_000
const many = 100_000

function document(count: number, textOf: (place: number) => string, kind: Block['kind'] = 'paragraph'): Blocks {
  const blocks = Array.from({ length: count }, (_, i) => block(kind, textOf(i), [], 'main/x'))
  return { kind: 'html', title: '', blocks, isCut: false }
}

/** Also returns the steps taken. Blocks that are not reported must be as many on both sides. */
function compare(old: Blocks, next: Blocks, given = work): Changes & { steps: number } {
  const budget = createDiffBudget(given)
  const { changes, coarse } = listChanges(old, next, budget)
  const count = (side: 'from' | 'to'): number => new Set(changes.map((each) => each[side]).filter((at) => at >= 0)).size
  assert.equal(old.blocks.length - count('from'), next.blocks.length - count('to'))
  return { changes, coarse, steps: given - budget.work }
}

const kindsOf = ({ changes }: Changes): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { kind } of changes) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Words in a different order for each seed. */
function shuffledWords(seed: number): string {
  const words = 'apple pear plum cherry lemon orange grape melon fig date kiwi lime'.split(' ')
  for (let i = words.length - 1, rest = seed; i > 0; i--) {
    const other = rest % (i + 1)
    rest = Math.floor(rest / (i + 1))
    ;[words[i], words[other]] = [words[other]!, words[i]!]
  }
  return words.join(' ')
}

describe('bounded work for large documents', () => {
  test('100,000 equal blocks take at most one step each', () => {
    const result = compare(
      document(many, (i) => `Line ${i}`),
      document(many, (i) => `Line ${i}`),
    )
    assert.deepEqual(kindsOf(result), {})
    assert.equal(result.coarse, false)
    assert.ok(result.steps <= many, `${result.steps}`)
  })

  test('100,000 blocks with nothing in common', () => {
    const result = compare(
      document(many, (i) => `alpha${i} beta${i} gamma${i} delta${i} one${i} two${i} three${i} four${i} five${i} six`),
      document(
        many,
        (i) => `Alfa${i}x Bravo${i}x Charlie${i}x Echo${i}x Golf${i}x Hotel${i}x India${i}x Kilo${i}x Lima${i}`,
      ),
    )
    assert.deepEqual(kindsOf(result), { removed: many, added: many })
    assert.equal(result.coarse, true)
    assert.ok(result.steps <= 100_000_000, `${result.steps}`)
  })

  test('100,000 blocks that each differ in a number are paired in few steps', () => {
    const result = compare(
      document(many, (i) => `There are ${i} guests today`),
      document(many, (i) => `There are ${i + 500_000} guests today`),
    )
    assert.deepEqual(kindsOf(result), { changed: many })
    assert.ok(result.steps <= 30_000_000, `${result.steps}`)
  })

  test('a table of 50,000 rows in which every row changed', () => {
    const result = compare(
      document(50_000, (i) => `Part ${i}\t€ ${i}.00\tin stock`, 'row'),
      document(50_000, (i) => `Part ${i}\t€ ${i}.50\tsold out`, 'row'),
    )
    assert.deepEqual(kindsOf(result), { changed: 50_000 })
    assert.equal(result.coarse, false)
    assert.ok(result.steps <= 30_000_000, `${result.steps}`)
    assert.equal(changeLine(result.changes).more, 49_998)
  })

  test('a table without its first 1,000 rows and with all other rows changed', () => {
    const result = compare(
      document(50_000, (i) => `Part ${i}\t€ ${i}.00`, 'row'),
      document(49_000, (i) => `Part ${i + 1000}\t€ ${i}.50`, 'row'),
    )
    assert.deepEqual(kindsOf(result), { removed: 1_000, changed: 49_000 })
  })

  test('blocks that are all similar', () => {
    const result = compare(
      document(20_000, (i) => shuffledWords(3 * i)),
      document(19_999, (i) => shuffledWords(3 * i + 1)),
    )
    assert.equal(result.coarse, true)
    assert.ok(result.steps <= 100_000_000, `${result.steps}`)
  })

  test('one repeated text replaced by another', () => {
    const result = compare(
      document(many, () => 'The same text here'),
      document(many - 1, () => 'Another text there'),
    )
    assert.equal(Object.keys(kindsOf(result)).length <= 3, true)
    assert.ok(result.steps <= work, `${result.steps}`)
  })

  test('100,000 blocks in a different order', () => {
    const result = compare(
      document(many, (i) => `This is line ${i}`),
      document(many, (i) => `This is line ${(i * 7919) % many}`),
    )
    assert.deepEqual(Object.keys(kindsOf(result)), ['moved'])
  })

  test('an array of 100,000 values with one inserted at the start', () => {
    const values = (first: number): Blocks => ({
      ...{ kind: 'json', title: '', isCut: false },
      blocks: Array.from({ length: many }, (_, i) => ({
        ...block('value', `v${i + first}`, [], '$[]'),
        key: `$[${i}]`,
      })),
    })
    assert.deepEqual(kindsOf(compare(values(1), values(0))), { added: 1, removed: 1 })
  })

  test('100,000 values with the same key', () => {
    const values = (text: string): Blocks => ({
      ...{ kind: 'json', title: '', isCut: false },
      blocks: Array.from({ length: many }, (_, i) => ({ ...block('value', `${text}${i}`), key: '$.same' })),
    })
    assert.ok(compare(values('a'), values('b')).changes.length > 0)
  })

  test('a block of 10 MB that changed at both ends', () => {
    const middle = 'some words and 12 numbers, '.repeat(400_000)
    const result = compare(
      document(1, () => `One ${middle} end`),
      document(1, () => `Two ${middle} stop`),
    )
    assert.equal(result.changes.length, 1)
    const { changes, line } = reportChanges(
      document(1, () => `One ${middle} end`),
      document(1, () => `Two ${middle} stop`),
    )
    assert.ok(JSON.stringify(changes).length < 200_000)
    assert.ok(line.text.length < 200)
  })

  for (const [name, one, other] of [
    ['of two letters', 'x', 'y'],
    ['of two characters', '漢', '字'],
    ['of two words', 'one ', 'two '],
    ['of lone surrogates', '\ud83d', '\ude00'],
    ['of digits', '1.', '2,'],
  ] as const) {
    test(`a block of 10 MB ${name}`, () => {
      const count = Math.floor(10_000_000 / one.length)
      const result = compare(
        document(1, () => one.repeat(count)),
        document(1, () => other.repeat(count)),
      )
      assert.ok(result.changes.length > 0)
      assert.ok(changeLine(result.changes).text.length < 200)
    })
  }
})
