import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillUp } from './kill-up.ts'

test('a watch killed repeatedly notifies everyone of everything, once', async () => {
  const report = await runKillUp({ rounds: 3, seed: 5 })
  assert.deepEqual(report.faults, [])
  assert.equal(report.rounds, 3)
})
