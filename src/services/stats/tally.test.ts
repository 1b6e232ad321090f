import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDistribution, createTally, powersOfTwo, rangeName } from './tally.ts'

const about = { id: 'x', title: 'X', note: '' }

describe('a tally', () => {
  test('lists the most frequent names and sums up the others', () => {
    const tally = createTally()
    for (let name = 0; name < 30; name++) tally.add(`n${name}`, name + 1)
    const { rows, others, total } = tally.table(about)
    assert.deepEqual(rows[0], { name: 'n29', count: 30 })
    assert.equal(rows.length, 20)
    assert.equal(others, 55)
    assert.equal(total, 465)
  })

  test('limits how many names it keeps', () => {
    const tally = createTally({ maxNames: 2 })
    for (const name of ['a', 'b', 'c', '__proto__', 'a']) tally.add(name)
    const { rows, others, total } = tally.table(about)
    assert.deepEqual([rows.length, others, total, rows[0]], [2, 2, 5, { name: 'a', count: 2 }])
  })
})

test('a distribution lists all ranges up to the last one in use', () => {
  const distribution = createDistribution(powersOfTwo(3), rangeName)
  for (const value of [0, 1, 3, 4, 9]) distribution.add(value)
  assert.deepEqual(
    distribution.table(about).rows.map(({ name, count }) => `${name}: ${count}`),
    ['0: 1', '1: 1', '2: 0', '3–4: 2', '5–8: 0', 'over 8: 1'],
  )
})
