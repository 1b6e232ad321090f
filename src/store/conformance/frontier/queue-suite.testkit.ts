import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { QueuedRequest } from '../../../core/request.ts'
import type { FrontierStore, QueuePosition } from '../../contracts/frontier.ts'
import { openOne, openTwo, type StoreEngine, withSystem } from '../engine.testkit.ts'
import { batchOf, offerOf, offersOf, queuedUrls, queueOf } from '../samples.testkit.ts'

/** The order of a host's queue and what leaves it. */
export function frontierQueueSuite(engine: StoreEngine): void {
  describe(`frontier queues (${engine.name})`, () => {
    test(
      'requests are ordered by priority, smallest first, then by arrival',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        const priorities = [3, 1, 2, 1, -4, 3, 1]
        await frontier.offer(priorities.slice(0, 4).map((priority, n) => offerOf(host, `/${n}`, { priority })))
        await frontier.offer(priorities.slice(4).map((priority, n) => offerOf(host, `/${n + 4}`, { priority })))
        const paths = (await queuedUrls(frontier)).map((url) => new URL(url).pathname)
        assert.deepEqual(paths, ['/4', '/1', '/3', '/6', '/2', '/0', '/5'])
      }),
    )

    test(
      'paging through a queue skips and repeats nothing, regardless of the page size',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const links = offersOf(system.hostOf(0, 0), 60).map((link, n) => ({ ...link, priority: (n * 7) % 5 }))
        await frontier.offer([...links, ...offersOf(system.hostOf(0, 1), 9)])
        const { id } = (await frontier.hosts(9, new Set())).find(({ queued }) => queued === 60)!
        const whole = (await frontier.next(id, null, 1000)).map(({ seq }) => seq)
        assert.equal(new Set(whole).size, 60)
        for (const limit of [1, 2, 7, 59, 60, 61]) {
          assert.deepEqual(
            (await pageThrough(frontier, id, limit)).map(({ seq }) => seq),
            whole,
          )
        }
      }),
    )

    test(
      'requests that arrive during paging appear in their proper place',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        await frontier.offer(offersOf(host, 4, { priority: 5 }))
        const { id } = (await frontier.hosts(1, new Set()))[0]!
        const head = await frontier.next(id, null, 2)
        await frontier.offer([offerOf(host, '/first', { priority: 1 }), offerOf(host, '/last', { priority: 5 })])
        const rest = await frontier.next(id, head.at(-1)!, 10)
        assert.deepEqual(
          rest.map(({ url }) => new URL(url).pathname),
          ['/2', '/3', '/last'],
        )
        assert.equal(new URL((await frontier.next(id, null, 1))[0]!.url).pathname, '/first')
      }),
    )

    test(
      'reading the queue does not change it',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        await frontier.offer(offersOf(system.hostOf(0, 0), 3))
        const before = await queueOf(frontier)
        assert.deepEqual(await queueOf(frontier), before)
        assert.equal(frontier.counts().queued, 3)
      }),
    )

    test(
      'settling removes completed requests and accepts new links in one step',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        await frontier.offer(offersOf(host, 3))
        const [first, second] = await queueOf(frontier)
        const counts = await frontier.settle(
          batchOf({ offers: [offerOf(host, '/0'), offerOf(host, '/new')], done: [first!, second!] }),
        )
        assert.deepEqual(counts, { accepted: 1, known: 1, limited: 0, removed: 2, watches: new Map() })
        assert.deepEqual(await queuedUrls(frontier), [`http://${host}/2`, `http://${host}/new`])
      }),
    )

    test(
      'links of a settled page are queued before the page is removed, in every shard',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [first, second] = await openTwo(system)
        const host = system.hostOf(0, 0)
        await first.frontier.offer([offerOf(host, '/')])
        const done = await queueOf(first.frontier)
        const seen: number[] = []
        // The sum of queued requests must never be too low at any moment.
        second.frontier.onArrival(() => seen.push(first.frontier.counts().queued))
        first.frontier.onArrival((batch) => seen.push(batch.length))
        const offers = [offerOf(host, '/a'), offerOf(system.hostOf(1, 0), '/b')]
        assert.equal((await first.frontier.settle(batchOf({ offers, done }))).removed, 1)
        await system.arrived?.()
        assert.equal(seen.length, 2)
        assert.ok(Math.min(...seen) >= 1)
        assert.equal(second.frontier.counts().queued, 1)
        assert.deepEqual(await queuedUrls(first.frontier), [`http://${host}/a`])
      }),
    )

    test(
      'settling a batch again changes nothing, nor does settling unknown requests',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        await frontier.offer(offersOf(host, 3))
        const [first, second] = await queueOf(frontier)
        const clock = { id: first!.hostId, nextAt: 5_000, failures: 0, rests: 0 }
        const batch = batchOf({
          offers: offersOf(host, 4),
          done: [first!],
          again: [{ ...second!, attempts: 1 }],
          hosts: [clock],
        })
        assert.equal((await frontier.settle(batch)).removed, 2)
        const after = await queueOf(frontier)
        assert.deepEqual(await frontier.settle(batch), {
          accepted: 0,
          known: 4,
          limited: 0,
          removed: 0,
          watches: new Map(),
        })
        const unknown = { ...first!, hostId: 999_999, seq: 999_999 }
        assert.equal(
          (await frontier.settle(batchOf({ done: [unknown], again: [unknown], hosts: [{ ...clock, id: 999_999 }] })))
            .removed,
          0,
        )
        assert.deepEqual(await queueOf(frontier), after)
        assert.deepEqual(frontier.counts(), { queued: 3, seen: 4, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'a retried request moves behind others of its priority and keeps its attempts',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        await frontier.offer([...offersOf(host, 3), offerOf(host, '/later', { priority: 1 })])
        const [first] = await queueOf(frontier)
        const arrived: QueuedRequest[] = []
        frontier.onArrival((batch) => arrived.push(...batch.flatMap(({ rows }) => rows)))
        await frontier.settle(batchOf({ again: [{ ...first!, attempts: 2 }] }))
        const rows = await queueOf(frontier)
        assert.deepEqual(
          rows.map(({ url, attempts }) => [new URL(url).pathname, attempts]),
          [
            ['/1', 0],
            ['/2', 0],
            ['/0', 2],
            ['/later', 0],
          ],
        )
        assert.deepEqual(arrived, [rows[2]])
        assert.deepEqual(frontier.counts(), { queued: 4, seen: 4, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'an empty batch changes nothing and notifies no listener',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        frontier.onArrival(() => assert.fail('nothing arrived'))
        assert.deepEqual(await frontier.offer([]), { accepted: 0, known: 0, limited: 0, watches: new Map() })
        assert.deepEqual(await frontier.settle(batchOf({})), {
          accepted: 0,
          known: 0,
          limited: 0,
          removed: 0,
          watches: new Map(),
        })
        assert.deepEqual(frontier.counts(), { queued: 0, seen: 0, hosts: 0, givenUp: 0 })
      }),
    )
  })
}

async function pageThrough(frontier: FrontierStore, hostId: number, limit: number): Promise<QueuedRequest[]> {
  const rows: QueuedRequest[] = []
  for (let after: QueuePosition | null = null; ; after = rows.at(-1)!) {
    const page = await frontier.next(hostId, after, limit)
    assert.ok(page.length <= limit)
    rows.push(...page)
    if (page.length < limit) return rows
  }
}
