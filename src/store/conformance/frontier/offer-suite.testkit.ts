import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UNLIMITED_DEPTH } from '../../../core/request.ts'
import type { Arrival } from '../../contracts/frontier.ts'
import { openOne, openTwo, type StoreEngine, withSystem } from '../engine.testkit.ts'
import { batchOf, offerOf, offersOf, queuedUrls, queueOf } from '../samples.testkit.ts'

/** Which links are accepted, and where they end up. */
export function frontierOfferSuite(engine: StoreEngine): void {
  describe(`frontier offers (${engine.name})`, () => {
    test(
      'a link is queued only once in a run',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const link = offerOf(system.hostOf(0, 0), '/a')
        assert.deepEqual(await frontier.offer([link, link]), { accepted: 1, known: 1, limited: 0, watches: new Map() })
        assert.deepEqual(await frontier.offer([link]), { accepted: 0, known: 1, limited: 0, watches: new Map() })
        await frontier.settle(batchOf({ done: await queueOf(frontier) }))
        assert.deepEqual(await frontier.offer([link]), { accepted: 0, known: 1, limited: 0, watches: new Map() })
        assert.deepEqual(frontier.counts(), { queued: 0, seen: 1, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'links are distinguished by host and fingerprint, across the whole range of fingerprints',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const fingerprints = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 53n]
        const links = [0, 1].flatMap((n) => fingerprints.map((fp) => offerOf(system.hostOf(0, n), `/${fp}`, { fp })))
        assert.equal((await frontier.offer(links)).accepted, 14)
        assert.equal((await frontier.offer(links)).known, 14)
        const kept = (await queueOf(frontier)).map(({ fp }) => fp)
        assert.deepEqual(new Set(kept), new Set(fingerprints))
        assert.equal(kept.length, 14)
      }),
    )

    test(
      'a queued request carries everything that was offered',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        const link = offerOf(host, '/ä?q=1', {
          parent: `http://${host}/`,
          depth: 3,
          hops: 2,
          redirects: 1,
          priority: -7,
        })
        await frontier.offer([link])
        const { id } = (await frontier.hosts(1, new Set()))[0]!
        const [request] = await frontier.next(id, null, 1)
        assert.ok(request)
        const { hostId, seq, attempts, ...offered } = request
        assert.deepEqual(offered, link)
        assert.equal(hostId, id)
        assert.equal(attempts, 0)
        assert.ok(seq > 0)
      }),
    )

    test(
      'a queued link moves ahead when another offer adds to its priority, and can still be settled',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        const raised: Arrival[] = []
        frontier.onArrival((arrivals) => raised.push(...arrivals.filter((arrival) => arrival.raised?.length)))
        const link = (path: string, priority: number) => offerOf(host, path, { priority, rises: 'sum' })
        await frontier.offer([
          link('/a', -10),
          link('/b', -8),
          link('/c', -1),
          offerOf(host, '/still', { priority: -9 }),
        ])
        const [taken] = await queueOf(frontier)
        assert.deepEqual(taken!.url.endsWith('/a') && taken!.rises, 'sum')
        await frontier.offer([link('/b', -3), link('/c', -2), link('/c', -3), link('/a', -1)])
        await frontier.offer([offerOf(host, '/still', { priority: -99 })])
        assert.deepEqual(
          (await queueOf(frontier)).map(({ url, priority }) => [new URL(url).pathname, priority]),
          [
            ['/a', -11],
            ['/b', -11],
            ['/still', -9],
            ['/c', -6],
          ],
        )
        const last = new Map(
          raised.flatMap(({ raised: rows = [] }) => rows.map(({ url, priority }) => [url, priority])),
        )
        assert.deepEqual([...last.values()].sort(), [-11, -11, -6])
        assert.equal((await frontier.settle(batchOf({ done: [taken!] }))).removed, 1)
        assert.deepEqual(await frontier.offer([link('/a', -50)]), {
          accepted: 0,
          known: 1,
          limited: 0,
          watches: new Map(),
        })
        assert.equal((await queueOf(frontier)).length, 3)
      }),
    )

    test(
      'a queued link keeps the better of two priorities if the order says so',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        const link = (path: string, priority: number) => offerOf(host, path, { priority, rises: 'best' })
        await frontier.offer([link('/a', 5), link('/b', 4)])
        await frontier.offer([link('/a', 1), link('/b', 7)])
        assert.deepEqual(
          (await queueOf(frontier)).map(({ priority }) => priority),
          [1, 4],
        )
      }),
    )

    test(
      'each step of a walk is queued once, even if it leads to the same page',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const visit = (number: number) => offerOf(system.hostOf(0, 0), '/a', { visit: number })
        assert.equal((await frontier.offer([visit(1), visit(1), visit(2)])).accepted, 2)
        await frontier.settle(batchOf({ done: await queueOf(frontier) }))
        assert.equal((await frontier.offer([visit(2), visit(3)])).accepted, 1)
      }),
    )

    test(
      'a link offered with a greater depth is queued again, but counted as seen once',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        const offer = (depth: number) => frontier.offer([offerOf(host, '/a', { depth })])
        await offer(1)
        assert.deepEqual(await offer(3), { accepted: 1, known: 0, limited: 0, watches: new Map() })
        assert.deepEqual(await offer(3), { accepted: 0, known: 1, limited: 0, watches: new Map() })
        assert.deepEqual(await offer(2), { accepted: 0, known: 1, limited: 0, watches: new Map() })
        assert.deepEqual(
          (await queueOf(frontier)).map(({ depth }) => depth),
          [1, 3],
        )
        assert.deepEqual(frontier.counts(), { queued: 2, seen: 1, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'a link offered again without a depth limit is queued once more',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const host = system.hostOf(0, 0)
        await frontier.offer([offerOf(host, '/a', { depth: 1 }), offerOf(host, '/b', { depth: 1 })])
        const { accepted } = await frontier.offer([offerOf(host, '/a', { depth: UNLIMITED_DEPTH })])
        assert.equal(accepted, 1)
        assert.equal((await frontier.offer([offerOf(host, '/a', { depth: UNLIMITED_DEPTH })])).known, 1)
        assert.deepEqual(frontier.counts(), { queued: 3, seen: 2, hosts: 1, givenUp: 0 })
      }),
    )

    test(
      'a host accepts no more links than its limit, and reports how many were rejected',
      withSystem(engine, { maxUrlsPerHost: 3 }, async (system) => {
        const { frontier } = await openOne(system)
        const full = system.hostOf(0, 0)
        const other = system.hostOf(0, 1)
        const counts = await frontier.offer([...offersOf(full, 5), offerOf(other, '/a')])
        assert.deepEqual(counts, { accepted: 4, known: 0, limited: 2, watches: new Map() })
        assert.deepEqual(await frontier.offer(offersOf(full, 4)), {
          accepted: 0,
          known: 3,
          limited: 1,
          watches: new Map(),
        })
        await frontier.settle(batchOf({ done: await queueOf(frontier) }))
        assert.deepEqual(await frontier.offer([offerOf(full, '/new')]), {
          accepted: 0,
          known: 0,
          limited: 1,
          watches: new Map(),
        })
      }),
    )

    test(
      'listeners are notified of accepted links only',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const arrivals: Arrival[] = []
        frontier.onArrival((batch) => arrivals.push(...batch))
        const [one, two] = [system.hostOf(0, 0), system.hostOf(0, 1)]
        await frontier.offer([offerOf(one, '/a'), offerOf(two, '/a'), offerOf(one, '/b'), offerOf(one, '/a')])
        await frontier.offer([offerOf(one, '/b')])
        assert.equal(arrivals.length, 2)
        const arrived = new Map(arrivals.map((arrival) => [arrival.state.host, arrival]))
        const urlsOf = (host: string) => arrived.get(host)?.rows.map(({ url }) => url)
        assert.deepEqual(urlsOf(one), [`http://${one}/a`, `http://${one}/b`])
        assert.deepEqual(urlsOf(two), [`http://${two}/a`])
        const { state, rows } = arrived.get(one)!
        assert.equal(state.queued, 2)
        assert.deepEqual(rows, await frontier.next(state.id, null, 10))
      }),
    )

    test(
      'links for a host of another shard reach it before the promise resolves',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [first, second] = await openTwo(system)
        const told: string[] = []
        second.frontier.onArrival((batch) => told.push(...batch.flatMap(({ rows }) => rows.map(({ url }) => url))))
        const [own, foreign] = [system.hostOf(0, 0), system.hostOf(1, 0)]
        const links = [offerOf(own, '/a'), ...offersOf(foreign, 3)]
        assert.deepEqual(await first.frontier.offer(links), { accepted: 4, known: 0, limited: 0, watches: new Map() })
        await system.arrived?.()
        const expected = offersOf(foreign, 3).map(({ url }) => url)
        assert.deepEqual(told, expected)
        assert.deepEqual(await queuedUrls(second.frontier), expected)
        assert.deepEqual(await queuedUrls(first.frontier), [`http://${own}/a`])
        assert.deepEqual(await first.frontier.offer(links), { accepted: 0, known: 4, limited: 0, watches: new Map() })
        await system.arrived?.()
        assert.equal(told.length, 3)
      }),
    )

    test(
      'links accepted by another shard survive a kill of both',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [first, second] = await openTwo(system)
        await Promise.all([
          first.frontier.offer(offersOf(system.hostOf(1, 0), 20)),
          second.frontier.offer(offersOf(system.hostOf(0, 0), 30)),
          first.frontier.settle(batchOf({ offers: offersOf(system.hostOf(1, 1), 5) })),
        ])
        await system.kill()
        const [again, other] = await openTwo(system)
        assert.equal((await queuedUrls(again.frontier)).length, 30)
        assert.equal((await queuedUrls(other.frontier)).length, 25)
        assert.deepEqual(other.frontier.counts(), { queued: 25, seen: 25, hosts: 2, givenUp: 0 })
      }),
    )

    test(
      'the limit of a host also applies to links from other shards',
      withSystem(engine, { shards: 2, maxUrlsPerHost: 2 }, async (system) => {
        const [first, second] = await openTwo(system)
        const links = offersOf(system.hostOf(1, 0), 3)
        assert.deepEqual(await first.frontier.offer(links), { accepted: 2, known: 0, limited: 1, watches: new Map() })
        const settled = await second.frontier.settle(batchOf({ offers: links }))
        assert.deepEqual(settled, { accepted: 0, known: 2, limited: 1, removed: 0, watches: new Map() })
      }),
    )
  })
}
