import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import { pageOf } from '../../conformance/samples.testkit.ts'
import { createPostgresCollection } from '../archive/collection.ts'
import { createPostgresObjects } from '../archive/objects.ts'
import { createPostgresVersions, newestVersion } from '../archive/versions.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createDatabase, cutConnections, usePostgres } from '../testkit/postgres.testkit.ts'
import { type ArchiveSystem, createArchiveSystem } from '../testkit/store.testkit.ts'

usePostgres()

function withArchive(work: (system: ArchiveSystem) => Promise<void>): () => Promise<void> {
  return async () => {
    const system = await createArchiveSystem()
    try {
      await work(system)
    } finally {
      await system.destroy()
    }
  }
}

/** Keeps others from writing to a table while `work` runs. */
async function whileLocked(pool: PostgresPool, table: string, work: () => Promise<void>): Promise<void> {
  await pool.transaction(async (tx) => {
    await tx.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
    await work()
  })
}

/** On Citus workers, the waiting connections have other names. */
const waitingElsewhere = `UNION ALL SELECT 1 FROM run_command_on_workers($sql$SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'$sql$) WHERE result <> '0'`

async function untilWaiting(pool: PostgresPool, name = 'another'): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock'
    ${process.env.ERACE_TEST_CITUS ? waitingElsewhere : ''}`
  while ((await pool.query(waiting, [name])).length === 0);
}

const pages = (host: string, count: number) =>
  Array.from({ length: count }, (_, n) =>
    pageOf(host, `/${n}`, `body ${n} of ${host}`, { links: [`http://${host}/x`] }),
  )

describe('recording in PostgreSQL', () => {
  test(
    'a worker that lost the lease is refused and writes nothing',
    withArchive(async (system) => {
      const { documents } = system.another(1)
      await system.pool.query('UPDATE leases SET epoch = 2')
      const host = system.hostOf(0)
      await assert.rejects(documents.record(pages(host, 3)), (error) => isAppError(error, 'lease-lost'))
      assert.deepEqual(await documents.counts(), { documents: 0, versions: 0, bodies: 0 })
      const successor = system.another(2)
      assert.equal((await successor.documents.record(pages(host, 3))).length, 3)
    }),
  )

  test(
    'a lease handover waits for a running write, and later writes are refused',
    withArchive(async (system) => {
      const { documents } = system.another(1)
      const host = system.hostOf(0)
      let recorded: Promise<unknown> | undefined
      let taken: Promise<unknown> | undefined
      let isTaken = false
      await whileLocked(system.pool, 'versions', async () => {
        recorded = documents.record(pages(host, 3))
        await untilWaiting(system.pool)
        const { pool } = system.another()
        const take = 'UPDATE leases SET epoch = 2 WHERE partition = $1::smallint'
        taken = pool.query(take, [partitionOf(host)]).then(() => {
          isTaken = true
        })
        const blocked = `SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'UPDATE leases%' AND wait_event_type = 'Lock'`
        while ((await system.pool.query(blocked)).length === 0);
        assert.equal(isTaken, false)
      })
      await recorded
      await taken
      assert.equal((await documents.counts()).versions, 3)
      await assert.rejects(documents.record(pages(host, 4)), (error) => isAppError(error, 'lease-lost'))
      assert.equal((await documents.counts()).versions, 3)
    }),
  )

  for (const [table, versions] of [
    ['versions', 0],
    ['documents', 0],
    // With distributed tables, bodies are registered after the commit.
    ['bodies', process.env.ERACE_TEST_CITUS ? 3 : 0],
  ] as const)
    test(
      `a connection cut while ${table} are written leaves all or nothing, and a retry adds no second version`,
      withArchive(async (system) => {
        const { documents } = system.another()
        const batch = pages(system.hostOf(0), 3)
        await whileLocked(system.pool, table, async () => {
          const recorded = assert.rejects(documents.record(batch), (error) => isAppError(error, 'store-unreachable'))
          await untilWaiting(system.pool)
          await cutConnections(system.pool, 'another')
          await recorded
        })
        assert.equal((await documents.counts()).versions, versions)
        await documents.record(batch)
        const outcomes = await documents.record(batch)
        assert.ok(outcomes.every(({ kind }) => kind === 'unchanged'))
        assert.deepEqual(await documents.counts(), { documents: 3, versions: 3, bodies: 3 })
      }),
    )

  test(
    'bodies that a killed worker did not register are registered by the next lease holder',
    withArchive(async (system) => {
      const killed = system.another()
      const host = system.hostOf(0)
      await killed.documents.record(pages(host, 3))
      // A crash before bodies are registered: with distributed tables, and formerly everywhere, this happens after the commit.
      await system.pool.query('DELETE FROM bodies')
      await system.pool.query('UPDATE leases SET epoch = 2')
      const { documents } = system.another(2)
      // None of its pages is recorded again.
      await documents.record([pageOf(host, '/new', 'new')])
      assert.deepEqual(await documents.counts(), { documents: 4, versions: 4, bodies: 4 })
      const [copy] = await documents.record([pageOf(system.hostOf(1), '/copy', `body 0 of ${host}`)])
      assert.equal(copy?.kind, 'duplicate')
    }),
  )

  test(
    'two shards record a thousand pages each at the same time with few statements',
    withArchive(async (system) => {
      const hosts = [system.hostOf(0), system.hostOf(1)]
      const shards = hosts.map(() => system.another())
      await Promise.all(
        shards.map(async ({ documents }, shard) => {
          const all = pages(hosts[shard]!, 1_000)
          for (let from = 0; from < all.length; from += 50) await documents.record(all.slice(from, from + 50))
        }),
      )
      assert.deepEqual(await shards[0]!.documents.counts(), { documents: 2_000, versions: 2_000, bodies: 2_000 })
      for (const { pool } of shards) assert.ok(pool.traffic().statements < 500)
    }),
  )

  if (!process.env.ERACE_TEST_CITUS)
    test(
      'bodies are looked up with one statement and registered in the transaction of their versions',
      withArchive(async (system) => {
        const { documents, pool } = system.another()
        const host = system.hostOf(0)
        await documents.record(pages(host, 1))
        const before = pool.traffic()
        const batch = Array.from({ length: 50 }, (_, n) => pageOf(host, `/new/${n}`, `new ${n}`))
        await documents.record(batch)
        const after = pool.traffic()
        // Look up bodies; then lease, known documents, pages, bodies.
        assert.deepEqual([after.statements - before.statements, after.transactions - before.transactions], [5, 1])
        assert.deepEqual(await documents.counts(), { documents: 51, versions: 51, bodies: 51 })
        const copies = batch.map((_, n) => pageOf(system.hostOf(1), `/${n}`, `new ${n}`))
        assert.ok((await documents.record(copies)).every(({ kind }) => kind === 'duplicate'))
      }),
    )

  test(
    'two shards storing the same bodies at the same time neither fail nor deadlock',
    withArchive(async (system) => {
      const hosts = [system.hostOf(0), system.hostOf(1)]
      const shards = hosts.map(() => system.another())
      for (let round = 0; round < 10; round++)
        await Promise.all(
          shards.map(({ documents }, shard) => {
            const batch = Array.from({ length: 30 }, (_, n) => pageOf(hosts[shard]!, `/${round}/${n}`, `${round} ${n}`))
            return documents.record(shard === 0 ? batch : batch.toReversed())
          }),
        )
      const counts = await shards[0]!.documents.counts()
      assert.deepEqual([counts.documents, counts.versions], [600, 600])
      assert.ok(counts.bodies >= 300)
    }),
  )

  test(
    'a batch of many partitions is recorded in each, and equal bodies are stored once',
    withArchive(async (system) => {
      const { documents } = system.another()
      const batch = Array.from({ length: 60 }, (_, n) => pageOf(`site${n}.example`, '/', `body ${n % 30}`))
      const outcomes = await documents.record(batch)
      assert.equal(outcomes.filter(({ kind }) => kind === 'stored').length, 30)
      assert.equal(outcomes.filter(({ kind }) => kind === 'duplicate').length, 30)
      assert.deepEqual(await documents.counts(), { documents: 60, versions: 60, bodies: 30 })
    }),
  )

  test(
    'a large body is stored in parts and read back whole',
    withArchive(async (system) => {
      const { documents, pool } = system.another()
      const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => (n * 2_654_435_761) >>> 13)).toString(
        'latin1',
      )
      const page = pageOf(system.hostOf(0), '/', noise)
      await documents.record([page])
      const [version] = await createPostgresVersions(pool).versions({ after: 0, limit: 1 })
      const read = await createPostgresObjects(pool).read(version!.record!)
      assert.deepEqual(read, page.render(null)[0])
      assert.ok((await pool.query('SELECT 1 FROM records')).length > 1)
    }),
  )

  test(
    'characters that PostgreSQL cannot store are replaced',
    withArchive(async (system) => {
      const { documents, pool } = system.another()
      const odd = 'a\0b\ud800"{}\\,\'NULL'
      await documents.record([
        pageOf(system.hostOf(0), '/', 'x', { title: odd, etag: odd, links: [`http://x/${odd}`] }),
      ])
      const [version] = await createPostgresVersions(pool).versions({ after: 0, limit: 1 })
      assert.equal(version?.title, 'a\ufffdb\ufffd"{}\\,\'NULL')
    }),
  )
})

describe('concurrent transactions', () => {
  test(
    'a version is not listed while one with a lower id may still appear',
    withArchive(async (system) => {
      const { documents, pool } = system.another()
      const versions = createPostgresVersions(pool)
      const host = system.hostOf(0)
      await documents.record([pageOf(host, '/a', 'a')])
      const [first] = await versions.versions({ after: 0, limit: 10 })
      assert.equal(await newestVersion(pool), (await newestVersion(pool)) | 0xff)
      await system.pool.transaction(async (tx) => {
        await tx.query('SELECT 1 FROM leases WHERE partition = 1 FOR KEY SHARE')
        const [late] = await tx.query<{ id: number }>(`SELECT nextval('ids') * 256 AS id`)
        await documents.record([pageOf(host, '/b', 'b')])
        assert.ok((await newestVersion(pool)) < late!.id)
        assert.deepEqual(await versions.versions({ after: 0, limit: 10 }), [first])
      })
      assert.equal((await versions.versions({ after: 0, limit: 10 })).length, 2)
    }),
  )

  test(
    'a version is listed despite a long transaction in another database',
    withArchive(async (system) => {
      const { documents, pool } = system.another()
      const neighbour = await createDatabase()
      try {
        await neighbour.pool.transaction(async (tx) => {
          await tx.query('SELECT 1 FROM leases WHERE partition = 1 FOR KEY SHARE')
          await tx.query('SELECT pg_current_xact_id()')
          await documents.record([pageOf(system.hostOf(0), '/a', 'a')])
          assert.equal((await createPostgresVersions(pool).versions({ after: 0, limit: 10 })).length, 1)
        })
      } finally {
        await neighbour.destroy()
      }
    }),
  )

  test(
    'a transaction that has already written sees an older newest version',
    withArchive(async (system) => {
      const { documents, pool } = system.another()
      await documents.record([pageOf(system.hostOf(0), '/a', 'a')])
      await pool.transaction(async (tx) => {
        await tx.query(`INSERT INTO search_facts (name, value) VALUES ('x', 1)`)
        assert.equal(await newestVersion(tx), 0)
      })
      const mark = await newestVersion(pool)
      assert.ok(mark > 0)
      await pool.transaction(async (tx) => assert.ok((await newestVersion(tx)) >= mark))
    }),
  )

  test(
    'a body whose original is removed at the same moment is stored itself',
    withArchive(async (system) => {
      const { documents, pool } = system.another()
      const objects = createPostgresObjects(pool)
      const versions = createPostgresVersions(pool)
      const collection = createPostgresCollection({
        pool: system.pool,
        objects,
        headerOf: () => '',
        textOf: async () => null,
      })
      const host = system.hostOf(0)
      const [first] = await documents.record([pageOf(host, '/a', 'same')])
      await documents.record([pageOf(host, '/a', 'other')])
      assert.ok(first?.kind === 'stored')
      let recorded: ReturnType<typeof documents.record> | undefined
      await whileLocked(system.pool, 'documents', async () => {
        recorded = documents.record([pageOf(host, '/b', 'same')])
        await untilWaiting(system.pool)
        const outcome = await collection.collect([{ versionId: first.versionId, action: 'remove' }])
        assert.deepEqual(
          outcome.map(({ kind }) => kind),
          ['done'],
        )
      })
      const [copy] = await recorded!
      assert.ok(copy !== undefined && 'versionId' in copy)
      const version = await versions.version(copy.versionId)
      assert.equal(version?.originalId, copy.versionId)
      assert.equal((await objects.read(version.record!)).toString(), `<http://${host}/b>same</>`)
      assert.equal(version.body, 'kept')
    }),
  )
})
