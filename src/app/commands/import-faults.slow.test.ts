import assert from 'node:assert/strict'
import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startOrigin } from '../../../bench/origin/start.ts'
import { lastLines, startErace, startWebCrawl } from '../../../test/kit/erace.ts'
import { isAppError } from '../../core/errors.ts'
import { createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import { readSeed } from '../../store/postgres/schema/migrate.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { openCatalogForReading, openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { postgresStores } from '../engines/postgres-stores.ts'
import { importFolder } from './cluster.ts'
import { type LivedInFolder, makeLivedInFolder } from './import.testkit.ts'
import { copyOf, killAt, numberOf, quiet } from './import-process.testkit.ts'

usePostgres()

let lived: LivedInFolder

before(async () => {
  lived = await makeLivedInFolder()
})

after(() => lived?.remove())

describe('an import is rejected', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase()
  })
  after(() => database.destroy())

  test('while the folder is in use', async () => {
    const copy = copyOf(lived.folder)
    const opened = openFolder({ folder: copy, holder: 'somebody', shards: 2 })
    await assert.rejects(
      importFolder(copy, database.address, quiet()),
      (error) => isAppError(error, 'store-locked') && /somebody/.test(error.message),
    )
    await opened.close()
    rmSync(copy, { recursive: true })
  })

  test('if the folder is missing, without creating it', async () => {
    const missing = join(lived.folder, 'missing')
    await assert.rejects(importFolder(missing, database.address, quiet()), (error) =>
      isAppError(error, 'store-missing'),
    )
    assert.equal(existsSync(missing), false)
  })

  test('while a worker uses the store', async () => {
    const nodes = createPostgresNodes(database.pool)
    await nodes.heartbeat({ id: 'w-1', name: 'worker-1', role: 'worker', host: 'h', pid: 1, stats: {} })
    await assert.rejects(
      importFolder(lived.folder, database.address, quiet()),
      (error) => isAppError(error, 'store-locked') && /worker worker-1/.test(error.message),
    )
    await nodes.remove('w-1')
  })

  test('if the store is not empty', async () => {
    await database.pool.query(`INSERT INTO failures (key, count, last_at) VALUES ('x', 1, 1)`)
    await assert.rejects(
      importFolder(lived.folder, database.address, quiet()),
      (error) => isAppError(error, 'store-refused') && /not empty/.test(error.message),
    )
    await database.pool.query('DELETE FROM failures')
  })
})

describe('a killed crawl', () => {
  test('can be imported by erace migrate and finished there, with each page stored once', async () => {
    const database = await createDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'erace-move-crawl-'))
    const origin = await startOrigin({ pages: 600, hosts: 6, seed: 5, meanBytes: 3000, links: 20, latencyMs: 5 })
    try {
      const { child, ended } = startWebCrawl(origin, folder, { fetchers: 8, perHost: 2, threads: 3 })
      await origin.reached(300)
      child.kill('SIGKILL')
      await ended
      const moved = await startErace(['migrate', '--from', folder, '--to', database.address]).ended
      assert.equal(moved.exitCode, 0, lastLines(moved))
      const options = { store: database.address, delay: 0, 'allow-net': '127.0.0.0/8', 'per-host': 2, fetchers: 8 }
      const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
      const restrict = `^http://127\\.0\\.\\d+\\.\\d+:${origin.port}/`
      const crawled = await startErace([
        'crawl',
        ...origin.seeds,
        '--json',
        '--quiet',
        '--restrict',
        restrict,
        ...words,
      ]).ended
      assert.equal(crawled.exitCode, 0, lastLines(crawled))
      const { distinct, duplicates } = await origin.stats()
      assert.equal(distinct, 600)
      assert.ok(duplicates <= 12, `${duplicates} were asked for twice: more than were in flight`)
      const { countKept } = postgresStores(database.pool, await readSeed(database.pool))
      const { documents, versions } = await countKept()
      assert.deepEqual({ documents, versions }, { documents: 600, versions: 600 })
    } finally {
      await origin.close()
      rmSync(folder, { recursive: true })
      await database.destroy()
    }
  })
})

describe('faults of an import', () => {
  test('include an unreadable record, which is imported as lost', async () => {
    const database = await createDatabase()
    const copy = copyOf(lived.folder)
    try {
      const victim = damageRecord(copy)
      const report = await importFolder(copy, database.address, quiet())
      assert.equal(report.faults.length, 1)
      assert.match(report.faults[0]!, /damaged in the folder/)
      assert.ok(report.faults[0]!.includes(victim.url))
      const { versions } = postgresStores(database.pool, await readSeed(database.pool))
      const there = (await versions.versions({ after: 0, limit: 10_000 })).find(({ id }) => numberOf(id) === victim.id)
      assert.equal(there?.body, 'lost')
      assert.equal(there.record, null)
    } finally {
      rmSync(copy, { recursive: true })
      await database.destroy()
    }
  })

  test('include every difference that arises in the store after copying', async () => {
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
      const { faults } = await importFolder(lived.folder, database.address, quiet())
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

/** Corrupts a byte of a record that no other version refers to. */
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
