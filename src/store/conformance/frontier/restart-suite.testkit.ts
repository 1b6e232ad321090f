import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FrontierStore } from '../../contracts/frontier.ts'
import { openOne, openTwo, type StoreEngine, withSystem } from '../engine.testkit.ts'
import { batchOf, offerOf, offersOf, queuedUrls, queueOf } from '../samples.testkit.ts'

/** `recoveredOf` for the host of the first queued request. */
async function isRecovered(frontier: FrontierStore): Promise<boolean> {
  const [first] = await queueOf(frontier)
  return frontier.recoveredOf(first!.hostId)
}

/** State after a close, after a kill, and at the start of a new run. */
export function frontierRestartSuite(engine: StoreEngine): void {
  describe(`frontier restarts (${engine.name})`, () => {
    test(
      'everything is unchanged after a close, which does not count as a recovery',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [first] = await openTwo(system)
        await first.frontier.offer([0, 1].flatMap((shard) => offersOf(system.hostOf(shard, 0), 10)))
        assert.equal(await isRecovered(first.frontier), false)
        await first.frontier.settle(batchOf({ done: (await queueOf(first.frontier)).slice(0, 4) }))
        const queue = await queueOf(first.frontier)
        await system.close()
        const [again, other] = await openTwo(system)
        assert.equal(await isRecovered(again.frontier), false)
        assert.equal(await isRecovered(other.frontier), false)
        assert.deepEqual(await queueOf(again.frontier), queue)
        assert.deepEqual(again.frontier.counts(), { queued: 6, seen: 10, hosts: 1, givenUp: 0 })
        assert.deepEqual(other.frontier.counts(), { queued: 10, seen: 10, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'everything acknowledged survives a kill, and the next start reports the recovery once',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        await frontier.offer(offersOf(host, 10))
        const [first, second] = await queueOf(frontier)
        await frontier.settle(
          batchOf({ offers: [offerOf(host, '/new')], done: [first!], again: [{ ...second!, attempts: 1 }] }),
        )
        const queue = await queueOf(frontier)
        await system.kill()
        const recovered = await openOne(system)
        assert.equal(await isRecovered(recovered.frontier), true)
        assert.deepEqual(await queueOf(recovered.frontier), queue)
        assert.deepEqual(recovered.frontier.counts(), { queued: 10, seen: 11, hosts: 1, givenUp: 0 })
        await system.close()
        assert.equal(await isRecovered((await openOne(system)).frontier), false)
      }),
    )

    test(
      'requests queued after a restart come after those queued before',
      withSystem(engine, {}, async (system) => {
        const host = system.hostOf(0, 0)
        await (await openOne(system)).frontier.offer(offersOf(host, 2))
        await system.kill()
        const { frontier } = await openOne(system)
        await frontier.offer([offerOf(host, '/after')])
        assert.deepEqual(
          (await queuedUrls(frontier)).map((url) => new URL(url).pathname),
          ['/0', '/1', '/after'],
        )
      }),
    )

    test(
      'a new run starts without seen URLs, limits reached and failures, but keeps the clocks',
      withSystem(engine, { maxUrlsPerHost: 3 }, async (system) => {
        const host = system.hostOf(0, 0)
        const first = await openOne(system, 1)
        await first.frontier.offer(offersOf(host, 3))
        const rows = await queueOf(first.frontier)
        const clock = { id: rows[0]!.hostId, nextAt: 77_000, failures: 3, rests: 1 }
        await first.frontier.settle(batchOf({ done: rows, hosts: [clock] }))
        await system.close()
        const second = await openOne(system, 2)
        assert.deepEqual(second.frontier.counts(), { queued: 0, seen: 0, hosts: 1, givenUp: 0 })
        assert.deepEqual(await second.frontier.offer(offersOf(host, 4)), {
          accepted: 3,
          known: 0,
          limited: 1,
          watches: new Map(),
        })
        assert.deepEqual(await second.frontier.offer(offersOf(host, 3)), {
          accepted: 0,
          known: 3,
          limited: 0,
          watches: new Map(),
        })
        const [state] = await second.frontier.hosts(1, new Set())
        assert.equal(state?.nextAt, 77_000)
        assert.equal(state.failures, 0)
        assert.equal(state.rests, 0)
        assert.deepEqual(second.frontier.counts(), { queued: 3, seen: 3, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'a continued run knows its seen URLs',
      withSystem(engine, {}, async (system) => {
        const links = offersOf(system.hostOf(0, 0), 5)
        const first = await openOne(system, 7)
        await first.frontier.offer(links)
        await first.frontier.settle(batchOf({ done: await queueOf(first.frontier) }))
        await system.close()
        const second = await openOne(system, 7)
        assert.deepEqual(await second.frontier.offer(links), { accepted: 0, known: 5, limited: 0, watches: new Map() })
        assert.deepEqual(second.frontier.counts(), { queued: 0, seen: 5, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'an increased depth survives a kill',
      withSystem(engine, {}, async (system) => {
        const host = system.hostOf(0, 0)
        const first = await openOne(system)
        await first.frontier.offer([offerOf(host, '/a', { depth: 1 })])
        await first.frontier.offer([offerOf(host, '/a', { depth: 4 })])
        await system.kill()
        const { frontier } = await openOne(system)
        assert.equal((await frontier.offer([offerOf(host, '/a', { depth: 4 })])).known, 1)
        assert.equal((await frontier.offer([offerOf(host, '/a', { depth: 5 })])).accepted, 1)
      }),
    )
  })
}
