import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckResult } from '../../core/check-order.ts'
import { systemClock } from '../../core/clock.ts'
import { offerOf, queueOf } from '../../store/conformance/samples.testkit.ts'
import { createPostgresCheckResults, schedulerRole } from '../../store/postgres/cluster/schedule.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { createPostgresFrontier } from '../../store/postgres/frontier/frontier.ts'
import { createLeaderLease } from '../../store/postgres/leases/leader.ts'
import { startCuttingProxy } from '../../store/postgres/testkit/cutting-proxy.testkit.ts'
import { createDatabase, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { takePartitions } from '../../store/postgres/testkit/store.testkit.ts'
import { createHostQueue } from '../frontier/host-queue.ts'
import { createPartitionLease } from '../frontier/partition-lease.ts'
import { createCrawlStats } from './crawl-stats.ts'
import { createHostFailures } from './host-failures.ts'
import { createWatches } from './results/check-results.ts'
import { createCounterMemory, openSharedCounters } from './shared-counters.ts'

usePostgres()

const host = 'dead.example'
const checkOf = (watch: number) => ({ watch, round: 100, freshFrom: 0, since: 0, first: true })

test('removes requests of a dead host and stores the reason atomically, even if the connection is cut', async () => {
  const database = await createDatabase()
  const proxy = await startCuttingProxy(database.address)
  const pool = openPool({ address: proxy.address, maxConnections: 2, name: 'worker' })
  const store = createPostgresFrontier({ pool, events: null, run: 1, maxUrlsPerHost: 100, pollEveryMs: 0 })
  await store.add(await takePartitions(database.pool, 0, 1))
  await store.offer([offerOf(host, '/', { check: checkOf(7) }), offerOf(host, '/far', { check: checkOf(8) })])
  const [request] = (await queueOf(store)).filter(({ check }) => check.watch === 7)
  const [state] = await store.hosts(1, new Set())
  const leader = createLeaderLease({ pool: database.pool, name: schedulerRole, holder: 'a', clock: systemClock })
  await leader.beat()
  const results = createPostgresCheckResults(database.pool)
  /** The results that the leader finds at the moment the requests are gone. */
  let found: CheckResult[] = []
  let tries = 0
  const hostFailures = createHostFailures({
    store: {
      ...store,
      async giveUp(hostId, resultsOf) {
        tries++
        const given = await store.giveUp(hostId, resultsOf)
        assert.deepEqual(await results.queued(null), new Map())
        found = await results.take(leader.epoch()!, 10)
        return given
      },
    },
    watches: createWatches(),
    publish: () => {},
    stats: openSharedCounters(createCounterMemory(1, null)).shard(0),
    crawlStats: createCrawlStats(),
    log: () => {},
    frontier: { drop: () => {} },
    batch: { persist: (write) => write().catch(write), againOf: () => 0 },
    onDropped: () => {},
  })
  // BEGIN, the host, the results, and COMMIT, whose answer is lost.
  proxy.cutAt(4, 'behind')
  await hostFailures.note(createHostQueue(state!, 0, createPartitionLease(0, 1, false)), 'given-up', request!, {
    code: 'connect-failed',
    status: 0,
  })
  assert.equal(proxy.wasCut(), true)
  assert.equal(tries, 2)
  const none = { queued: -1, changed: 0, unchanged: 0, landed: null, failed: 1 }
  assert.deepEqual(
    found.sort((a, b) => a.watch - b.watch),
    [
      { ...none, watch: 7, source: { status: 0, outcome: 'failed: connect-failed' } },
      { ...none, watch: 8, source: null },
    ],
  )
  await store.close()
  await pool.close()
  await proxy.close()
  await database.destroy()
})
