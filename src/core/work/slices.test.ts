import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createSlices } from './slices.ts'

test('parties take turns regardless of their workload, with other work in between', async () => {
  const slices = createSlices()
  const order: string[] = []
  async function work(party: string, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      await slices.next(party)
      order.push(party)
    }
  }
  async function other(): Promise<void> {
    for (let n = 0; n < 8; n++) {
      order.push('-')
      await turn()
    }
  }
  await Promise.all([work('a', 3), work('a', 3), work('b', 2), other()])
  const slicesOnly = order.filter((each) => each !== '-').join('')
  assert.equal(slicesOnly.slice(0, 4), 'abab')
  assert.equal(slicesOnly.length, 8)
  assert.doesNotMatch(order.join(''), /[ab]{2}.*-.*-/, 'one slice in each turn')
})
