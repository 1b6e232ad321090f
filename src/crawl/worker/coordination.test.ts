import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { FIRST_CRAWL } from '../../core/request.ts'
import { createRetries } from '../../core/work/retries.ts'
import type { CheckResultStore } from '../../store/contracts/cluster/events.ts'
import { createPostgresCheckResults } from '../../store/postgres/cluster/schedule.ts'
import { createDatabase, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { createPermanentLeases } from '../frontier/partition-lease.ts'
import { createResultSender, createStoreCalls } from './cluster-shard.ts'
import { createClusterCoordination } from './coordination.ts'
import { createWatches } from './results/check-results.ts'

usePostgres()

const crawl = FIRST_CRAWL + 1

function openChecks(results: Pick<CheckResultStore, 'put'>, isStopping = false) {
  const watches = createWatches()
  const sender = createResultSender({
    results,
    calls: createStoreCalls(createRetries(systemClock)),
    isStopping: () => isStopping,
    onFailed: (error) => assert.fail(String(error)),
  })
  const { checks } = createClusterCoordination({
    ...{ watches, leases: createPermanentLeases(), fetchers: 1, parallel: 1 },
    ...{ learn: async () => {}, sendResults: sender.send, onResults: sender.sendLate },
    pages: { take: () => true, giveBack() {} },
  })
  return { watches, checks }
}

describe('check results in a cluster', () => {
  test('are stored before their requests are done, even if sent with another batch', async () => {
    const { pool, destroy } = await createDatabase()
    const { watches, checks } = openChecks(createPostgresCheckResults(pool))
    const told: string[] = []
    let committing: Promise<unknown> = Promise.resolve()
    await pool.transaction(async (tx) => {
      await tx.query('LOCK TABLE news IN SHARE MODE')
      // A page is counted but not written yet when another batch is committed.
      watches.count(crawl, 'fetched')
      checks.publish()
      committing = checks.beforeCommit().then(() => told.push('may be done'))
      // Nothing of it was waiting for the database before this answer.
      await pool.query('SELECT 1')
      told.push('let go')
    })
    await committing
    assert.deepEqual(told, ['let go', 'may be done'])
    const rows = await pool.query<{ news: unknown }>('SELECT news FROM news')
    assert.equal(rows.length, 1)
    await destroy()
  })

  test('keep requests from being done if they cannot be stored during shutdown', async () => {
    const put = () => Promise.reject(new AppError('store-unavailable', 'away'))
    const { watches, checks } = openChecks({ put }, true)
    watches.count(crawl, 'fetched')
    checks.publish()
    for (let times = 0; times < 2; times++) await assert.rejects(checks.beforeCommit(), /away/)
  })
})
