import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { createManualClock } from '../../core/clock.ts'
import { openOne, type StoreEngine, withSystem } from '../../store/conformance/engine.testkit.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { postgresEngine } from '../../store/postgres/testkit/store.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { createProfileKeys } from '../profiles/keyed-profile.ts'
import { createPolicy, defaultShares } from '../scheduler/queues/policy.ts'
import { HOUR, MINUTE, unlimited, watchOf } from '../scheduler/scheduler.testkit.ts'
import { createScheduler, type Scheduler } from '../scheduler/scheduler.ts'
import { serviceLevels, type WatchState } from '../scheduler/watch.ts'

const WATCHES = 120
const EVERY = 10 * MINUTE
const none = Number.POSITIVE_INFINITY
const STATES = 1_000

/**
 * Equally many watches of each level, each every ten minutes, with half of the capacity needed. Every two hours the process dies and
 * another one continues from the store.
 */
async function keepGold(engine: StoreEngine): Promise<void> {
  await withSystem(engine, {}, async (system) => {
    await openOne(system)
    const stores = engine.openStores(system)
    try {
      const keyed = createProfileKeys({}, (uri) => uri)
      const ids = Array.from({ length: WATCHES }, (_, n) => `${n}`)
      await stores.profiles.put(
        ids.map((id) => keyed(profileOf(id, 'ann', [sourceOf(`http://example.org/${id}`)], {}))),
      )
      const clock = createManualClock()
      const open = async (): Promise<Scheduler> => {
        const scheduler = createScheduler({
          ...{ clock, policy: createPolicy('value'), timing: { minEveryMs: 1, jitter: 0 } },
          budgets: { ...unlimited, perSecond: (WATCHES / EVERY / 2) * 1000, burst: 10, perUser: null, perHost: null },
          value: { budget: none, shares: defaultShares, hostLimit: none, userLimit: () => none },
        })
        for (const { id, state } of await stores.watches.all()) {
          const saved = state === '' ? undefined : (JSON.parse(state) as WatchState)
          scheduler.set(watchOf(id, { level: serviceLevels[id % 3]!, host: '', everyMs: EVERY }), saved)
        }
        return scheduler
      }
      let scheduler = await open()
      assert.equal(scheduler.stats().watches, WATCHES)
      const counted = { met: 0, missed: 0, bronzeMissed: 0 }
      for (let round = 0; round < 4; round++) {
        for (const endAt = clock.monotonic() + 2 * HOUR; clock.monotonic() < endAt; ) {
          clock.advance(5_000)
          for (const { id } of scheduler.take(none))
            scheduler.done(id, { changed: id % 7 === 0, failed: false, at: clock.now() })
        }
        const { gold, bronze } = scheduler.stats().levels
        // All watches start at the same time, so the first round doesn't count.
        if (round > 0) {
          counted.met += gold.met
          counted.missed += gold.missed
          counted.bronzeMissed += bronze.missed
        }
        await stores.watches.saveStates(
          scheduler.takeUnsaved(STATES).map((state) => ({ watch: state.id, state: JSON.stringify(state) })),
        )
        scheduler = await open()
      }
      assert.equal(counted.missed, 0)
      // Forty of them, six times an hour, for six hours.
      assert.ok(counted.met >= 0.98 * 40 * 6 * 6, `${counted.met}`)
      assert.ok(counted.bronzeMissed > 0)
    } finally {
      stores.close()
    }
  })()
}

describe('at half the required capacity, with restarts', () => {
  usePostgres()
  for (const engine of [sqliteEngine, postgresEngine])
    test(`gold meets every deadline on the ${engine.name} store`, () => keepGold(engine))
})
