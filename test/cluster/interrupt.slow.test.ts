import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDatabase, type TestDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { type EraceProcess, lastLines, readResult } from '../kit/erace.ts'
import { newFolder } from '../site/crawl-run.ts'
import { createHandlerSite } from '../site/handler-site.ts'
import { until } from '../watch/up-run.ts'
import { startCrawl } from './worker-process.ts'

// The rows of a distributed table can't all be locked at once.
usePostgres({ plain: true })

const SEEDS = 2_500

/** Prevents all processes from queuing or completing requests until `release`. */
async function lockFrontiers({ pool }: TestDatabase) {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const lock = pool.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM frontiers FOR NO KEY UPDATE')
    locked.resolve()
    await released.promise
  })
  await locked.promise
  return {
    async release() {
      released.resolve()
      await lock
    },
  }
}

/** Interrupts a crawl that is waiting for the database. */
async function interruptWaiting({ pool }: TestDatabase, crawl: EraceProcess): Promise<void> {
  await until('a statement that waits for the lock', async () => {
    const waiting = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    )
    return waiting.length > 0
  })
  const end = await crawl.stop('SIGTERM')
  assert.equal(end.exitCode, 130, lastLines(end, 20))
  assert.equal(readResult(end)?.interrupted, true)
}

test('SIGTERM ends a crawl that waits for the database, and the next crawl fetches every seed', async (context) => {
  const site = await createHandlerSite((path, response) => {
    response.writeHead(path === '/robots.txt' ? 404 : 200).end(`<p>${path}</p>`)
  })
  const database = await createDatabase()
  let lock: Awaited<ReturnType<typeof lockFrontiers>> | null = null
  context.after(async () => {
    await lock?.release()
    await site.close()
    await database.destroy()
  })
  const list = join(newFolder(), 'seeds')
  const paths = Array.from({ length: SEEDS }, (_, n) => `/${n}`)
  writeFileSync(list, paths.map((path) => site.origin + path).join('\n'))
  const start = (): EraceProcess => startCrawl(database.address, [`@${list}`])

  lock = await lockFrontiers(database)
  await interruptWaiting(database, start())
  await lock.release()

  const crawl = start()
  await until('the first request', () => site.asked.length > 0 || !crawl.isRunning())
  lock = await lockFrontiers(database)
  await interruptWaiting(database, crawl)
  await lock.release()

  const last = readResult(await start().ended)
  assert.equal(last?.finished, true)
  assert.deepEqual([...new Set(site.asked)].sort(), [...paths, '/robots.txt'].sort())
})
