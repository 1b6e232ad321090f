import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Check } from '../../../core/request.ts'
import { openOne, openTwo, type StoreEngine, withSystem } from '../engine.testkit.ts'
import { batchOf, offerOf, offersOf, queueOf } from '../samples.testkit.ts'

const checkOf = (watch: number, round: number): Check => ({
  watch,
  round,
  freshFrom: round - 10,
  since: 0,
  first: false,
})

/** What every frontier promises to watches: each check has its own set of seen URLs and its own count of queued requests. */
export function frontierWatchSuite(engine: StoreEngine): void {
  describe(`checks in the frontier (${engine.name})`, () => {
    test(
      'a check is stored with its request and survives a kill',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const check = { watch: 7, round: 1_700_000_000_000, freshFrom: 1_699_999_999_000, since: 5, first: true }
        const counts = await frontier.offer([offerOf(system.hostOf(0, 0), '/', { check, depth: 2 })])
        assert.deepEqual(counts.watches, new Map([[7, 1]]))
        await system.kill()
        const after = await openOne(system)
        assert.deepEqual((await queueOf(after.frontier))[0]?.check, check)
        assert.deepEqual(await after.frontier.watches(), new Map([[7, 1]]))
      }),
    )

    test(
      'URLs seen by one check are new to other watches and to the next check',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const offer = (watch: number, round: number) =>
          frontier.offer([offerOf(system.hostOf(0, 0), '/', { check: checkOf(watch, round) })])
        assert.equal((await offer(1, 100)).accepted, 1)
        assert.equal((await offer(1, 100)).known, 1)
        assert.equal((await offer(2, 100)).accepted, 1)
        assert.equal((await offer(1, 200)).accepted, 1)
      }),
    )

    test(
      'the requests of each watch are counted across all shards',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [first, second] = await openTwo(system)
        const links = [
          ...offersOf(system.hostOf(0, 0), 2, { check: checkOf(1, 100) }),
          ...offersOf(system.hostOf(1, 0), 3, { check: checkOf(1, 100) }),
          ...offersOf(system.hostOf(1, 1), 1, { check: checkOf(2, 100) }),
        ]
        assert.deepEqual(
          (await first.frontier.offer(links)).watches,
          new Map([
            [1, 5],
            [2, 1],
          ]),
        )
        await system.arrived?.()
        const done = (await queueOf(second.frontier)).filter(({ check }) => check.watch === 1)
        const offers = [offerOf(system.hostOf(0, 0), '/next', { check: checkOf(1, 100) })]
        const settled = await second.frontier.settle(batchOf({ done, offers }))
        assert.deepEqual(settled.watches, new Map([[1, -2]]))
      }),
    )

    test(
      'a host that was given up accepts requests again when a watch starts a check there',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        await frontier.offer(offersOf(host, 3, { check: checkOf(1, 100), parent: `http://${host}/` }))
        const [state] = await frontier.hosts(10, new Set())
        assert.deepEqual(await frontier.giveUp(state!.id), { dropped: 3, watches: new Map([[1, -3]]) })
        const link = offerOf(host, '/new', { check: checkOf(1, 100), parent: `http://${host}/` })
        assert.equal((await frontier.offer([link])).limited, 1)
        const seed = offerOf(host, '/', { check: checkOf(1, 200) })
        assert.equal((await frontier.offer([seed])).accepted, 1)
      }),
    )
  })
}
