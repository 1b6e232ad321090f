import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pino from 'pino'
import { startPostgresShards } from '../app/threads/postgres-shards.ts'
import { configOf } from '../config/load-config.ts'
import { systemClock } from '../core/clock.ts'
import { createRetries } from '../core/work/retries.ts'
import { settingsForWatching } from '../crawl/crawl-settings.ts'
import { createEpochMemory } from '../store/contracts/cluster/held-epochs.ts'
import { createPostgresRuns } from '../store/postgres/cluster/runs.ts'
import { readSeed } from '../store/postgres/schema/migrate.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../store/postgres/testkit/postgres.testkit.ts'
import { until } from './scheduling.testkit.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

usePostgres()

async function openWorkerPool({ address, pool }: TestDatabase): Promise<WorkerPool> {
  const config = configOf({ 'crawl.threads': 1 })
  const log = pino({ level: 'silent' })
  const retries = createRetries(systemClock)
  const shared = { address, node: 'a', name: 'a', seed: await readSeed(pool), epochs: createEpochMemory(), log }
  return createWorkerPool({
    startShards: (options) => startPostgresShards({ ...options, ...shared, retries }),
    node: 'a',
    own: await settingsForWatching('', config),
    ...{ runs: createPostgresRuns(pool), clock: systemClock, staysWith: false },
    onChanged() {},
    retries,
    onFailed(error) {
      throw error
    },
  })
}

describe('worker shard groups', { timeout: 60_000 }, () => {
  test('a group started on a draining worker takes no partitions until draining ends', async () => {
    const database = await createDatabase()
    const held = async (): Promise<number> => {
      const rows = 'SELECT count(*) AS n FROM leases WHERE epoch > 0'
      return (await database.pool.query<{ n: number }>(rows))[0]!.n
    }
    const workerPool = await openWorkerPool(database)
    try {
      const orders = { draining: true, paused: false, held: false }
      workerPool.obey(orders)
      workerPool.start()
      await until('the group is at work', () => workerPool.shardGroup() !== null)
      assert.equal(await held(), 0)
      workerPool.obey({ ...orders, draining: false })
      await until('it has all partitions', async () => (await held()) === 256)
    } finally {
      await workerPool.end()
      await database.destroy()
    }
  })
})
