import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { partitionOf, registrableDomain } from '../../../core/url/partition.ts'
import { offerOf, pageOf } from '../../conformance/samples.testkit.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createPostgresDocuments } from '../documents/documents.ts'
import { offerValues } from '../frontier/frontier-offers.ts'
import { frontierStatements } from '../frontier/frontier-rows.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { migrate } from './migrate.ts'
import { postgresMigrations } from './schema.ts'

usePostgres()

const step = postgresMigrations.find(({ name }) => name === 'partitions by host name')!
const domains = ['a.example', 'b.example', 'c.example', 'd.example']
const hosts = domains.flatMap((domain) => ['', 'www.', 'en.', 'de.', 'en.m.'].map((label) => `${label}${domain}`))
/** The partition of a host before the migration. */
const partitionBefore = (host: string): number => partitionOf(registrableDomain(host))

/** What the store knows about each host, without numbers that a move changes. */
async function frontierOf(pool: PostgresPool): Promise<Map<string, unknown>> {
  const known = new Map<string, unknown>()
  const rows = await pool.query<{ partition: number; id: number; host: string }>('SELECT * FROM hosts ORDER BY host')
  for (const { partition, id, host, ...facts } of rows) {
    const own = [partition, id]
    const queue = await pool.query(
      'SELECT url, parent, fp::text, depth, hops, priority, watch, round, attempts FROM queue WHERE partition = $1 AND host = $2 ORDER BY seq',
      own,
    )
    const seen = await pool.query(
      'SELECT fp::text, run, depth FROM seen WHERE partition = $1 AND host = $2 ORDER BY seen.fp',
      own,
    )
    const robots = await pool.query(
      'SELECT origin, kind, body, expires_at FROM robots WHERE partition = $1 AND origin = $2',
      [partition, `https://${host}`],
    )
    const dropped = await pool.query('SELECT rule, run, count FROM dropped_links WHERE partition = $1 AND host = $2', [
      partition,
      host,
    ])
    known.set(host, { ...facts, queue, seen, robots, dropped })
  }
  return known
}

const whereHostsAre = (pool: PostgresPool) =>
  pool.query<{ host: string; partition: number }>('SELECT host, partition FROM hosts')

describe('a database partitioned by domain', () => {
  let database: TestDatabase
  let pool: PostgresPool
  let expected: Map<string, unknown>
  let documents: { host: string; id: number }[]
  before(async () => {
    database = await createDatabase()
    pool = database.pool
    for (const [n, host] of hosts.entries()) {
      const partition = partitionBefore(host)
      const offers = Array.from({ length: n + 1 }, (_, page) => offerOf(host, `/${page}`))
      const keys = offers.map(({ fp }) => fp)
      const parcel = { partition, offers, keys, times: keys.map(() => 1) }
      await pool.query(frontierStatements.offer, offerValues(parcel, 1, 1000))
      await pool.query(`INSERT INTO robots VALUES ($1, $2, 'rules', 'x', 5)`, [partition, `https://${host}`])
      await pool.query(`INSERT INTO dropped_links VALUES ($1, $2, 'depth', 1, $3, '[]')`, [partition, host, n])
      await pool.query('UPDATE hosts SET next_at = $2, failures = 1 WHERE host = $1', [host, n])
      // Makes documents be written to the old partitions of their hosts.
      await pool.query('INSERT INTO host_places VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        partitionOf(host),
        host,
        partition,
      ])
    }
    await createPostgresDocuments({ pool, epochOf: () => 0 }).record(hosts.map((host) => pageOf(host, '/0', host)))
    documents = await pool.query('SELECT host, id FROM documents ORDER BY host')
    for (const { host, id } of documents) assert.equal(id % 256, partitionBefore(host))
    await pool.query('DROP TABLE host_places')
    await pool.query('DELETE FROM migrations WHERE id = $1', [step.id])
    expected = await frontierOf(pool)
    assert.equal(expected.size, hosts.length)
  })
  after(() => database.destroy())

  test('is not migrated while a process of the earlier version is running', async () => {
    await pool.query(`INSERT INTO holders VALUES ('old', 'worker-1', 'p', false, now() + interval '1 hour')`)
    await assert.rejects(migrate(pool), (error) => isAppError(error, 'store-locked') && /worker-1/.test(error.message))
    await pool.query('DELETE FROM holders')
    for (const { host, partition } of await whereHostsAre(pool)) assert.equal(partition, partitionBefore(host))
  })

  test('keeps each host in one place if the migration is killed, and the migration stays pending', async () => {
    const modules = ['../connection/pool.ts', './migrate.ts'].map((name) =>
      JSON.stringify(new URL(name, import.meta.url)),
    )
    const script = `
      import pg from 'pg'
      import { openPool } from ${modules[0]}
      import { migrate } from ${modules[1]}
      const query = pg.Client.prototype.query
      let commits = 0
      pg.Client.prototype.query = function (...args) {
        if (args[0] === 'COMMIT' && ++commits === 6) process.kill(process.pid, 'SIGKILL')
        return query.apply(this, args)
      }
      await migrate(openPool({ address: process.argv[1], maxConnections: 1, name: 'killed' }))`
    const args = ['--input-type=module', '-e', script, database.address]
    const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: import.meta.dirname })
    assert.equal(signal, 'SIGKILL', stderr)
    const places = await whereHostsAre(pool)
    const moved = places.filter(({ host, partition }) => partition !== partitionBefore(host))
    assert.ok(moved.length > 0 && moved.length < places.length, `${moved.length} of ${places.length}`)
    assert.deepEqual(await frontierOf(pool), expected)
    assert.deepEqual(await pool.query('SELECT 1 FROM migrations WHERE id = $1', [step.id]), [])
  })

  test('resumes the migration and moves hosts with all their data', async () => {
    assert.deepEqual(await migrate(pool), [step.id])
    for (const { host, partition } of await whereHostsAre(pool)) assert.equal(partition, partitionOf(host), host)
    assert.deepEqual(await frontierOf(pool), expected)
    const wrong = await pool.query(
      `SELECT * FROM frontiers f WHERE f.queued <> (SELECT count(*) FROM queue q WHERE q.partition = f.partition)
         OR f.seen <> (SELECT count(*) FROM seen s WHERE s.partition = f.partition)
         OR f.hosts <> (SELECT count(*) FROM hosts h WHERE h.partition = f.partition)
         OR f.waiting <> (SELECT count(*) FROM hosts h WHERE h.partition = f.partition AND h.queued > 0)
         OR f.seq < (SELECT coalesce(max(seq), 0) FROM queue q WHERE q.partition = f.partition)
         OR f.last_host < (SELECT coalesce(max(id / 256), 0) FROM hosts h WHERE h.partition = f.partition)`,
    )
    assert.deepEqual(wrong, [])
    const strays = await pool.query('SELECT 1 FROM queue q WHERE host % 256 <> partition')
    assert.deepEqual(strays, [])
  })

  test('keeps document ids, and stores later documents of the same hosts beside them', async () => {
    const store = createPostgresDocuments({ pool, epochOf: () => 0 })
    const found = await store.find(hosts.map((host) => ({ host, fp: pageOf(host, '/0', host).fp })))
    assert.ok(found.every((known) => known !== null && known.versionId > 0))
    const outcomes = await store.record(hosts.map((host) => pageOf(host, '/0', host)))
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['unchanged']))
    await store.record([pageOf('www.a.example', '/later', 'later'), pageOf('new.a.example', '/0', 'new')])
    const rows = await pool.query<{ host: string; id: number }>('SELECT host, id FROM documents ORDER BY host')
    for (const { host, id } of documents) assert.ok(rows.some((row) => row.host === host && row.id === id))
    const ids = (host: string): number[] => rows.filter((row) => row.host === host).map(({ id }) => id % 256)
    assert.deepEqual(ids('www.a.example'), [partitionBefore('a.example'), partitionBefore('a.example')])
    assert.deepEqual(ids('new.a.example'), [partitionOf('new.a.example')])
  })

  test('writes documents under the lease of their host, wherever they are stored', async () => {
    const host = hosts.find((each) => partitionOf(each) !== partitionBefore(each))!
    const write = (held: number): Promise<unknown> =>
      createPostgresDocuments({ pool, epochOf: (partition) => (partition === held ? 0 : -1) }).record([
        pageOf(host, '/x', host),
      ])
    await assert.rejects(write(partitionBefore(host)), (error) => isAppError(error, 'lease-lost'))
    await write(partitionOf(host))
  })
})
