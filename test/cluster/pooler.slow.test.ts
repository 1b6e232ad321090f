import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pgbouncerSkip, startPgbouncer } from '../../src/store/postgres/testkit/pgbouncer.testkit.ts'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { lastLines, readResult } from '../kit/erace.ts'
import { createSite } from '../site/site.ts'
import { startCrawl, startInCluster, startWorker } from './worker-process.ts'

usePostgres()

describe('behind PgBouncer', { skip: pgbouncerSkip }, () => {
  for (const mode of ['transaction', 'statement'] as const)
    test(`workers and servers refuse to start with ${mode} pooling`, async () => {
      const database = await createDatabase()
      const pooler = await startPgbouncer(database.address, mode)
      const roles = [startWorker(pooler.address, 'pooled'), startInCluster(pooler.address, ['serve', '--port', '0'])]
      for (const { exitCode, stdout, stderr } of await Promise.all(roles.map(({ ended }) => ended))) {
        assert.equal(exitCode, 1)
        assert.match(stdout + stderr, /the pooler must pool by session/)
        assert.doesNotMatch(stdout + stderr, /does not answer|can't be reached/)
      }
      await pooler.end()
      await database.destroy()
    })

  test('a crawl works with session pooling', async () => {
    const site = await createSite({ pages: 10, addresses: ['127.0.8.1', '127.0.8.2'], latenciesMs: [0, 0] })
    const database = await createDatabase()
    const pooler = await startPgbouncer(database.address, 'session', { default_pool_size: '30' })
    const end = await startCrawl(pooler.address, [`${site.origin(0)}/`, `${site.origin(1)}/`]).ended
    assert.equal(readResult(end)?.finished, true, lastLines(end, 20))
    const counts = await database.pool.query('SELECT count(*) AS documents FROM documents')
    assert.deepEqual(counts, [{ documents: 20 }])
    await pooler.end()
    await database.destroy()
    await site.close()
  })
})
