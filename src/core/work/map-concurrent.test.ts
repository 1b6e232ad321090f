import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { mapConcurrent } from './map-concurrent.ts'

test('returns results in the order of the items and respects the concurrency limit', async () => {
  let underWay = 0
  let most = 0
  const answers = await mapConcurrent([5, 1, 4, 2, 3], 2, async (turns) => {
    most = Math.max(most, ++underWay)
    for (let n = 0; n < turns; n++) await turn()
    underWay--
    return turns * 10
  })
  assert.deepEqual([answers, most], [[50, 10, 40, 20, 30], 2])
  assert.deepEqual(await mapConcurrent([], 3, async () => 1), [])
})

test('starts nothing after a failure and waits for items already started', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const work = mapConcurrent([1, 2, 3, 4], 2, async (item) => {
    begun.push(item)
    if (item === 1) throw new Error('refused')
    await turn()
    ended.push(item)
  })
  await assert.rejects(work, /refused/)
  assert.deepEqual([begun, ended], [[1, 2], [2]])
})
