import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SharedSettings } from '../../contracts/cluster/runs.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresNodes } from './nodes.ts'
import { createPostgresRuns } from './runs.ts'

usePostgres()

const times = { at: 1_000, liveMs: 60_000 }
const settingsOf = (seeds: string[], maxPages: number | null = null): SharedSettings => ({ seeds, maxPages, depth: 3 })

async function withRuns(
  work: (
    place: TestDatabase & { runs: ReturnType<typeof createPostgresRuns>; live(...ids: string[]): Promise<void> },
  ) => Promise<void>,
): Promise<void> {
  const database = await createDatabase()
  const nodes = createPostgresNodes(database.pool)
  const live = async (...ids: string[]): Promise<void> => {
    for (const id of ids) await nodes.heartbeat({ id, name: id, role: 'crawl', host: 'h', pid: 1, stats: {} })
  }
  try {
    await work({ ...database, runs: createPostgresRuns(database.pool), live })
  } finally {
    await database.destroy()
  }
}

const queueOne = ({ pool }: TestDatabase, watch: number): Promise<unknown> =>
  pool.query(
    `WITH counted AS (UPDATE frontiers SET queued = queued + 1 WHERE partition = 7)
     INSERT INTO queue (partition, seq, host, priority, fp, watch, round, fresh_from, since, depth, hops, redirects, attempts,
       first, url, parent) VALUES (7, nextval('ids'), 1, 0, 1, $1, 0, 0, 0, 0, 0, 0, 0, false, 'http://a/', '')`,
    [watch],
  )

describe('runs shared by several processes', () => {
  test('a second crawl joins the first with its seeds, and a crawl on its own applies its own settings', () =>
    withRuns(async ({ runs, live }) => {
      await live('a', 'b')
      const first = await runs.join('a', settingsOf(['http://a/'], 10), times)
      assert.deepEqual([first.id, first.revision, first.continued, first.others], [1, 1, false, false])
      const second = await runs.join('b', settingsOf(['http://b/'], 99), times)
      assert.deepEqual([second.id, second.revision, second.continued, second.others], [1, 2, true, true])
      assert.deepEqual(await runs.settings(1), settingsOf(['http://a/', 'http://b/'], 10))
      assert.deepEqual(await runs.current(), { id: 1, revision: 2 })
      assert.deepEqual(await runs.pages(1), { limit: 10, taken: 0 })
      // Known seeds change nothing.
      assert.equal((await runs.join('b', settingsOf(['http://a/']), times)).revision, 2)
      for (const node of ['a', 'b']) await runs.put({ run: 1, node, stats: {}, pages: 0, final: true })
      const alone = await runs.join('c', settingsOf(['http://c/'], 5), times)
      assert.deepEqual([alone.id, alone.others, alone.revision], [1, false, 3])
      assert.deepEqual(await runs.pages(1), { limit: 5, taken: 0 })
      // The same command again is the same crawl, unless it brings more pages.
      const again = settingsOf([], 5)
      assert.equal((await runs.join('d', again, times)).revision, 4)
      const unlimited = await runs.join('d', settingsOf([]), times)
      assert.equal((await runs.join('d', settingsOf([]), times)).revision, unlimited.revision)
    }))

  test('crawls that start at the same time join one run with the seeds of all', () =>
    withRuns(async ({ runs, live }) => {
      const ids = Array.from({ length: 6 }, (_, n) => `n${n}`)
      await live(...ids)
      const joined = await Promise.all(ids.map((id) => runs.join(id, settingsOf([`http://${id}/`]), times)))
      assert.deepEqual(new Set(joined.map(({ id }) => id)), new Set([1]))
      assert.equal((await runs.settings(1))!.seeds.length, 6)
      assert.equal((await runs.current())!.revision, 6)
    }))

  test('a run is finished once nothing of it is queued and no live node is seeding', () =>
    withRuns(async ({ runs, live, ...database }) => {
      await live('a', 'b')
      await runs.join('a', settingsOf([]), times)
      await runs.join('b', settingsOf([]), times)
      assert.equal(await runs.close(1, times), false)
      await runs.setSeeding(1, 'a', false)
      assert.equal(await runs.close(1, times), false)
      await database.pool.query(`UPDATE nodes SET seen_at = now() - interval '1 hour' WHERE id = 'b'`)
      await queueOne(database, 0)
      assert.equal(await runs.close(1, times), false)
      await database.pool.query('UPDATE queue SET watch = 4')
      assert.equal(await runs.isFinished(1), false)
      assert.equal(await runs.close(1, times), true)
      assert.equal(await runs.isFinished(1), true)
      assert.equal(await runs.current(), null)
      assert.equal(await runs.close(1, times), true)
      assert.equal((await runs.join('a', settingsOf([]), times)).id, 2)
    }))

  // On one server, everything is read in one snapshot.
  if (process.env.ERACE_TEST_CITUS)
    test('a run is not finished if something is queued between two reads of all servers', () =>
      withRuns(async ({ runs, live, pool }) => {
        await live('a')
        await runs.join('a', settingsOf([]), times)
        await runs.setSeeding(1, 'a', false)
        let isBusy = true
        const watched = createPostgresRuns({
          ...pool,
          transaction: (work) =>
            pool.transaction((tx) =>
              work({
                ...tx,
                async query(text, values) {
                  const rows = await tx.query(text, values)
                  if (isBusy && text.includes('sum(seq)')) {
                    await pool.query('UPDATE frontiers SET seq = seq + 1 WHERE partition = 7')
                  }
                  return rows as never
                },
              }),
            ),
        })
        assert.equal(await watched.close(1, times), false)
        isBusy = false
        assert.equal(await watched.close(1, times), true)
      }))

  test('nodes share one page limit, and returned pages go to others', () =>
    withRuns(async ({ runs, live }) => {
      await live('a', 'b')
      await runs.join('a', settingsOf([], 100), times)
      await runs.join('b', settingsOf([]), times)
      const had = { a: 0, b: 0 }
      const takeAll = async (node: 'a' | 'b'): Promise<void> => {
        for (;;) {
          const pages = await runs.takePages(1, node, { had: had[node], atMost: 30 })
          assert.ok(pages <= 30)
          if (pages === 0) return
          had[node] += pages
        }
      }
      await Promise.all([takeAll('a'), takeAll('b')])
      assert.equal(had.a + had.b, 100)
      const shares = await runs.shares(1, 60_000)
      assert.equal(
        shares.reduce((sum, { pages }) => sum + pages, 0),
        100,
      )
      had.a -= 4
      for (const _ of ['once', 'again']) await runs.keepPages(1, 'a', had.a)
      assert.deepEqual(await runs.pages(1), { limit: 100, taken: 96 })
      await takeAll('b')
      assert.equal(had.a + had.b, 100)
      assert.equal(await runs.takePages(1, 'stranger', { had: 0, atMost: 5 }), 0)
    }))

  test('shares list the stats of each node and whether it is alive', () =>
    withRuns(async ({ runs, live, pool }) => {
      await live('a', 'b')
      await runs.join('a', settingsOf([]), times)
      await runs.put({ run: 1, node: 'b', stats: { fetched: 3 }, pages: 2, final: false })
      await runs.put({ run: 1, node: 'b', stats: { fetched: 4 }, pages: 0, final: true })
      await pool.query(`UPDATE nodes SET seen_at = now() - interval '1 hour' WHERE id = 'a'`)
      assert.deepEqual(
        (await runs.shares(1, 60_000)).sort((x, y) => (x.node < y.node ? -1 : 1)),
        [
          { node: 'a', stats: {}, pages: 0, final: false, live: false },
          { node: 'b', stats: { fetched: 4 }, pages: 0, final: true, live: true },
        ],
      )
    }))
})
