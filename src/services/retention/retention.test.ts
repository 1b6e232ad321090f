import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import type { CollectionRun } from '../../store/contracts/collection-runs.ts'
import { startRetention, turnOf } from './retention.ts'

const HOUR = 3_600_000
const run = { startedAt: 10 * HOUR, tookMs: 5_000, versions: 1, bytes: 2, freedBytes: 0, error: '' }
const finished: CollectionRun = { ...run, state: 'finished' }

describe('time of the next collection', () => {
  test('is one interval after the start of the last one, even if that failed', () => {
    assert.equal(turnOf(finished, HOUR, 10.5 * HOUR), 11 * HOUR)
    assert.equal(turnOf({ ...run, state: 'failed' }, HOUR, 10.5 * HOUR), 11 * HOUR)
    assert.equal(turnOf(finished, HOUR, 20 * HOUR), 11 * HOUR, 'it is overdue')
  })

  test('is now if there was no collection, or the last one did not finish', () => {
    assert.equal(turnOf(null, HOUR, 5), 5)
    for (const state of ['running', 'interrupted'] as const) assert.equal(turnOf({ ...run, state }, HOUR, 5), 5)
  })

  test('is later if collections take long', () => {
    assert.equal(turnOf({ ...finished, tookMs: HOUR }, HOUR, 11 * HOUR), 20 * HOUR)
  })

  test('is not delayed by a clock that was set back', () => {
    assert.equal(turnOf(finished, HOUR, 2 * HOUR), 3 * HOUR)
  })
})

describe('retention', () => {
  test('collects repeatedly, retries after a failure, and interrupts a collection when it ends', async () => {
    const problems: unknown[] = []
    const begun = Promise.withResolvers<void>()
    let collections = 0
    const retention = startRetention({
      ...{ clock: systemClock, everyMs: 1 },
      runs: { last: async () => (collections < 2 ? finished : null) },
      async collect(signal) {
        collections++
        if (collections === 1) throw new Error('a backup has the files')
        if (collections < 3) return
        begun.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
      onProblem: (_, { error }) => problems.push(error),
    })
    await begun.promise
    await retention.end()
    assert.equal(collections, 3)
    assert.deepEqual(problems, ['Error: a backup has the files'])
  })
})
