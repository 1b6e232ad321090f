import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { WatchReach } from '../../../core/check-order.ts'
import { systemClock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import { createLeaderLease } from '../leases/leader.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { schedulerRole } from './check-results.ts'
import { createClusterReaches } from './crawl-scopes.ts'

usePostgres()

const reachOf = (watch: number): WatchReach => ({
  watch,
  sources: [{ uri: `http://host-${watch}.example/`, scope: { kind: 'host' } }],
})

describe('how far watches go, told to all workers', () => {
  test('each reader learns what is new to it, in order, and what was forgotten', async () => {
    const { pool, destroy } = await createDatabase()
    try {
      const lease = createLeaderLease({ pool, name: schedulerRole, holder: 'one', clock: systemClock })
      await lease.beat()
      const epoch = lease.epoch()!
      const reaches = createClusterReaches(pool)
      assert.deepEqual(await reaches.since(0), { version: 0, changes: [] })
      await reaches.put(epoch, [
        { round: 5, reach: reachOf(1) },
        { round: 5, reach: reachOf(2) },
      ])
      const first = await reaches.since(0)
      assert.deepEqual(first.changes, [
        { watch: 1, round: 5, reach: reachOf(1) },
        { watch: 2, round: 5, reach: reachOf(2) },
      ])
      await reaches.put(epoch, [{ round: 9, reach: reachOf(2) }])
      await reaches.forget(epoch, [1, 7])
      const second = await reaches.since(first.version)
      assert.deepEqual(second.changes, [
        { watch: 2, round: 9, reach: reachOf(2) },
        { watch: 1, round: 5, reach: null },
      ])
      assert.deepEqual(await reaches.since(second.version), { version: second.version, changes: [] })
    } finally {
      await destroy()
    }
  })

  test('whoever leads no more is refused', async () => {
    const { pool, destroy } = await createDatabase()
    try {
      const reaches = createClusterReaches(pool)
      const isRefused = (error: unknown): boolean => isAppError(error, 'lease-lost')
      await assert.rejects(reaches.put(3, [{ round: 1, reach: reachOf(1) }]), isRefused)
      await assert.rejects(reaches.forget(3, [1]), isRefused)
      assert.deepEqual((await reaches.since(0)).changes, [])
    } finally {
      await destroy()
    }
  })
})
