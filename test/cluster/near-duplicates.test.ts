import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { postgresStores } from '../../src/app/engines/postgres-stores.ts'
import { readConfig } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createKeys } from '../../src/crawl/normalize/document-keys.ts'
import { createProcessor } from '../../src/services/annotating/processor.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import type { OpenShard } from '../../src/store/conformance/engine.testkit.ts'
import { createPostgresAnnotations } from '../../src/store/postgres/annotations/annotations.ts'
import { createPostgresNearDuplicates } from '../../src/store/postgres/annotations/near-duplicates.ts'
import { openPool, type PostgresPool } from '../../src/store/postgres/connection/pool.ts'
import { usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { createPostgresSystem, type PostgresSystem } from '../../src/store/postgres/testkit/store.testkit.ts'
import { profileOf, sourceOf } from '../watch/up-run.ts'
import { watchedPage } from './stored-pages.ts'

usePostgres()

const WORKERS = 3
const ARTICLES = 5
const COPIES = 12

/** Long enough for near-duplicate detection; the last word changes at most a few bits. */
function textOf(article: number, copy: number): string {
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((word) => `${word}${article}`)
  const many = Array.from({ length: 600 }, (_, n) => words[n % words.length])
  return `java ${many.join(' ')} copy${copy}`
}

const { config } = await readConfig({ cwd: '/', env: {} })

/** A processor for the partitions of one shard, with its own connections. */
function processorOf(pool: PostgresPool, worker: number, epochs: ReadonlyMap<number, number>) {
  const epochOf = (partition: number): number | null => epochs.get(partition) ?? null
  const partitions = [...epochs.keys()].filter((partition) => partition % WORKERS === worker)
  return createProcessor({
    stores: {
      ...postgresStores(pool, [1, 2]),
      annotations: createPostgresAnnotations({ pool, partitions: () => partitions, epochOf }),
    },
    nearDuplicates: createPostgresNearDuplicates({ pool, epochOf }),
    config,
    clock: systemClock,
    keyOf: createKeys(config, [1, 2]),
    part: 0,
    parts: 1,
    events: { onSettled() {}, onRefused: () => assert.fail('refused'), onProblem: (message) => assert.fail(message) },
  })
}

async function fill(system: PostgresSystem, shards: readonly OpenShard[], watch: number): Promise<void> {
  for (let copy = 0; copy < COPIES; copy++) {
    const worker = copy % WORKERS
    const host = system.hostOf(worker, copy)
    const pages = Array.from({ length: ARTICLES }, (_, article) =>
      watchedPage(host, `/${article}`, textOf(article, copy), watch),
    )
    await shards[worker]!.documents.record(pages)
  }
}

describe('near-duplicates that several workers find at the same time', () => {
  test('are reported once to each profile, with all other URLs', async () => {
    const system = await createPostgresSystem({ shards: WORKERS })
    const { database } = system
    const pools = Array.from({ length: WORKERS }, (_, n) =>
      openPool({ address: database.address, maxConnections: 3, name: `worker ${n}` }),
    )
    try {
      const shards = await system.open(1)
      const stores = postgresStores(database.pool, [1, 2])
      const source = sourceOf('http://source.example/', { depth: 3, scope: { kind: 'pattern', source: '.' } })
      const keyed = createProfileKeys({})
      await stores.profiles.put([
        keyed(profileOf('one', 'ann@example.org', [source], { java: 4 })),
        keyed(profileOf('two', 'bob@example.org', [source], { java: 4, alpha3: 1 })),
      ])
      const [urd] = await stores.profiles.urdsOf('one')
      await fill(system, shards, urd!.watch)
      const leases = await database.pool.query<{ partition: number; epoch: number }>(
        'SELECT partition, epoch FROM leases',
      )
      const epochs = new Map(leases.map(({ partition, epoch }) => [partition, epoch]))
      const processors = pools.map((pool, n) => processorOf(pool, n, epochs))
      await Promise.all(
        processors.map(async ({ work }) => {
          while (await work(() => false));
        }),
      )
      assert.equal(await stores.annotations.countTasks(), 0)
      const made = await stores.annotations.list({ after: 0, limit: 1_000 })
      assert.deepEqual(
        made.map(({ owner, url, alsoAt }) => [owner, new URL(url).pathname, alsoAt.length]).sort(),
        ['ann@example.org', 'bob@example.org'].flatMap((owner) =>
          Array.from({ length: ARTICLES }, (_, article) => [owner, `/${article}`, COPIES - 1]),
        ),
      )
      const rows = await database.pool.query('SELECT 1 FROM stories')
      assert.equal(rows.length, ARTICLES * COPIES)
    } finally {
      for (const pool of pools) await pool.close()
      await system.destroy()
    }
  })
})
