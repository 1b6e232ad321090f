import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdleWork } from './idle-work.ts'

/** Sends one progress report per number: how many of two shards are busy. Returns whether background work may run after each. */
function mayRun(reports: readonly number[]): boolean[] {
  let busy = 0
  let isPaused = false
  const report = createIdleWork({
    background: {
      setPaused(paused) {
        isPaused = paused
      },
      wake() {},
    },
    busyShards: () => busy,
    shards: 2,
    indexes: false,
    clock: { monotonic: () => 0 },
  })
  return reports.map((now) => {
    busy = now
    report(0)
    return !isPaused
  })
}

test('background work waits until the shards have had little to do for a while', () => {
  const calm = [0.3, 0.3, 0.3, 0.3, 0.3]
  assert.deepEqual(mayRun([2, ...calm, 1.5, 0.3]), [false, false, false, false, false, true, false, false])
})

test('shards that have not started do not count as idle', () => {
  assert.deepEqual(mayRun([0, 0, 0, 0, 0, 0, 0, 1.8]), new Array(8).fill(false))
})
