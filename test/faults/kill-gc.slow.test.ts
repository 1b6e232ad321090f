import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillGc } from './kill-gc.ts'

test('a killed garbage collection loses nothing current, and the next one continues', async () => {
  const report = await runKillGc({ rounds: 2, pages: 60, seed: 3 })
  assert.deepEqual(report.faults, [])
  assert.equal(report.rounds, 2)
})
