import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openPool } from '../../src/store/postgres/connection/pool.ts'
import { createDatabase, postgres, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { lastLines, readResult } from '../kit/erace.ts'
import { countByPath } from '../site/request-log.ts'
import { createSite } from '../site/site.ts'
import { until } from '../watch/up-run.ts'
import { type Joined, startCrawl, startWorker } from './worker-process.ts'

usePostgres({ own: true })

const HOSTS = 8
const PAGES = 15

describe('a database outage during a crawl', () => {
  test('makes all workers wait, and every page is still stored once', async () => {
    const addresses = Array.from({ length: HOSTS }, (_, n) => `127.0.8.${n + 1}`)
    const site = await createSite({ pages: PAGES, addresses, latenciesMs: new Array(HOSTS).fill(50) })
    const database = await createDatabase()
    const worker = startWorker(database.address, 'patient')
    await worker.ready<Joined>()
    const crawl = startCrawl(
      database.address,
      addresses.map((_, n) => `${site.origin(n)}/`),
    )
    await until('a part of the pages', () => site.log.length > 40)
    const server = await postgres()
    await server.stop()
    await Promise.all([worker.logs('waiting for the store'), crawl.logs('waiting for the store')])
    await server.start()
    const end = await crawl.ended
    const result = readResult(end)
    assert.equal(result?.finished, true, lastLines(end, 20))
    const pool = openPool({ address: database.address, maxConnections: 1, name: 'test' })
    const counts = await pool.query<{ documents: number; versions: number }>(
      'SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM versions) AS versions',
    )
    assert.deepEqual(counts, [{ documents: HOSTS * PAGES, versions: HOSTS * PAGES }])
    await pool.close()
    // Requests in flight may be repeated once.
    for (const host of addresses.keys())
      for (const times of countByPath(site.log, host).values()) assert.ok(times <= 2, String(times))
    assert.equal((await worker.stop()).exitCode, 0)
    await site.close()
  })
})
