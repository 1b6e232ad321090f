import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { PartitionGrant } from '../../store/contracts/cluster/partition-leases.ts'
import type { FrontierCounts, HostClock } from '../../store/contracts/frontier.ts'
import { createPostgresEvents } from '../../store/postgres/cluster/events.ts'
import { createPostgresRuns } from '../../store/postgres/cluster/runs.ts'
import { createPostgresDocuments } from '../../store/postgres/documents/documents.ts'
import { createPostgresFrontier } from '../../store/postgres/frontier/frontier.ts'
import { refuseWhileImporting } from '../../store/postgres/import/import-progress.ts'
import { createPartitionLeases } from '../../store/postgres/leases/leases.ts'
import { readSeed } from '../../store/postgres/schema/migrate.ts'
import {
  createDatabase,
  cutConnections,
  type TestDatabase,
  usePostgres,
} from '../../store/postgres/testkit/postgres.testkit.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { frontierMigrations } from '../../store/sqlite/folder/schema-frontier.ts'
import { postgresStores } from '../engines/postgres-stores.ts'
import { importFolder } from './cluster.ts'
import {
  accountsOn,
  ann,
  bob,
  fileDigests,
  type LivedInFolder,
  makeLivedInFolder,
  pictureOf,
  sqliteOn,
} from './import.testkit.ts'
import { copyOf, killAt, numberOf, quiet } from './import-process.testkit.ts'

usePostgres()

let lived: LivedInFolder
let expected: Record<string, unknown>

before(async () => {
  lived = await makeLivedInFolder()
  const stores = sqliteOn(lived.folder)
  expected = await pictureOf(stores, (id) => id)
  await stores.close()
})

after(() => lived?.remove())

async function assertImported({ pool }: TestDatabase): Promise<void> {
  const picture = await pictureOf(postgresStores(pool, await readSeed(pool)), numberOf)
  for (const name of Object.keys(expected)) assert.deepEqual(picture[name], expected[name], name)
}

describe('importing a data folder into a shared store', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase()
  })
  after(() => database.destroy())

  test('copies everything, counts it, and leaves the folder unchanged', async () => {
    const files = fileDigests(lived.folder)
    const told = new Set<string>()
    const report = await importFolder(
      lived.folder,
      database.address,
      quiet({ onProgress: ({ what }) => told.add(what) }),
    )
    assert.deepEqual(report.faults, [])
    assert.equal(report.interrupted, false)
    assert.deepEqual(fileDigests(lived.folder), files)
    const there = Object.fromEntries(report.counts.map(({ what, there }) => [what, there]))
    for (const { what, here, there } of report.counts) assert.equal(there, here, what)
    for (const what of [
      'documents',
      'versions',
      'annotations',
      'requests queued',
      'near-duplicates',
      'deliveries in the outbox',
      'holds',
      'sessions',
      'tokens',
      'prices',
      'noise of documents',
      'undone mutings',
      'delivery channels',
      'credentials for sources',
      'messages sent or on their way',
    ])
      assert.ok(there[what]! > 0, `there are ${what}`)
    assert.ok(there['other URLs of near-duplicates']! > 0, 'a near-duplicate was found')
    assert.ok(report.bodiesChecked > 500 && report.bytes > 1_000_000, `${report.bodiesChecked} bodies`)
    assert.ok(told.has('versions') && told.has('checking versions'))
  })

  test('gives the same data through the contracts of both engines', () => assertImported(database))

  test('keeps passwords, sessions and tokens valid', async () => {
    const { pool } = database
    const accounts = accountsOn(postgresStores(pool, await readSeed(pool)))
    assert.equal((await accounts.ofSession(lived.secrets.session))?.account.email, ann.email)
    assert.equal((await accounts.ofToken(lived.secrets.token))?.account.email, ann.email)
    const seat = { address: '127.0.0.1', agent: 'test' }
    assert.equal((await accounts.signIn({ ...bob, ...seat })).kind, 'signed-in')
    const eve = await accounts.users.add({ email: 'eve@example.org', password: 'a third long password' })
    assert.ok(eve.id > 2, 'new numbers come behind the old ones')
  })

  test('continues an interrupted crawl with its run, ordered queue, clocks, counts and seen URLs', async () => {
    const { pool } = database
    const run = await createPostgresRuns(pool).begin(systemClock.now())
    assert.equal(run.continued, true)
    const queued = queueOf(lived.folder)
    assert.ok(queued.size > 0)
    const { frontier, documents, close } = await openWorker(database, run.id)
    try {
      assert.deepEqual(frontier.counts(), countsOf(lived.folder))
      const hosts = await frontier.hosts(100, new Set())
      assert.deepEqual(new Set(hosts.map(({ host }) => host)), new Set(queued.keys()))
      const clocks = hosts.map(({ host, nextAt, failures, rests }) => ({ host, nextAt, failures, rests }))
      assert.deepEqual(clocks.sort(byHost), clocksOf(lived.folder).sort(byHost))
      assert.ok(clocks.every(({ nextAt }) => nextAt > 0))
      for (const { id, host, queued: waiting } of hosts) {
        const rows = await frontier.next(id, null, 10_000)
        assert.deepEqual(
          rows.map(({ url }) => url),
          queued.get(host),
        )
        assert.equal(waiting, rows.length)
        const { seq: _, attempts: __, hostId: ___, ...offer } = rows[0]!
        assert.equal((await frontier.offer([offer])).known, 1, 'what is queued is not queued again')
        const settled = await frontier.settle({ offers: [], done: rows, again: [], hosts: [] })
        assert.equal(settled.removed, rows.length)
        const fresh = await frontier.offer([{ ...offer, url: `${offer.url}?new`, fp: offer.fp ^ 1n }])
        assert.equal(fresh.accepted, 1)
        const later = await frontier.next(id, null, 10)
        assert.equal(later[0]!.url, `${offer.url}?new`)
      }
      await recordAnother(documents, database)
    } finally {
      await close()
    }
  })

  test('rejects a second import, and an import of another folder', async () => {
    await assert.rejects(
      importFolder(lived.folder, database.address, quiet()),
      (error) => isAppError(error, 'store-refused') && /already/.test(error.message),
    )
    const other = mkdtempSync(join(tmpdir(), 'erace-move-other-'))
    await openFolder({ folder: other, holder: 'test', shards: 1 }).close()
    await assert.rejects(
      importFolder(other, database.address, quiet()),
      (error) => isAppError(error, 'store-refused') && /Another folder/.test(error.message),
    )
    rmSync(other, { recursive: true })
  })
})

/** Rows of all shards, read from the folder's own files. */
function frontierRows<Row>(folder: string, sql: string): Row[] {
  return [0, 1].flatMap((shard) => {
    const db = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, readOnly: true })
    const rows = db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }) as Row)
    db.close()
    return rows
  })
}

/** URLs of each host in fetch order. */
function queueOf(folder: string): Map<string, string[]> {
  const sql = 'SELECT h.host, q.url FROM queue q JOIN hosts h ON h.id = q.host ORDER BY q.host, q.priority, q.seq'
  const queue = new Map<string, string[]>()
  for (const { host, url } of frontierRows<{ host: string; url: string }>(folder, sql))
    queue.set(host, [...(queue.get(host) ?? []), url])
  return queue
}

type NamedClock = Omit<HostClock, 'id'> & { host: string }

const clocksOf = (folder: string): NamedClock[] =>
  frontierRows<NamedClock>(folder, 'SELECT host, next_at AS nextAt, failures, rests FROM hosts WHERE queued > 0')

const byHost = (a: NamedClock, b: NamedClock): number => (a.host < b.host ? -1 : 1)

/** The counts kept by the shards of the folder. */
function countsOf(folder: string): FrontierCounts {
  const counts = { queued: 0, seen: 0, hosts: 0, givenUp: 0 }
  for (const shard of [0, 1]) {
    const db = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, readOnly: true })
    const fact = db.prepare('SELECT value FROM facts WHERE name = ?')
    for (const name of ['queued', 'seen'] as const) counts[name] += (fact.get(name) as { value: number }).value
    counts.hosts += (db.prepare('SELECT count(*) AS n FROM hosts').get() as { n: number }).n
    db.close()
  }
  return counts
}

/** A worker that holds all partitions. */
async function openWorker({ pool }: TestDatabase, run: number) {
  const grants: PartitionGrant[] = []
  const listener = { granted: (given: readonly PartitionGrant[]) => grants.push(...given), wanted() {}, lost() {} }
  const leases = createPartitionLeases({ pool, node: 'n', name: 'n', shard: 0, clock: systemClock, listener })
  await leases.heartbeat()
  assert.equal(grants.length, 256)
  const events = createPostgresEvents({ pool })
  const frontier = createPostgresFrontier({ pool, events, run, maxUrlsPerHost: 100_000, pollEveryMs: 0 })
  await frontier.add(grants)
  const documents = createPostgresDocuments({ pool, epochOf: (partition) => leases.epochOf(partition) ?? -1 })
  return {
    frontier,
    documents,
    async close() {
      await frontier.close()
      await events.close()
      await leases.leave()
    },
  }
}

/** A version recorded after the import is a new one, after all imported ones. */
async function recordAnother(
  documents: ReturnType<typeof createPostgresDocuments>,
  { pool }: TestDatabase,
): Promise<void> {
  const { versions } = postgresStores(pool, await readSeed(pool))
  const all = await versions.versions({ after: 0, limit: 10_000 })
  const document = (await versions.documentOfId(all.at(-1)!.documentId))!
  const { host, fp, url } = document
  const [outcome] = await documents.record([
    {
      ...{
        kind: 'gone',
        host,
        fp,
        url,
        parent: '',
        at: systemClock.now(),
        run: 2,
        status: 404,
        outcome: 'failed',
        reason: '',
        hops: 0,
      },
      ...{ address: '', location: '', check: { watch: 0, round: 0, freshFrom: 0, since: 0, first: false } },
      render: () => [Buffer.from('HTTP/1.1 404 Not Found\r\n\r\n')],
    },
  ])
  assert.ok(outcome?.kind === 'gone' && outcome.versionId > all.at(-1)!.id)
}

describe('an interrupted import', () => {
  test('resumes after its process is killed repeatedly, with the same result', async () => {
    const database = await createDatabase()
    try {
      const moments: [what: string, nth: number][] = [
        ['runs', 1],
        ['watches', 1],
        ['links seen', 1],
        ['documents', 1],
        ['versions', 1],
        ['versions', 1],
        ['annotations', 1],
        ['checking hosts', 1],
        ['checking versions', 1],
      ]
      const kills: boolean[] = []
      for (const [what, nth] of moments) kills.push(await killAt(lived.folder, database.address, what, nth))
      assert.ok(kills.filter((killed) => killed).length >= 6, `kills: ${kills}`)
      await assert.rejects(refuseWhileImporting(database.pool), (error) => isAppError(error, 'store-locked'))
      const report = await importFolder(lived.folder, database.address, quiet())
      assert.deepEqual(report.faults, [])
      await assertImported(database)
      await refuseWhileImporting(database.pool)
    } finally {
      await database.destroy()
    }
  })

  test('ends cleanly on an abort signal, reports it, and can be resumed', async () => {
    const database = await createDatabase()
    try {
      for (const stopAt of ['seen', 'documents', 'checking documents']) {
        const controller = new AbortController()
        const report = await importFolder(
          lived.folder,
          database.address,
          quiet({
            signal: controller.signal,
            onProgress: ({ what }) => {
              if (what === stopAt || (stopAt === 'seen' && what === 'links seen')) controller.abort()
            },
          }),
        )
        assert.equal(report.interrupted, true, stopAt)
      }
      assert.deepEqual((await importFolder(lived.folder, database.address, quiet())).faults, [])
      await assertImported(database)
    } finally {
      await database.destroy()
    }
  })

  test('survives cut connections, and writes nothing twice', async () => {
    const database = await createDatabase()
    try {
      let cuts = 0
      const cutting: Promise<void>[] = []
      const report = await importFolder(
        lived.folder,
        database.address,
        quiet({
          onProgress: ({ what }) => {
            if (['documents', 'versions', 'checking documents'].includes(what) && cuts++ < 4)
              cutting.push(cutConnections(database.pool, 'erace migrate'))
          },
        }),
      )
      await Promise.all(cutting)
      assert.ok(cuts >= 3)
      assert.deepEqual(report.faults, [])
      await assertImported(database)
    } finally {
      await database.destroy()
    }
  })

  test('is rejected if the folder has been used since', async () => {
    const database = await createDatabase()
    const copy = copyOf(lived.folder)
    try {
      assert.ok(await killAt(copy, database.address, 'documents', 1))
      await openFolder({ folder: copy, holder: 'test', shards: 2 }).close()
      await assert.rejects(
        importFolder(copy, database.address, quiet()),
        (error) => isAppError(error, 'store-refused') && /was used since/.test(error.message),
      )
    } finally {
      rmSync(copy, { recursive: true })
      await database.destroy()
    }
  })
})
