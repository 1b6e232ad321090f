import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillUp } from './kill-up.ts'

test('a watch that is killed again and again tells everybody everything, and nothing twice', async () => {
  const report = await runKillUp({ rounds: 3, seed: 5 })
  assert.deepEqual(report.faults, [])
  assert.equal(report.rounds, 3)
})
