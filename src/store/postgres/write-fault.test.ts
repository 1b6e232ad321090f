import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { queueOf } from '../conformance/samples.testkit.ts'
import { type Step, smallCrawl } from '../conformance/small-crawl.testkit.ts'
import { openPool } from './connection/pool.ts'
import { createPostgresDocuments } from './documents/documents.ts'
import { createPostgresFrontier } from './frontier/frontier.ts'
import { startCuttingProxy } from './testkit/cutting-proxy.testkit.ts'
import { createDatabase, type TestDatabase, usePostgres } from './testkit/postgres.testkit.ts'
import { takePartitions } from './testkit/store.testkit.ts'

usePostgres()

/** A shard that holds all partitions, behind a proxy that cuts its connections. */
async function openShard(database: TestDatabase) {
  const proxy = await startCuttingProxy(database.address)
  const pool = openPool({ address: proxy.address, maxConnections: 2, name: 'shard', manyShort: true })
  const frontier = createPostgresFrontier({ pool, events: null, run: 1, maxUrlsPerHost: 1_000, pollEveryMs: 0 })
  const grants = await takePartitions(database.pool, 0, 1)
  await frontier.add(grants)
  const epochs = new Map(grants.map(({ partition, epoch }) => [partition, epoch]))
  const documents = createPostgresDocuments({ pool, epochOf: (partition) => epochs.get(partition)! })
  return {
    ...{ proxy, frontier, documents },
    async close() {
      await frontier.close()
      await pool.close()
      await proxy.close()
    },
  }
}

/** The rows that a crawl has left, without its name. */
async function leftBy({ pool }: TestDatabase, name: string): Promise<unknown> {
  const rows = async (text: string): Promise<unknown> =>
    (await pool.query<{ found: string }>(text, [`${name}.%`])).map(({ found }) => found.replaceAll(name, 'NAME'))
  return {
    documents: await rows(
      `SELECT d.url || ' ' || count(v.id) AS found FROM documents d LEFT JOIN versions v
       ON v.partition = d.partition AND v.document = d.id WHERE d.host LIKE $1 GROUP BY d.id, d.url ORDER BY d.url`,
    ),
    versions: await rows(
      `SELECT d.url || ' ' || v.n || ' ' || v.reason || ' ' || (v.original = v.id) AS found FROM documents d JOIN versions v
       ON v.partition = d.partition AND v.document = d.id WHERE d.host LIKE $1 ORDER BY d.url, v.n`,
    ),
    bodies: await rows(
      `WITH kept AS MATERIALIZED (SELECT d.url, v.n, v.id, v.digest FROM documents d JOIN versions v
         ON v.partition = d.partition AND v.document = d.id AND v.original = v.id WHERE d.host LIKE $1),
       registered AS MATERIALIZED (SELECT digest, version FROM bodies)
       SELECT v.url || ' ' || v.n || ' ' || (b.version IS NOT NULL) AS found FROM kept v LEFT JOIN registered b
       ON b.digest = v.digest AND b.version = v.id ORDER BY v.url, v.n`,
    ),
    hosts: await rows(
      `SELECT host || ' ' || queued || ' ' || failures AS found FROM hosts WHERE host LIKE $1 ORDER BY host`,
    ),
  }
}

/** Runs each step, and repeats it once if it fails. */
async function goThrough(steps: readonly Step[]): Promise<{ answers: unknown[]; failures: number }> {
  const answers: unknown[] = []
  let failures = 0
  for (const { act } of steps) {
    try {
      answers.push(await act())
    } catch (error) {
      assert.ok(isAppError(error, 'store-unreachable') && error.retry === 'later', String(error))
      failures++
      answers.push(await act())
    }
  }
  return { answers, failures }
}

describe('failed writes on PostgreSQL', () => {
  for (const side of ['before', 'behind'] as const)
    test(`a statement cut off ${side === 'before' ? 'on its way' : 'from its answer'} can be retried, with nothing half done`, async () => {
      const database = await createDatabase()
      const shard = await openShard(database)
      try {
        const usual = smallCrawl(shard, 'usual')
        const expected = usual.map(({ answer }) => answer)
        assert.deepEqual((await goThrough(usual)).answers, expected)
        const left = await leftBy(database, 'usual')
        let failed = 0
        for (let nth = 1, reached = true; reached; nth++) {
          const name = `${side}${nth}`
          shard.proxy.cutAt(nth, side)
          failed += (await goThrough(smallCrawl(shard, name))).failures
          reached = shard.proxy.wasCut()
          assert.deepEqual(await leftBy(database, name), left, `statement ${nth}`)
          assert.equal(shard.frontier.counts().queued, (await queueOf(shard.frontier)).length)
        }
        assert.ok(failed > 20, `${failed} statements were cut off`)
      } finally {
        await shard.close()
        await database.destroy()
      }
    })
})
