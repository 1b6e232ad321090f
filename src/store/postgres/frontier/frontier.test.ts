import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import type { Check, QueuedRequest } from '../../../core/request.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import { batchOf, offerOf, offersOf, queuedUrls, queueOf } from '../../conformance/samples.testkit.ts'
import type { PartitionGrant } from '../../contracts/cluster/partition-leases.ts'
import { createPostgresEvents } from '../cluster/events.ts'
import { openPool, type PostgresPool } from '../connection/pool.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { takePartitions } from '../testkit/store.testkit.ts'
import { createPostgresFrontier, type PostgresFrontier, type PostgresFrontierOptions } from './frontier.ts'

usePostgres()

type World = {
  database: TestDatabase
  /** A shard with connections of its own, holding nothing yet. */
  shard(options?: Partial<PostgresFrontierOptions>): PostgresFrontier & { pool: PostgresPool }
  /** The nth host of a partition that is even or odd. */
  host(remainder: number, n?: number): string
}

function inWorld(work: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const database = await createDatabase()
    const ends: (() => Promise<void>)[] = []
    try {
      await work({
        database,
        shard(options = {}) {
          const pool = openPool({ address: database.address, maxConnections: 3, name: 'shard' })
          const base = { pool, events: null, run: 1, maxUrlsPerHost: 1000, pollEveryMs: 0 }
          const frontier = createPostgresFrontier({ ...base, ...options })
          ends.push(async () => {
            await frontier.close()
            await pool.close()
          })
          return Object.defineProperty(frontier, 'pool', { value: pool }) as PostgresFrontier & { pool: PostgresPool }
        },
        host: (remainder, n = 0) => hostWith((partition) => partition % 2 === remainder, n),
      })
    } finally {
      for (const end of ends) await end()
      await database.destroy()
    }
  }
}

function hostWith(fits: (partition: number) => boolean, n: number): string {
  for (let number = 0, left = n; ; number++) {
    const host = `host${number}.example`
    if (fits(partitionOf(host)) && left-- === 0) return host
  }
}

/** The contents of the crawl tables, for comparison. */
async function tables(pool: PostgresPool): Promise<unknown> {
  return Promise.all([
    pool.query('SELECT partition, run, seq, queued, seen, hosts, waiting, given_up FROM frontiers ORDER BY partition'),
    pool.query('SELECT * FROM hosts ORDER BY partition, id'),
    pool.query('SELECT partition, seq, url, attempts FROM queue ORDER BY partition, seq'),
  ])
}

/** Checks that the counters of each partition agree with the tables. */
async function assertConsistent(pool: PostgresPool): Promise<void> {
  const wrong = await pool.query(
    `SELECT f.partition FROM frontiers f WHERE
       f.queued <> (SELECT count(*) FROM queue q WHERE q.partition = f.partition)
       OR f.hosts <> (SELECT count(*) FROM hosts h WHERE h.partition = f.partition)
       OR f.waiting <> (SELECT count(*) FROM hosts h WHERE h.partition = f.partition AND h.queued > 0)
       OR f.given_up <> (SELECT count(*) FROM hosts h WHERE h.partition = f.partition AND h.given_up AND h.run = f.run)
       OR f.queued <> (SELECT coalesce(sum(queued), 0) FROM hosts h WHERE h.partition = f.partition)
       OR f.seq < (SELECT coalesce(max(seq), 0) FROM queue q WHERE q.partition = f.partition)`,
  )
  assert.deepEqual(wrong, [])
}

/** Cuts the connections of the shards if one of them waits for a lock. Returns whether it did. */
async function hasCut(pool: PostgresPool): Promise<boolean> {
  const shards = `FROM pg_stat_activity WHERE application_name = 'shard' AND datname = current_database()`
  const cut = await pool.query(
    `SELECT pg_terminate_backend(pid) ${shards} AND EXISTS (SELECT pid ${shards} AND wait_event_type = 'Lock')`,
  )
  return cut.length > 0
}

/** A cut of an idle connection may be noticed only by the next statement. */
async function untilReachable<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isAppError(error, 'store-unreachable')) throw error
    }
  }
}

const nameOf = ({ hostId, seq }: QueuedRequest): string => `${hostId} ${seq}`

const checkOf = (watch: number): Check => ({ watch, round: 100, freshFrom: 0, since: 0, first: false })

describe('cluster frontier', () => {
  test(
    'a worker that slept past its lease settles nothing and learns which partitions it lost',
    inWorld(async ({ database: { pool }, shard, host }) => {
      const lost: number[] = []
      const sleeper = shard({ onLost: (partitions) => lost.push(...partitions) })
      await sleeper.add(await takePartitions(pool, 0, 1))
      await sleeper.offer([...offersOf(host(0), 4), ...offersOf(host(1), 2)])
      const inHand = await queueOf(sleeper)
      const next = shard()
      await next.add(await takePartitions(pool, 0, 1))
      const before = await tables(pool)
      const clocks = [...new Set(inHand.map(({ hostId }) => hostId))].map((id) => ({
        id,
        nextAt: 9_999,
        failures: 3,
        rests: 1,
      }))
      const late = batchOf({ done: inHand.slice(0, 3), again: inHand.slice(3), hosts: clocks })
      await assert.rejects(sleeper.settle(late), (error) => isAppError(error, 'lease-lost'))
      assert.deepEqual(await tables(pool), before)
      assert.deepEqual(new Set(lost), new Set([host(0), host(1)].map(partitionOf)))
      await assert.rejects(sleeper.giveUp(inHand[0]!.hostId), (error) => isAppError(error, 'lease-lost'))
      assert.deepEqual(await sleeper.next(inHand[0]!.hostId, null, 10), [])
      assert.equal((await next.settle(late)).removed, 6)
      assert.equal(next.recoveredOf(inHand[0]!.hostId), true)
      await assertConsistent(pool)
    }),
  )

  test(
    'a batch with some lost partitions is settled in the others',
    inWorld(async ({ database: { pool }, shard, host }) => {
      const first = shard()
      await first.add(await takePartitions(pool, 0, 1))
      await first.offer([...offersOf(host(0), 2), ...offersOf(host(1), 3)])
      const done = await queueOf(first)
      await shard().add(await takePartitions(pool, 1, 2))
      const counts = await first.settle(batchOf({ done }))
      assert.equal(counts.removed, 2)
      assert.deepEqual(counts.lost, [partitionOf(host(1))])
      assert.equal(first.holds(done[0]!.hostId), done[0]!.host === host(0))
      await assertConsistent(pool)
    }),
  )

  test(
    'the owner is notified exactly once of each row queued by others',
    inWorld(async ({ database, shard, host }) => {
      const listening = openPool({ address: database.address, maxConnections: 1, name: 'events' })
      const events = createPostgresEvents({ pool: listening })
      const owner = shard({ events })
      await owner.add(await takePartitions(database.pool, 0, 2))
      const told: string[] = []
      let wanted = Promise.withResolvers<void>()
      owner.onArrival((arrivals) => {
        told.push(...arrivals.flatMap(({ rows }) => rows.map(({ url }) => url)))
        wanted.resolve()
      })
      const other = shard()
      await other.offer(offersOf(host(0), 3))
      while (told.length < 3) {
        await wanted.promise
        wanted = Promise.withResolvers()
      }
      await owner.look()
      await owner.offer([offerOf(host(0), '/own')])
      assert.deepEqual(told, [...offersOf(host(0), 3).map(({ url }) => url), `http://${host(0)}/own`])
      await events.close()
      await listening.close()
    }),
  )

  test(
    'rows queued earlier by others are announced before new rows of the owner, and not handed out sooner',
    inWorld(async ({ database: { pool }, shard, host }) => {
      const owner = shard()
      await owner.add(await takePartitions(pool, 0, 1))
      await owner.offer([offerOf(host(0), '/first')])
      const { id } = (await owner.hosts(1, new Set()))[0]!
      const told: string[] = []
      owner.onArrival((arrivals) => told.push(...arrivals.flatMap(({ rows }) => rows.map(({ url }) => url))))
      await shard().offer([offerOf(host(0), '/foreign')])
      assert.equal((await owner.next(id, null, 10)).length, 1)
      await owner.offer([offerOf(host(0), '/own')])
      assert.deepEqual(
        told.map((url) => new URL(url).pathname),
        ['/foreign', '/own'],
      )
      assert.equal((await owner.next(id, null, 10)).length, 3)
      assert.deepEqual(owner.counts(), { queued: 3, seen: 3, hosts: 1, givenUp: 0 })
    }),
  )

  test(
    'a partition that is handed over properly continues where it was',
    inWorld(async ({ database: { pool }, shard, host }) => {
      const [first, second] = [shard(), shard()]
      const grants = await takePartitions(pool, 0, 1)
      await first.add(grants)
      await first.offer(offersOf(host(0), 5))
      await first.settle(batchOf({ done: (await queueOf(first)).slice(0, 2) }))
      const rest = await queueOf(first)
      const partition = partitionOf(host(0))
      await first.drop([partition])
      assert.equal(first.counts().queued, 0)
      const grant: PartitionGrant = { ...grants.find((each) => each.partition === partition)!, recovered: false }
      await second.add([grant])
      assert.deepEqual(await queueOf(second), rest)
      assert.deepEqual(second.counts(), { queued: 3, seen: 5, hosts: 1, givenUp: 0 })
    }),
  )

  test(
    'links offered by several shards at the same time are queued once',
    inWorld(async ({ database: { pool }, shard, host }) => {
      const shards = [shard(), shard(), shard()]
      await shards[0]!.add(await takePartitions(pool, 0, 2))
      await shards[1]!.add(await takePartitions(pool, 1, 2))
      const links = [...offersOf(host(0), 40), ...offersOf(host(1), 40), ...offersOf(host(0, 1), 40)]
      const counts = await Promise.all(shards.flatMap((each) => [each.offer(links), each.offer(links.toReversed())]))
      const sum = (pick: (each: (typeof counts)[number]) => number) => counts.reduce((n, each) => n + pick(each), 0)
      assert.equal(
        sum(({ accepted }) => accepted),
        120,
      )
      assert.equal(
        sum(({ known }) => known),
        600,
      )
      await Promise.all(shards.map((each) => each.look()))
      const urls = [...(await queuedUrls(shards[0]!)), ...(await queuedUrls(shards[1]!))]
      assert.deepEqual(new Set(urls), new Set(links.map(({ url }) => url)))
      assert.equal(urls.length, 120)
      await assertConsistent(pool)
    }),
  )

  // Lock waits can be seen on a single server only.
  if (!process.env.ERACE_TEST_CITUS)
    test(
      'a batch retried after cut connections is neither lost nor applied twice',
      inWorld(async ({ database: { pool }, shard, host }) => {
        const crawler = shard()
        await crawler.add(await takePartitions(pool, 0, 1))
        const told: string[] = []
        crawler.onArrival((arrivals) => told.push(...arrivals.flatMap(({ rows }) => rows.map(nameOf))))
        const hosts = [host(0), host(1), host(0, 1), host(1, 1)]
        await crawler.offer(hosts.flatMap((each) => offersOf(each, 10, { check: checkOf(5) })))
        const rows = await queueOf(crawler)
        const batch = batchOf({
          offers: hosts.flatMap((each) => offersOf(each, 12, { check: checkOf(5) })),
          done: rows.slice(0, 20),
          again: rows.slice(20, 24).map((row) => ({ ...row, attempts: 1 })),
        })
        // Each time another partition is blocked until the connections are cut; the others may or may not have finished by then.
        let cuts = 0
        for (const each of [rows[0]!, rows[10]!, rows[20]!, rows[0]!]) {
          const failure = await pool.transaction(async (tx) => {
            await tx.query('SELECT FROM frontiers WHERE partition = $1 FOR UPDATE', [each.hostId % 256])
            const settling = crawler.settle(batch).catch((error: unknown) => error)
            const isOver = settling.then(() => true)
            while (!(await Promise.race([isOver, hasCut(pool)])));
            return settling
          })
          assert.ok(isAppError(failure, 'store-unreachable'), String(failure))
          cuts++
        }
        assert.equal(cuts, 4)
        await untilReachable(() => crawler.settle(batch))
        await untilReachable(() => crawler.look())
        assert.deepEqual(crawler.counts(), { queued: 28, seen: 48, hosts: 4, givenUp: 0 })
        const after = await queueOf(crawler)
        assert.equal(new Set(after.map(({ url }) => url)).size, 28)
        assert.deepEqual(await crawler.watches(), new Map([[5, 28]]))
        assert.equal(new Set(told).size, told.length)
        assert.deepEqual(
          after.filter((row) => !told.includes(nameOf(row))),
          [],
        )
        await assertConsistent(pool)
      }),
    )

  test(
    'known links are not sent again, and a batch takes few statements',
    inWorld(async ({ database: { pool }, shard }) => {
      const crawler = shard()
      await crawler.add(await takePartitions(pool, 0, 1))
      const hosts = Array.from({ length: 10 }, (_, n) => `site${n}.example`)
      const links = hosts.flatMap((host) => offersOf(host, 40, { parent: 'http://site.example/' }))
      await crawler.offer(links)
      const settled = crawler.pool.traffic()
      assert.equal((await crawler.offer(links)).known, 400)
      assert.deepEqual(crawler.pool.traffic(), settled)
      const rows = await queueOf(crawler)
      const done = hosts.flatMap((host) => rows.filter((row) => row.host === host).slice(0, 5))
      const offers = hosts.flatMap((host) => offersOf(host, 60, { parent: 'http://site.example/' }))
      const clocks = [...new Set(done.map(({ hostId }) => hostId))].map((id) => ({
        id,
        nextAt: 5,
        failures: 0,
        rests: 0,
      }))
      const before = crawler.pool.traffic()
      const counts = await crawler.settle({ offers, done, again: [], hosts: clocks })
      assert.deepEqual([counts.accepted, counts.known, counts.removed], [200, 400, 50])
      const after = crawler.pool.traffic()
      assert.ok((after.statements - before.statements) / 50 <= 1.5)
      await assertConsistent(pool)
    }),
  )

  test(
    'quotes, backslashes, NUL, commas and braces in URLs cannot break a statement',
    inWorld(async ({ database: { pool }, shard, host }) => {
      const crawler = shard()
      await crawler.add(await takePartitions(pool, 0, 1))
      const paths = ['/"', '/\\', '/{a,b}', '/NULL', "/'", '/\\"\\', '/ä€😀', '/,']
      await crawler.offer(paths.map((path) => offerOf(host(0), path, { parent: `p${path}` })))
      assert.deepEqual(
        (await queueOf(crawler)).map(({ url, parent }) => [url, parent]),
        paths.map((path) => [`http://${host(0)}${path}`, `p${path}`]),
      )
      await crawler.offer([offerOf(host(0), '/a\0b')])
    }),
  )

  test(
    'hosts are ordered by their next fetch time across all partitions',
    inWorld(async ({ database: { pool }, shard }) => {
      const crawler = shard()
      await crawler.add(await takePartitions(pool, 0, 1))
      const names = Array.from({ length: 300 }, (_, n) => `many${n}.example`)
      await crawler.offer(names.map((name) => offerOf(name, '/')))
      const all = await crawler.hosts(1_000, new Set())
      assert.equal(all.length, 300)
      const clocks = all.map(({ id }, n) => ({ id, nextAt: 1 + ((n * 7919) % 300), failures: 0, rests: 0 }))
      await crawler.settle(batchOf({ hosts: clocks }))
      const order = clocks.toSorted((a, b) => a.nextAt - b.nextAt).map(({ id }) => id)
      assert.deepEqual(
        (await crawler.hosts(40, new Set())).map(({ id }) => id),
        order.slice(0, 40),
      )
      assert.deepEqual(
        (await crawler.hosts(40, new Set(order.slice(0, 200)))).map(({ id }) => id),
        order.slice(200, 240),
      )
    }),
  )
})
