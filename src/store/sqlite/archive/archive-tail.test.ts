import assert from 'node:assert/strict'
import { appendFileSync, closeSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { filesOf, openOne } from '../../conformance/engine.testkit.ts'
import { goneOf, pageOf } from '../../conformance/samples.testkit.ts'
import { checkDatabases } from '../folder/checks.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { createSqliteSystem, type SqliteSystem } from '../testkit/store.testkit.ts'
import { createArchiveWriter } from './archive-writer.ts'

type Row = { id: number; n: number; url: string; body: string; file: number; offset: number; length: number }

type Parts = {
  system: SqliteSystem
  host: string
  path: string
  db: Database
  /** Opens the file as a shard does, and counts the records read. */
  open(): { warnings: string[]; looks: number; length: number }
  rows(): Row[]
  file(): { state: string; length: number }
}

/** Records of these tests end with `</>`; the file's own header with `]`. */
const isWhole = (record: Uint8Array): boolean => /^(?:<[^\0]*<\/>|\[[^\0]*\])$/.test(Buffer.from(record).toString())

/** Ten pages, a copy of the third, and a page that is gone: one file, as a killed process leaves it. */
async function withFile(work: (parts: Parts) => Promise<void> | void): Promise<void> {
  const system = createSqliteSystem()
  try {
    const { documents } = await openOne(system)
    const host = system.hostOf(0, 0)
    const pages = Array.from({ length: 10 }, (_, n) => pageOf(host, `/${n}`, `body ${n} `.repeat(9)))
    await documents.record([...pages, pageOf(host, '/copy', `body 3 `.repeat(9)), goneOf(host, '/0')])
    await system.close()
    const archive = paths.archive(system.folder)
    const path = join(archive, readdirSync(archive)[0]!)
    const db = openDatabase(paths.catalog(system.folder), { migrations: catalogMigrations })
    try {
      await work({
        system,
        host,
        path,
        db,
        open() {
          const seen = { warnings: [] as string[], looks: 0, length: 0 }
          const writer = createArchiveWriter({
            db,
            folder: archive,
            shard: 0,
            maxFileBytes: 1e9,
            now: () => 0,
            fileHeader: (name) => Buffer.from(`[${name}]`),
            isWhole(record) {
              seen.looks++
              return isWhole(record)
            },
            onWarning: (text) => seen.warnings.push(text),
          })
          writer.close()
          return { ...seen, length: statSync(path).size }
        },
        rows: () =>
          db
            .prepare(
              `SELECT v.id, v.n, d.url, v.body, v.file, v.offset, v.length FROM versions v JOIN documents d ON d.id = v.document ORDER BY v.id`,
            )
            .all() as Row[],
        file: () => db.prepare('SELECT state, length FROM files').get() as { state: string; length: number },
      })
    } finally {
      db.close()
    }
  } finally {
    await system.destroy()
  }
}

function blank(path: string, from: number, to: number): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(to - from), 0, to - from, from)
  closeSync(fd)
}

const lostOf = (rows: Row[]): number[] => rows.filter(({ body }) => body === 'lost').map(({ id }) => id)

describe('archive file recovery after a crash', () => {
  test('an intact file needs only one record to be read and gives no warning', () =>
    withFile(({ open, path }) => {
      const { size } = statSync(path)
      assert.deepEqual(open(), { warnings: [], looks: 1, length: size })
    }))

  test('bytes that were written but never stored are cut off and reported', () =>
    withFile(({ open, path, rows }) => {
      const { size } = statSync(path)
      appendFileSync(path, 'half a record')
      const { warnings, length } = open()
      assert.equal(length, size)
      assert.deepEqual(warnings, [`${path}: cut off 13 bytes at the end that were written and never stored.`])
      assert.deepEqual(lostOf(rows()), [])
    }))

  test('records zeroed by a power cut are cut off, marked as lost and reported', () =>
    withFile(({ open, path, rows, file, db }) => {
      const before = rows()
      blank(path, before[8]!.offset + 20, statSync(path).size)
      const { warnings, length } = open()
      assert.equal(length, before[8]!.offset)
      assert.equal(file().length, length)
      assert.equal(file().state, 'open')
      // The page that is gone never had a body: only its header is lost.
      assert.deepEqual(lostOf(rows()), [9, 10, 11])
      assert.equal(rows()[11]!.body, 'none')
      assert.ok(
        rows()
          .slice(8)
          .every((row) => row.file === 0 && row.length === 0),
      )
      assert.equal(warnings.length, 1)
      assert.match(
        warnings[0]!,
        /^\S+: the last \d+ bytes .* 4 versions are lost \(http.*, http.*, http.*, …\); the next crawl/,
      )
      const bodies = db.prepare('SELECT version FROM bodies ORDER BY version').all() as { version: number }[]
      assert.deepEqual(
        bodies.map(({ version }) => version),
        [1, 2, 3, 4, 5, 6, 7, 8],
      )
      assert.deepEqual(open(), { warnings: [], looks: 1, length })
    }))

  test('a truncated file ends with its last whole record', () =>
    withFile(({ open, path, rows }) => {
      const before = rows()
      truncateSync(path, before[5]!.offset + 3)
      assert.equal(open().length, before[5]!.offset)
      assert.deepEqual(lostOf(rows()), [6, 7, 8, 9, 10, 11])
    }))

  test('copies of a lost body are lost with it, wherever they are in the file', () =>
    withFile(({ open, path, rows, db }) => {
      // The copy comes first in the file, as when a lost version is restored.
      const before = rows()
      const swap = db.prepare('UPDATE versions SET offset = ?, length = ? WHERE id = ?')
      swap.run(before[3]!.offset, before[3]!.length, 11)
      swap.run(before[10]!.offset, before[10]!.length, 4)
      blank(path, before[10]!.offset, statSync(path).size)
      open()
      assert.deepEqual(lostOf(rows()), [4, 11])
    }))

  test('a file without any whole record is emptied, and a new one is started', () =>
    withFile(async ({ open, path, rows, file, system, db, host }) => {
      blank(path, 0, statSync(path).size)
      const { warnings, length } = open()
      assert.match(warnings[0]!, /is empty now, and another one is begun/)
      assert.deepEqual([length, file().length, file().state], [0, 0, 'closed'])
      assert.equal(lostOf(rows()).length, 11)
      assert.deepEqual(checkDatabases(system.folder), [])
      db.exec('SELECT 1')
      const { documents, objects } = await openOne(system)
      await documents.record([pageOf(host, '/5', 'body 5 '.repeat(9))])
      assert.equal((await filesOf(objects)).length, 2)
    }))

  test('a file whose records are all damaged continues after its header', () =>
    withFile(({ open, path, rows, file }) => {
      blank(path, rows()[0]!.offset, statSync(path).size)
      const start = rows()[0]!.offset
      assert.equal(open().length, start)
      assert.deepEqual({ ...file() }, { state: 'open', length: start })
    }))

  test('a damaged record at the end that is no longer needed is not reported', () =>
    withFile(({ open, db, path }) => {
      const { size } = statSync(path)
      db.exec("UPDATE versions SET body = 'dropped', file = 0, offset = 0, length = 0 WHERE id > 10")
      blank(path, size - 5, size)
      const { warnings, length } = open()
      assert.deepEqual([warnings, length], [[], size])
    }))

  test('a lost version is filled in again when it is recorded, and keeps its number', () =>
    withFile(async ({ open, path, rows, system, host }) => {
      blank(path, rows()[9]!.offset, statSync(path).size)
      open()
      const { documents, objects } = await openOne(system)
      const [known] = await documents.find([pageOf(host, '/9', '')])
      assert.deepEqual([known?.versionId, known?.etag, known?.lastModified], [10, '', ''])
      await documents.record([pageOf(host, '/new', 'new')])
      const [outcome] = await documents.record([pageOf(host, '/9', 'body 9 '.repeat(9))])
      assert.equal(outcome?.kind, 'unchanged')
      const row = rows()[9]!
      assert.deepEqual([row.body, row.n, row.file], ['kept', 1, 1])
      assert.ok((await objects.records(1)).some(({ versionId }) => versionId === 10))
      assert.deepEqual(checkDatabases(system.folder), [])
    }))
})
