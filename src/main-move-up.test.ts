import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import type { MoveHooks } from './cli/engine.ts'
import { systemClock } from './core/clock.ts'
import { isAppError } from './core/errors.ts'
import { clusterStores } from './main-cluster-stores.ts'
import {
  accountsOn,
  ann,
  bob,
  embeddedOn,
  fileDigests,
  type LivedInFolder,
  makeLivedInFolder,
  pictureOf,
} from './main-move-up.testkit.ts'
import { moveUp } from './main-move-up.ts'
import { createClusterDocuments } from './store/cluster/documents.ts'
import { createClusterEvents } from './store/cluster/events.ts'
import { createClusterFrontier } from './store/cluster/frontier.ts'
import { createPartitionLeases } from './store/cluster/leases.ts'
import { refuseWhileMoving } from './store/cluster/moving/move-mark.ts'
import { createClusterNodes } from './store/cluster/nodes.ts'
import { createDatabase, cutConnections, type TestDatabase, usePostgres } from './store/cluster/postgres.testkit.ts'
import { createClusterRuns } from './store/cluster/runs.ts'
import { readSeed } from './store/cluster/seed.ts'
import { openDatabase } from './store/embedded/database.ts'
import { openCatalogForReading, openFolder, paths } from './store/embedded/folder.ts'
import { frontierMigrations } from './store/embedded/schema-frontier.ts'
import type { FrontierCounts } from './store/frontier.ts'
import type { PartitionGrant } from './store/partition-leases.ts'

usePostgres()

const numberOf = (id: number): number => Math.floor(id / 256)
const quiet = (parts: Partial<MoveHooks> = {}): MoveHooks => ({
  onProgress: () => {},
  signal: new AbortController().signal,
  ...parts,
})

let lived: LivedInFolder
let expected: Record<string, unknown>

before(async () => {
  lived = await makeLivedInFolder()
  const stores = embeddedOn(lived.folder)
  expected = await pictureOf(stores, (id) => id)
  await stores.close()
})

after(() => lived?.remove())

async function assertMoved({ pool }: TestDatabase): Promise<void> {
  const picture = await pictureOf(clusterStores(pool, await readSeed(pool)), numberOf)
  for (const name of Object.keys(expected)) assert.deepEqual(picture[name], expected[name], name)
}

/** A copy that a test may do to what it likes. */
function copyFolder(): string {
  const copy = mkdtempSync(join(tmpdir(), 'erace-move-copy-'))
  cpSync(lived.folder, copy, { recursive: true })
  return copy
}

describe('a data folder that is moved into a shared store', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase()
  })
  after(() => database.destroy())

  test('arrives whole, is told by counts, and is left as it was', async () => {
    const files = fileDigests(lived.folder)
    const told = new Set<string>()
    const report = await moveUp(lived.folder, database.address, quiet({ onProgress: ({ what }) => told.add(what) }))
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
      'stories',
      'holds',
      'sessions',
      'tokens',
    ])
      assert.ok(there[what]! > 0, `there are ${what}`)
    assert.ok(there['further places of stories']! > 0, 'a story was met twice')
    assert.ok(report.bodiesChecked > 500 && report.bytes > 1_000_000, `${report.bodiesChecked} bodies`)
    assert.ok(told.has('versions') && told.has('checking versions'))
  })

  test('reads the same through the contracts of both engines', () => assertMoved(database))

  test('lets people in with the old password, the old session and the old token', async () => {
    const { pool } = database
    const accounts = accountsOn(clusterStores(pool, await readSeed(pool)))
    assert.equal((await accounts.ofSession(lived.secrets.session))?.account.email, ann.email)
    assert.equal((await accounts.ofToken(lived.secrets.token))?.account.email, ann.email)
    const seat = { address: '127.0.0.1', agent: 'test' }
    assert.equal((await accounts.signIn({ ...bob, ...seat })).kind, 'signed-in')
    const eve = await accounts.users.add({ email: 'eve@example.org', password: 'a third long password' })
    assert.ok(eve.id > 2, 'new numbers come behind the old ones')
  })

  test('goes on with the crawl that was cut off: its run, its queue in order, its clocks, and what it has seen', async () => {
    const { pool } = database
    const run = await createClusterRuns(pool).begin(systemClock.now())
    assert.equal(run.continued, true)
    const queued = queueOf(lived.folder)
    assert.ok(queued.size > 0)
    const { frontier, documents, close } = await openWorker(database, run.id)
    try {
      assert.deepEqual(frontier.counts(), countsOf(lived.folder))
      const hosts = await frontier.hosts(100, new Set())
      assert.deepEqual(new Set(hosts.map(({ host }) => host)), new Set(queued.keys()))
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

  test('is not moved there once more, nor is another folder', async () => {
    await assert.rejects(
      moveUp(lived.folder, database.address, quiet()),
      (error) => isAppError(error, 'store-refused') && /already/.test(error.message),
    )
    const other = mkdtempSync(join(tmpdir(), 'erace-move-other-'))
    await openFolder({ folder: other, holder: 'test', shards: 1 }).close()
    await assert.rejects(
      moveUp(other, database.address, quiet()),
      (error) => isAppError(error, 'store-refused') && /Another folder/.test(error.message),
    )
    rmSync(other, { recursive: true })
  })
})

/** URLs of each host in the order in which they are to be fetched, from the folder's own files. */
function queueOf(folder: string): Map<string, string[]> {
  const queue = new Map<string, string[]>()
  for (const shard of [0, 1]) {
    const db = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, readOnly: true })
    const sql = 'SELECT h.host, q.url FROM queue q JOIN hosts h ON h.id = q.host ORDER BY q.host, q.priority, q.seq'
    for (const { host, url } of db.prepare(sql).all() as { host: string; url: string }[])
      queue.set(host, [...(queue.get(host) ?? []), url])
    db.close()
  }
  return queue
}

/** As the shards of the folder count. */
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
  const events = createClusterEvents({ pool })
  const frontier = createClusterFrontier({ pool, events, run, maxUrlsPerHost: 100_000, lookEveryMs: 0 })
  await frontier.add(grants)
  const documents = createClusterDocuments({ pool, epochOf: (partition) => leases.epochOf(partition) ?? -1 })
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

/** A version that comes after the move is a new one, behind all that were moved. */
async function recordAnother(
  documents: ReturnType<typeof createClusterDocuments>,
  { pool }: TestDatabase,
): Promise<void> {
  const { versions } = clusterStores(pool, await readSeed(pool))
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
        hops: 0,
      },
      ...{ address: '', location: '', errand: { watch: 0, round: 0, freshFrom: 0, since: 0, first: false } },
      render: () => [Buffer.from('HTTP/1.1 404 Not Found\r\n\r\n')],
    },
  ])
  assert.ok(outcome?.kind === 'gone' && outcome.versionId > all.at(-1)!.id)
}

/** A process of its own that moves; its progress comes line by line. */
function startMove(folder: string, address: string) {
  const script = `
    const { moveUp } = await import(${JSON.stringify(new URL('./main-move-up.ts', import.meta.url).href)})
    const onProgress = ({ what, done }) => process.stdout.write(what + ' ' + done + '\\n')
    const report = await moveUp(${JSON.stringify(folder)}, ${JSON.stringify(address)}, { onProgress, signal: new AbortController().signal })
    process.stdout.write('report ' + JSON.stringify(report) + '\\n')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  return { child, lines: createInterface(child.stdout!), ended: once(child, 'exit') }
}

/** Kills it without warning when it tells of this for the nth time; false when it never did. */
async function killAt(folder: string, address: string, what: string, nth: number): Promise<boolean> {
  const { child, lines, ended } = startMove(folder, address)
  let met = 0
  for await (const line of lines) {
    if (!line.startsWith(`${what} `) || ++met < nth) continue
    child.kill('SIGKILL')
    break
  }
  const [, signal] = await ended
  return signal === 'SIGKILL'
}

describe('a move that is cut off', () => {
  test('goes on behind what is there when its process is killed again and again, to the same end', async () => {
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
      await assert.rejects(refuseWhileMoving(database.pool), (error) => isAppError(error, 'store-locked'))
      const report = await moveUp(lived.folder, database.address, quiet())
      assert.deepEqual(report.faults, [])
      await assertMoved(database)
      await refuseWhileMoving(database.pool)
    } finally {
      await database.destroy()
    }
  })

  test('ends in good order when it is told to, and says so', async () => {
    const database = await createDatabase()
    try {
      for (const stopAt of ['seen', 'documents', 'checking documents']) {
        const controller = new AbortController()
        const report = await moveUp(
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
      assert.deepEqual((await moveUp(lived.folder, database.address, quiet())).faults, [])
      await assertMoved(database)
    } finally {
      await database.destroy()
    }
  })

  test('waits when connections are cut, and writes nothing twice', async () => {
    const database = await createDatabase()
    try {
      let cuts = 0
      const cutting: Promise<void>[] = []
      const report = await moveUp(
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
      await assertMoved(database)
    } finally {
      await database.destroy()
    }
  })

  test('is refused when the folder was used since', async () => {
    const database = await createDatabase()
    const copy = copyFolder()
    try {
      assert.ok(await killAt(copy, database.address, 'documents', 1))
      await openFolder({ folder: copy, holder: 'test', shards: 2 }).close()
      await assert.rejects(
        moveUp(copy, database.address, quiet()),
        (error) => isAppError(error, 'store-refused') && /was used since/.test(error.message),
      )
    } finally {
      rmSync(copy, { recursive: true })
      await database.destroy()
    }
  })
})

describe('a move is refused', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase()
  })
  after(() => database.destroy())

  test('while the folder is in use', async () => {
    const copy = copyFolder()
    const opened = openFolder({ folder: copy, holder: 'somebody', shards: 2 })
    await assert.rejects(
      moveUp(copy, database.address, quiet()),
      (error) => isAppError(error, 'store-locked') && /somebody/.test(error.message),
    )
    await opened.close()
    rmSync(copy, { recursive: true })
  })

  test('from a folder that is not there, and without making one', async () => {
    await assert.rejects(moveUp(join(tmpdir(), 'erace-nowhere'), database.address, quiet()), (error) =>
      isAppError(error, 'store-missing'),
    )
  })

  test('while somebody works in the store', async () => {
    const nodes = createClusterNodes(database.pool)
    await nodes.heartbeat({ id: 'w-1', name: 'worker-1', role: 'worker', host: 'h', pid: 1, figures: {} })
    await assert.rejects(
      moveUp(lived.folder, database.address, quiet()),
      (error) => isAppError(error, 'store-locked') && /worker worker-1/.test(error.message),
    )
    await nodes.remove('w-1')
  })

  test('into a store that is not empty', async () => {
    await database.pool.query(`INSERT INTO failures (key, count, last_at) VALUES ('x', 1, 1)`)
    await assert.rejects(
      moveUp(lived.folder, database.address, quiet()),
      (error) => isAppError(error, 'store-refused') && /not empty/.test(error.message),
    )
    await database.pool.query('DELETE FROM failures')
  })
})

describe('a folder with damage', () => {
  test('is moved but for what can not be read, which is told', async () => {
    const database = await createDatabase()
    const copy = copyFolder()
    try {
      const victim = damageRecord(copy)
      const report = await moveUp(copy, database.address, quiet())
      assert.equal(report.faults.length, 1)
      assert.match(report.faults[0]!, /damaged in the folder/)
      assert.ok(report.faults[0]!.includes(victim.url))
      const { versions } = clusterStores(database.pool, await readSeed(database.pool))
      const there = (await versions.versions({ after: 0, limit: 10_000 })).find(({ id }) => numberOf(id) === victim.id)
      assert.equal(there?.body, 'lost')
      assert.equal(there.record, null)
    } finally {
      rmSync(copy, { recursive: true })
      await database.destroy()
    }
  })

  test('shows every difference that came into the store meanwhile', async () => {
    const database = await createDatabase()
    try {
      const { pool } = database
      await killAt(lived.folder, database.address, 'checking runs', 1)
      await pool.query(
        `UPDATE control SET value = value || '{"kind": "runs", "after": null, "rows": 0}' WHERE name = 'moving'`,
      )
      await pool.query(`UPDATE documents SET outcome = 'else' WHERE id = (SELECT min(id) FROM documents)`)
      await pool.query(`UPDATE inbox SET starred = NOT starred WHERE id = (SELECT min(id) FROM inbox)`)
      await pool.query('DELETE FROM seen WHERE (host, fp) IN (SELECT host, fp FROM seen LIMIT 1)')
      await pool.query(
        `UPDATE records SET bytes = set_byte(bytes, 100, 1 + get_byte(bytes, 100) % 200) WHERE id = (SELECT max(id) FROM records)`,
      )
      const { faults } = await moveUp(lived.folder, database.address, quiet())
      for (const what of [
        /^documents: url .* not the same/,
        /^annotations: .* not the same/,
        /^links seen: /,
        /^version \d+ of http/,
      ])
        assert.ok(
          faults.some((fault) => what.test(fault)),
          `${what} in ${JSON.stringify(faults)}`,
        )
    } finally {
      await database.destroy()
    }
  })
})

/** Turns over a byte within a record that no other version refers to. */
function damageRecord(folder: string): { id: number; url: string } {
  const db = openCatalogForReading(folder)
  const row = db
    .prepare(
      `SELECT v.id, d.url, f.name, v.offset, v.length FROM versions v JOIN documents d ON d.id = v.document JOIN files f ON f.id = v.file
       WHERE v.original = v.id AND v.body = 'kept' AND v.length > 1000 AND f.state <> 'compressed'
       AND NOT EXISTS (SELECT 1 FROM versions o WHERE o.original = v.id AND o.id <> v.id) ORDER BY v.id DESC LIMIT 1`,
    )
    .get() as { id: number; url: string; name: string; offset: number; length: number }
  db.close()
  flipByte(join(paths.archive(folder), row.name), row.offset + row.length - 100)
  return { id: row.id, url: row.url }
}

function flipByte(path: string, at: number): void {
  const fd = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  readSync(fd, byte, 0, 1, at)
  byte[0] = byte[0]! ^ 0xff
  writeSync(fd, byte, 0, 1, at)
  closeSync(fd)
}
