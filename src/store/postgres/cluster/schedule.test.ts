import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CheckResult } from '../../../core/check-order.ts'
import { createManualClock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import { FIRST_CRAWL } from '../../../core/request.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createLeaderLease } from '../leases/leader.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresCrawlScopes } from './crawl-scopes.ts'
import {
  countTasksUpTo,
  createPostgresAsked,
  createPostgresCheckResults,
  createScheduleStats,
  schedulerRole,
} from './schedule.ts'
import { createPostgresWatches } from './watches.ts'

usePostgres()

async function leadAs(pool: PostgresPool, holder: string): Promise<number> {
  const beat = await createLeaderLease({ pool, name: schedulerRole, holder, clock: createManualClock() }).beat()
  assert.ok(beat.kind === 'leads')
  return beat.epoch
}

const isLost = (error: unknown): boolean => isAppError(error, 'lease-lost')

describe('messages between the scheduler leader and other nodes', () => {
  test('a check requested twice is taken once, by the leader only', async () => {
    const { pool, destroy } = await createDatabase()
    const asked = createPostgresAsked(pool)
    const epoch = await leadAs(pool, 'a')
    await asked.ask([7, 8])
    await asked.ask([7])
    await asked.ask([])
    await assert.rejects(asked.take(epoch + 1), isLost)
    assert.deepEqual((await asked.take(epoch)).sort(), [7, 8])
    assert.deepEqual(await asked.take(epoch), [])
    await destroy()
  })

  // On one server, everything is read in one snapshot.
  if (process.env.ERACE_TEST_CITUS)
    test('requests queued while servers are counted one by one are found by a second read', async () => {
      const { pool, destroy } = await createDatabase()
      let looks = 0
      const late: PostgresPool = {
        ...pool,
        async query(text, values) {
          const rows = await pool.query(text, values)
          if (text.includes('FROM queue') && ++looks === 1)
            await pool.query(`INSERT INTO queue (partition, seq, host, priority, fp, watch, round, fresh_from, since, depth,
              hops, redirects, attempts, first, url, parent) VALUES (7, 1, 7, 0, 1, 4, 1, 0, 0, 0, 0, 0, 0, false, 'http://a.example/', '')`)
          return rows as never
        },
      }
      assert.deepEqual(await createPostgresCheckResults(late).queued([4]), new Map([[4, 1]]))
      assert.equal(looks, 2)
      assert.deepEqual(await createPostgresCheckResults(late).queued([4]), new Map([[4, 1]]))
      assert.equal(looks, 3)
      await destroy()
    })

  test('crawl scopes are read in order from the last version seen', async () => {
    const { pool, destroy } = await createDatabase()
    const crawlScopes = createPostgresCrawlScopes(pool)
    const epoch = await leadAs(pool, 'a')
    const crawlScopeOf = (watch: number, uri: string) => ({
      watch,
      sources: [{ uri, scope: { kind: 'host' as const } }],
    })
    await crawlScopes.put(epoch, [
      { round: 5, crawlScope: crawlScopeOf(1, 'http://one.example/') },
      { round: 5, crawlScope: crawlScopeOf(2, 'http://two.example/') },
    ])
    const first = await crawlScopes.since(0)
    assert.deepEqual(
      first.changes.map(({ watch, round }) => [watch, round]),
      [
        [1, 5],
        [2, 5],
      ],
    )
    assert.deepEqual(await crawlScopes.since(first.version), { version: first.version, changes: [] })
    // An update during a check doesn't know the round (0), and doesn't reset it.
    await crawlScopes.put(epoch, [{ round: 0, crawlScope: crawlScopeOf(1, 'http://one.example/more') }])
    await crawlScopes.forget(epoch, [2, 3])
    const { version, changes } = await crawlScopes.since(first.version)
    assert.deepEqual(changes, [
      { watch: 1, round: 5, crawlScope: crawlScopeOf(1, 'http://one.example/more') },
      { watch: 2, round: 5, crawlScope: null },
    ])
    assert.ok(version > first.version)
    await assert.rejects(
      crawlScopes.put(epoch - 1, [{ round: 9, crawlScope: crawlScopeOf(1, 'http://x.example/') }]),
      isLost,
    )
    await assert.rejects(crawlScopes.forget(epoch + 1, [1]), isLost)
    await destroy()
  })

  test('results of a check in progress are summed up until it ends or starts again', async () => {
    const { pool, destroy } = await createDatabase()
    const epoch = await leadAs(pool, 'a')
    const results = createPostgresCheckResults(pool)
    const watches = createPostgresWatches(pool, { epoch })
    const resultsOf = (watch: number, parts: Partial<CheckResult>): CheckResult => {
      return { watch, queued: -1, changed: 0, unchanged: 0, failed: 0, source: null, landed: null, ...parts }
    }
    const source = { status: 200, outcome: 'stored' }
    const crawl = FIRST_CRAWL + 3
    await results.put([
      resultsOf(1, { changed: 2, source }),
      resultsOf(2, { failed: 1, landed: 'http://b.example/\0\ud800' }),
      resultsOf(crawl, { counts: { fetched: 2, bytes: 2 ** 40 } }),
    ])
    await results.take(epoch, 1)
    await results.put([resultsOf(1, { unchanged: 3 }), resultsOf(1, { changed: 1 })])
    await results.take(epoch, 10)
    await results.put([resultsOf(crawl, {}), resultsOf(crawl, { counts: { fetched: 1, 'skipped.scope': 4 } })])
    await results.take(epoch, 10)
    assert.deepEqual(await results.progress(), [
      resultsOf(1, { queued: 0, changed: 3, unchanged: 3, source }),
      resultsOf(2, { queued: 0, failed: 1, landed: 'http://b.example/\ufffd\ufffd' }),
      resultsOf(crawl, { queued: 0, counts: { fetched: 3, bytes: 2 ** 40, 'skipped.scope': 4 } }),
    ])
    await watches.begin([{ watch: 1, round: 9 }])
    const outcome = { checkedAt: 9, outcome: 'unchanged', status: 200, changes: 0, landed: null, visited: [] }
    await watches.finish([
      { watch: 2, ...outcome },
      { watch: crawl, ...outcome },
    ])
    assert.deepEqual(await results.progress(), [])
    await destroy()
  })

  test('all nodes can read the stats of the leader, and only the leader can write them', async () => {
    const { pool, destroy } = await createDatabase()
    const stats = createScheduleStats(pool)
    const epoch = await leadAs(pool, 'a')
    assert.equal(await stats.read(), null)
    await stats.put(epoch, { watches: 3 })
    await assert.rejects(stats.put(epoch + 1, { watches: 4 }), isLost)
    assert.deepEqual(await stats.read(), { watches: 3 })
    await destroy()
  })

  test('waiting tasks are counted up to a limit, without those set aside', async () => {
    const { pool, destroy } = await createDatabase()
    assert.equal(await countTasksUpTo(pool, 10), 0)
    await pool.query(`INSERT INTO tasks (partition, id, version, document, watch, hops, round, first, made, aside_at)
      SELECT n, n, n, n, 1, 0, 1, false, true, CASE WHEN n > 5 THEN 9 ELSE 0 END FROM generate_series(1, 7) n`)
    assert.equal(await countTasksUpTo(pool, 10), 5)
    assert.equal(await countTasksUpTo(pool, 3), 3)
    await destroy()
  })
})
