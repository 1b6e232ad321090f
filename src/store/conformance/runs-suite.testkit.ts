import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StoreEngine, withSystem } from './engine.testkit.ts'

/** What every engine promises about runs. */
export function runsSuite(engine: StoreEngine): void {
  describe(`runs (${engine.name})`, () => {
    test(
      'an unfinished run is continued, and a finished one is followed by a new run',
      withSystem(engine, {}, async (system) => {
        const first = await system.withRuns(async (runs) => {
          assert.equal(await runs.last(), null)
          return runs.begin(1_000)
        })
        assert.equal(first.continued, false)
        assert.equal(first.finishedAt, null)
        assert.equal(first.startedAt, 1_000)
        await system.withRuns(async (runs) => {
          assert.deepEqual(await runs.begin(2_000), { ...first, continued: true })
          await runs.finish(first.id, 3_000)
          assert.equal((await runs.last())?.finishedAt, 3_000)
        })
        await system.withRuns(async (runs) => {
          const second = await runs.begin(4_000)
          assert.ok(second.id > first.id)
          assert.equal(second.continued, false)
          assert.equal(second.startedAt, 4_000)
          assert.equal((await runs.last())?.id, second.id)
        })
      }),
    )
  })
}
