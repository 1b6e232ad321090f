import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresRuns } from '../store/postgres/cluster/runs.ts'
import { openPool } from '../store/postgres/connection/pool.ts'
import { startCuttingProxy } from '../store/postgres/testkit/cutting-proxy.testkit.ts'
import { createDatabase, usePostgres } from '../store/postgres/testkit/postgres.testkit.ts'
import { createRunPages } from './shard-group.ts'

usePostgres()

/** BEGIN, the lock, the pages left, the pages held, COMMIT. */
const STATEMENTS = 5

test('pages taken and returned are counted once, wherever the connection is cut', async () => {
  const database = await createDatabase()
  const proxy = await startCuttingProxy(database.address)
  const pool = openPool({ address: proxy.address, maxConnections: 1, name: 'worker' })
  const inView = createPostgresRuns(database.pool)
  await inView.join('a', { seeds: [], maxPages: 1_000 }, { at: 1, liveMs: 60_000 })
  const pages = createRunPages({ runs: createPostgresRuns(pool), run: 1, node: 'a' })
  let mine = await pages.take(10)
  assert.equal(mine, 10)
  let cuts = 0

  async function untilDone<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch {
      return work()
    }
  }
  const isCountedOnce = async (): Promise<void> => {
    if (proxy.wasCut()) cuts++
    assert.deepEqual(await inView.pages(1), { limit: 1_000, taken: mine })
  }
  for (const side of ['before', 'behind'] as const) {
    for (let nth = 1; nth <= STATEMENTS; nth++) {
      proxy.cutAt(nth, side)
      mine += await untilDone(() => pages.take(10))
      await isCountedOnce()
      proxy.cutAt(nth, side)
      pages.putBack(3)
      mine -= 3
      await untilDone(pages.confirm)
      await isCountedOnce()
      // A node that takes no more pages after a failure still reports what it holds.
      proxy.cutAt(nth, side)
      await assert.rejects(pages.take(10))
      await pages.confirm()
      await isCountedOnce()
    }
  }
  assert.ok(cuts >= 2 * STATEMENTS + 2 * STATEMENTS)
  await pool.close()
  await proxy.close()
  await database.destroy()
})
