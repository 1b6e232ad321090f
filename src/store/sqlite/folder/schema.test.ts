import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { isAppError } from '../../../core/errors.ts'
import { createSqliteDeliveries } from '../inbox/deliveries.ts'
import { createSqliteSystem } from '../testkit/store.testkit.ts'
import type { Database, Migration } from './database.ts'
import { openDatabase } from './database.ts'
import { openCatalogForReading, openFolder, paths } from './folder.ts'
import type { OpenRace } from './open-race.testkit.ts'
import { catalogMigrations } from './schema-catalog.ts'
import { newCatalogSchema } from './schema-catalog-new.ts'
import { frontierMigrations } from './schema-frontier.ts'

/** Migrations are never edited: a folder created with the old text would lack the changes. A change is a new migration. */
const digestOf = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex')

async function withFolder(work: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-schema-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Version, tables, indexes, triggers in their order of creation, and rows. */
function contentOf(db: Database) {
  const objects = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid').all()
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name)
  return {
    version: db.prepare('PRAGMA user_version').get(),
    objects,
    rows: tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]),
  }
}

describe('schemas', () => {
  for (const [name, migrations] of Object.entries({ catalog: catalogMigrations, frontier: frontierMigrations })) {
    test(`migrations of the ${name} are numbered from 1 without gaps and never edited`, () => {
      assert.deepEqual(
        migrations.map(({ id }) => id),
        migrations.map((_, index) => index + 1),
      )
      for (const migration of migrations) assert.equal(digestOf(migration), migration.sha256, migration.name)
    })
  }

  test('a new catalogue gets at once what all migrations lead to (run npm run schema after adding one)', () =>
    withFolder((folder) => {
      const migrated = openDatabase(join(folder, 'migrated.db'), { migrations: catalogMigrations })
      const made = openDatabase(join(folder, 'new.db'), { migrations: catalogMigrations, newSchema: newCatalogSchema })
      assert.deepEqual(contentOf(made), contentOf(migrated))
      migrated.close()
      made.close()
    }))

  test('migrations are applied in order, once each, and keep existing data', () =>
    withFolder((folder) => {
      const path = join(folder, 'x.db')
      const first = { id: 1, name: 'a', sql: 'CREATE TABLE a (x); INSERT INTO a VALUES (1)' }
      const second = { id: 2, name: 'b', sql: 'ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1' }
      openDatabase(path, { migrations: [first] }).close()
      openDatabase(path, { migrations: [first] }).close()
      const db = openDatabase(path, { migrations: [first, second] })
      assert.deepEqual(
        db
          .prepare('SELECT x, y FROM a')
          .all()
          .map((row) => ({ ...row })),
        [{ x: 1, y: 2 }],
      )
      db.close()
    }))

  test('robots.txt stored as text becomes bytes, and entries that may have lost bytes are dropped', () =>
    withFolder((folder) => {
      const path = join(folder, 'x.db')
      const at = frontierMigrations.findIndex(({ name }) => name === 'robots.txt as bytes')
      const before = openDatabase(path, { migrations: frontierMigrations.slice(0, at) })
      const insert = before.prepare('INSERT INTO robots (origin, kind, text, expires_at) VALUES (?, ?, ?, 5)')
      insert.run('http://whole.example', 'rules', 'User-agent: *\nDisallow: /é\n')
      insert.run('http://none.example', 'allow-all', '')
      insert.run('http://lost.example', 'rules', 'User-agent: *\nDisallow: /caf\ufffd\n')
      insert.run('http://cut.example', 'rules', 'x'.repeat(512 * 1024))
      insert.run('http://undecoded.example', 'rules', '')
      before.close()
      const db = openDatabase(path, { migrations: frontierMigrations })
      const rows = db.prepare('SELECT origin, kind, body, expires_at FROM robots ORDER BY origin').all()
      assert.deepEqual(
        rows.map(({ origin, kind, body, expires_at }) => [origin, kind, Buffer.from(body as Uint8Array), expires_at]),
        [
          ['http://none.example', 'allow-all', Buffer.alloc(0), 5],
          ['http://whole.example', 'rules', Buffer.from('User-agent: *\nDisallow: /é\n'), 5],
        ],
      )
      db.close()
    }))

  test('waiting entries of an old outbox are kept for planning, and the others are removed', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'x.db')
      const at = catalogMigrations.findIndex(({ name }) => name.startsWith('deliveries'))
      const before = openDatabase(path, { migrations: catalogMigrations.slice(0, at) })
      const insert = before.prepare(
        'INSERT INTO outbox (annotation, channel, state, next_at, created_at) VALUES (?, ?, ?, 9, 5)',
      )
      insert.run(1, 'ops', 'waiting')
      insert.run(1, 'mail', 'sent')
      insert.run(2, 'ops', 'given-up')
      before.exec(`INSERT INTO annotations (id, owner, profile, document, version, kind, at, relevance, urgency, expires_at, backlog,
        title, format, extension, size, summary, explanation)
        VALUES (1, 'ann', 'p', 1, 1, 'new', 5, 1, 2, 0, 0, '', '', '', 0, '{}', '{}')`)
      before.exec(`INSERT INTO channels VALUES ('c', 'ann', 'webhook', 'c', '{}', 5, 'active', '', 0, 0, 0)`)
      before.close()
      const db = openDatabase(path, { migrations: catalogMigrations })
      const deliveries = createSqliteDeliveries(db)
      assert.deepEqual(await deliveries.unplanned(9), [
        { annotation: 1, channel: 'ops', owner: 'ann', profile: 'p', urgency: 2, createdAt: 5 },
      ])
      assert.deepEqual(await deliveries.lease({ now: 99, leaseMs: 1, limit: 9 }), [])
      assert.equal(await deliveries.removeBefore(6), 1)
      db.close()
    }))

  test('a migration that fails leaves the schema as it was', () =>
    withFolder((folder) => {
      const path = join(folder, 'x.db')
      const first = { id: 1, name: 'a', sql: 'CREATE TABLE a (x)' }
      const broken = { id: 2, name: 'b', sql: 'CREATE TABLE b (x); INSERT INTO nowhere VALUES (1)' }
      assert.throws(() => openDatabase(path, { migrations: [first, broken] }))
      const db = openDatabase(path, { migrations: [first] })
      assert.equal(db.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name = 'b'`).get()?.n, 0)
      db.close()
    }))

  test('threads that create the same file at the same time all succeed', () =>
    withFolder(async (folder) => {
      const first = { id: 1, name: 'a', sql: 'CREATE TABLE a (x); INSERT INTO a VALUES (1)' }
      const second = { id: 2, name: 'b', sql: 'ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1' }
      const files = Array.from({ length: 30 }, (_, n) => join(folder, `${n}.db`))
      const gate = new Int32Array(new SharedArrayBuffer(4 * files.length))
      const race: OpenRace = { paths: files, migrations: [first, second], workers: 4, gate }
      const entry = new URL('./open-race.testkit.ts', import.meta.url)
      const workers = Array.from({ length: race.workers }, () => new Worker(entry, { workerData: race }))
      const failures = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as string[]))
      assert.deepEqual(failures.flat(), [])
      const db = openDatabase(files[0]!, { migrations: [first, second] })
      assert.deepEqual({ ...db.prepare('SELECT count(*) AS rows, max(y) AS y FROM a').get() }, { rows: 1, y: 2 })
      db.close()
    }))

  for (const file of ['catalog', 'frontier'] as const) {
    test(`a ${file} written by a newer version is refused and not changed`, async () => {
      const system = createSqliteSystem()
      try {
        await system.open(1)
        await system.close()
        const path = file === 'catalog' ? paths.catalog(system.folder) : paths.frontier(system.folder, 0)
        const db = new DatabaseSync(path)
        db.exec('PRAGMA user_version = 99')
        db.close()
        const refused = (error: unknown) => isAppError(error, 'store-too-new') && error.message.includes(path)
        await assert.rejects(system.open(1), refused)
        if (file === 'catalog') assert.throws(() => openCatalogForReading(system.folder), refused)
        const after = new DatabaseSync(path)
        assert.equal(after.prepare('PRAGMA user_version').get()?.user_version, 99)
        after.close()
      } finally {
        await system.destroy()
      }
    })
  }

  test('a catalogue of the first version is migrated when read, with all its data', () =>
    withFolder((folder) => {
      const old = openDatabase(paths.catalog(folder), { migrations: catalogMigrations.slice(0, 1) })
      old.exec(`INSERT INTO documents (id, host, fp, url, parent, first_at, checked_at, run, status, outcome, version)
        VALUES (1, 'a.example', 5, 'http://a.example/', '', 10, 30, 1, 200, 'stored', 2);
        INSERT INTO versions VALUES
        (1, 1, 1, 10, 200, 'text/html', 3, x'01', '', '', '', 'One', '192.0.2.1', 1, 1, 0, 5, '/a'),
        (2, 1, 2, 20, 200, 'text/html', 3, x'02', '"e"', '', '', 'Two', '192.0.2.1', 2, 1, 5, 5, '')`)
      old.close()
      const db = openCatalogForReading(folder)
      const rows = db.prepare('SELECT n, reason, at, body, title, etag, links FROM versions ORDER BY n').all()
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [
          { n: 1, reason: 'new', at: 10, body: 'kept', title: 'One', etag: '', links: 1 },
          { n: 2, reason: 'changed', at: 20, body: 'kept', title: 'Two', etag: '"e"', links: 0 },
        ],
      )
      assert.equal(db.prepare('SELECT list FROM links WHERE id = 1').get()?.list, '/a')
      assert.equal(db.prepare('SELECT seen_at FROM documents').get()?.seen_at, 30)
      db.close()
    }))

  test('the number of shards is fixed by the first use', () =>
    withFolder(async (folder) => {
      const first = openFolder({ folder, holder: 'a', shards: 3 })
      await first.close()
      const second = openFolder({ folder, holder: 'b', shards: 8 })
      assert.deepEqual(second.facts, first.facts)
      assert.equal(second.lease.shards, 3)
      await second.close()
    }))
})
