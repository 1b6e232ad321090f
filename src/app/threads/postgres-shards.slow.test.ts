import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { settings } from '../../config/schema.ts'
import { cutConnections, postgres, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import {
  assertPolite,
  assertStoredOnce,
  excessOf,
  type Field,
  type FieldOptions,
  openField,
  requestsByUrl,
  until,
} from './postgres-shards.testkit.ts'

usePostgres({ own: true })

function withField(options: FieldOptions, work: (field: Field) => Promise<void>): () => Promise<void> {
  return async () => {
    const field = await openField(options)
    try {
      await work(field)
    } finally {
      await field.destroy()
    }
  }
}

/** Locks the rows that workers write to when they offer links, for the given time. */
function blockWrites({ database }: Field, seconds: number): Promise<void> {
  return database.pool.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM frontiers FOR NO KEY UPDATE')
    await tx.query('SELECT pg_sleep($1)', [seconds])
  })
}

// For all tests together: on a busy machine each of them takes up to half a minute.
describe('cluster workers', { timeout: 600_000 }, () => {
  test(
    'a worker with the minimum of connections uses no more, and stores every page',
    withField(
      { hosts: 4, pages: 10, values: { 'cluster.connections': settings['cluster.connections'].min } },
      async (field) => {
        const first = await field.startWorker('first')
        await first.seed()
        await field.untilFinished()
        await assertStoredOnce(field)
        const [used] = await field.database.pool.query<{ n: number }>(
          `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'erace first shard 0' AND datname = current_database()`,
        )
        assert.equal(used?.n, settings['cluster.connections'].min)
        await first.shards.stop()
      },
    ),
  )

  test(
    'a lease is renewed even while statements wait for longer than its duration',
    withField({ hosts: 4, pages: 60, values: { 'cluster.lease': '2s', 'crawl.delay': '10ms' } }, async (field) => {
      const first = await field.startWorker('first')
      await first.seed()
      await field.answered(20)
      await blockWrites(field, 2.5)
      await field.untilFinished()
      assert.equal(first.counters.total('refused'), 0)
      const [last] = await field.database.pool.query<{ epoch: number }>('SELECT max(epoch) AS epoch FROM leases')
      assert.equal(last?.epoch, 1)
      await assertStoredOnce(field)
    }),
  )

  test(
    'a worker pauses after a failed heartbeat, and resumes when one succeeds',
    withField(
      { hosts: 1, pages: 1, values: { 'cluster.lease': '2s' } },
      async ({ startWorker, database: { pool } }) => {
        const { counters } = await startWorker('first')
        await pool.query('ALTER FUNCTION lease_beat RENAME TO lease_beat_kept')
        await pool.query(
          `CREATE FUNCTION lease_beat(text, text, text, boolean, bigint, smallint[]) RETURNS json LANGUAGE plpgsql
         AS $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`,
        )
        await until(() => counters.total('paused') === 1)
        await pool.query('DROP FUNCTION lease_beat')
        await pool.query('ALTER FUNCTION lease_beat_kept RENAME TO lease_beat')
        await until(() => counters.total('paused') === 0)
      },
    ),
  )

  test(
    'a worker can stop while the database is down, and its requests in flight stay queued',
    withField({ hosts: 1, pages: 1, site: { latenciesMs: [500] } }, async (field) => {
      const server = await postgres()
      const first = await field.startWorker('first')
      await first.seed()
      await field.untilFinished()
      await first.shards.stop()
      field.site.change(0)
      const asked = field.site.log.length
      const second = await field.startWorker('second', 2)
      await second.seed()
      await until(() => field.site.log.slice(asked).some(({ path }) => path !== '/robots.txt'))
      await server.stop()
      await field.answered(2)
      await until(() => second.counters.total('paused') === 1)
      second.counters.stop()
      await second.shards.stop()
      assert.equal(second.counters.total('refused'), 1)
      await server.start()
      const [left] = await field.database.pool.query<{ n: number }>('SELECT count(*) AS n FROM queue')
      assert.equal(left?.n, 1)
    }),
  )

  test(
    'two workers share a site of many hosts and fetch every page once',
    withField({ hosts: 12, pages: 30 }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      await field.untilFinished()
      assert.equal(requestsByUrl(field.site).size, 12 * 30)
      assert.equal(excessOf(field.site), 0)
      await assertStoredOnce(field)
      assert.ok(first.counters.total('fetched') > 0)
      assert.ok(second.counters.total('fetched') > 0)
      await first.shards.stop()
      await second.shards.stop()
    }),
  )

  test(
    'after a clean stop no request is repeated, and the delay per host is respected',
    withField({ hosts: 10, pages: 16, values: { 'crawl.delay': '100ms' } }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      await field.answered(60)
      await first.shards.stop()
      assert.deepEqual(first.epochs.held(), [])
      const byFirst = first.counters.total('fetched')
      await field.untilFinished()
      assert.ok(byFirst > 0 && byFirst < 150)
      assert.equal(requestsByUrl(field.site).size, 160)
      assert.equal(excessOf(field.site), 0)
      assert.equal(second.epochs.held().length, 256)
      assertPolite(field.site, 100)
      await assertStoredOnce(field)
    }),
  )

  test(
    'after a kill only requests in flight are repeated, and the delay per host is respected',
    withField({ hosts: 10, pages: 16, values: { 'crawl.delay': '100ms' } }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      await field.answered(60)
      const inFlight = first.counters.total('inFlight')
      await first.shards.end()
      await field.untilFinished()
      assert.equal(requestsByUrl(field.site).size, 160)
      // Requests that began between the two reads may add to it.
      assert.ok(excessOf(field.site) <= inFlight + 10, `${excessOf(field.site)} repeated, ${inFlight} in flight`)
      assertPolite(field.site, 100)
      await assertStoredOnce(field)
      await second.shards.stop()
    }),
  )

  test(
    'a worker that takes over respects the crawl delay in robots.txt',
    withField(
      {
        ...{ hosts: 3, pages: 2, site: { robots: 'User-agent: *\nCrawl-delay: 3\n' } },
        values: { 'cluster.lease': '2s', 'crawl.delay': '50ms' },
      },
      async (field) => {
        const first = await field.startWorker('first')
        await first.seed()
        await field.answered(3)
        await first.shards.end()
        const second = await field.startWorker('second')
        await field.untilFinished()
        assertPolite(field.site, 3000)
        await assertStoredOnce(field)
        await second.shards.stop()
      },
    ),
  )

  test(
    'cut connections neither lose nor duplicate pages',
    withField({ hosts: 6, pages: 120, values: { 'cluster.lease': '10s' } }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      for (let cut = 1; cut <= 6; cut++) {
        await field.answered(cut * 80)
        const name = cut % 2 === 0 ? 'erace first shard 0' : 'erace second shard 0'
        await cutConnections(field.database.pool, name)
      }
      await field.untilFinished()
      assert.equal(requestsByUrl(field.site).size, 720)
      assert.equal(excessOf(field.site), 0)
      await assertStoredOnce(field)
      await first.shards.stop()
      await second.shards.stop()
    }),
  )

  test(
    'a draining worker hands over all partitions, and gets its share back afterwards',
    withField({ hosts: 4, pages: 10 }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await until(() => first.epochs.held().length === 128 && second.epochs.held().length === 128)
      first.shards.drain(true)
      await until(() => first.epochs.held().length === 0 && second.epochs.held().length === 256)
      await first.seed()
      await field.untilFinished()
      assert.equal(first.counters.total('fetched'), 0)
      assert.equal(second.counters.total('fetched'), 40)
      first.shards.drain(false)
      await until(() => first.epochs.held().length === 128 && second.epochs.held().length === 128)
    }),
  )

  test(
    'workers wait for a database that is down for longer than a lease',
    withField({ hosts: 6, pages: 60, values: { 'cluster.lease': '2s' } }, async (field) => {
      const server = await postgres()
      const first = await field.startWorker('first')
      await first.seed()
      await field.answered(60)
      await server.stop()
      await until(() => first.epochs.held().length === 0 && first.counters.total('paused') === 1)
      await server.start()
      await field.untilFinished()
      assert.equal(first.counters.total('paused'), 0)
      assert.equal(requestsByUrl(field.site).size, 360)
      assert.ok(excessOf(field.site) <= first.counters.total('refused') + 16)
      await assertStoredOnce(field)
    }),
  )
})
