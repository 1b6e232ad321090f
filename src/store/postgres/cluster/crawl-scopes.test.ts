import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CrawlScope } from '../../../core/check-order.ts'
import { systemClock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import { createLeaderLease } from '../leases/leader.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresCrawlScopes } from './crawl-scopes.ts'
import { schedulerRole } from './schedule.ts'

usePostgres()

const crawlScopeOf = (watch: number): CrawlScope => ({
  watch,
  sources: [{ uri: `http://host-${watch}.example/`, scope: { kind: 'host' } }],
})

describe('crawl scopes shared with all workers', () => {
  test('each reader gets the changes since its last read in order, including removals', async () => {
    const { pool, destroy } = await createDatabase()
    try {
      const lease = createLeaderLease({ pool, name: schedulerRole, holder: 'one', clock: systemClock })
      await lease.beat()
      const epoch = lease.epoch()!
      const crawlScopes = createPostgresCrawlScopes(pool)
      assert.deepEqual(await crawlScopes.since(0), { version: 0, changes: [] })
      await crawlScopes.put(epoch, [
        { round: 5, crawlScope: crawlScopeOf(1) },
        { round: 5, crawlScope: crawlScopeOf(2) },
      ])
      const first = await crawlScopes.since(0)
      assert.deepEqual(first.changes, [
        { watch: 1, round: 5, crawlScope: crawlScopeOf(1) },
        { watch: 2, round: 5, crawlScope: crawlScopeOf(2) },
      ])
      await crawlScopes.put(epoch, [{ round: 9, crawlScope: crawlScopeOf(2) }])
      await crawlScopes.forget(epoch, [1, 7])
      const second = await crawlScopes.since(first.version)
      assert.deepEqual(second.changes, [
        { watch: 2, round: 9, crawlScope: crawlScopeOf(2) },
        { watch: 1, round: 5, crawlScope: null },
      ])
      assert.deepEqual(await crawlScopes.since(second.version), { version: second.version, changes: [] })
    } finally {
      await destroy()
    }
  })

  test('writes without the leader lease are refused', async () => {
    const { pool, destroy } = await createDatabase()
    try {
      const crawlScopes = createPostgresCrawlScopes(pool)
      const isRefused = (error: unknown): boolean => isAppError(error, 'lease-lost')
      await assert.rejects(crawlScopes.put(3, [{ round: 1, crawlScope: crawlScopeOf(1) }]), isRefused)
      await assert.rejects(crawlScopes.forget(3, [1]), isRefused)
      assert.deepEqual((await crawlScopes.since(0)).changes, [])
    } finally {
      await destroy()
    }
  })
})
