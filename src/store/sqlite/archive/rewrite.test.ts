import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { digestOf } from '../../../archive/warc/digest.ts'
import { isWholeRecord } from '../../../archive/warc/record-check.ts'
import { readRecords } from '../../../archive/warc/record-reader.ts'
import { responseRecord, revisitRecord, warcinfoRecord } from '../../../archive/warc/record-writer.ts'
import { isAppError } from '../../../core/errors.ts'
import { pageOf } from '../../conformance/samples.testkit.ts'
import type { Capture } from '../../contracts/documents.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { openFolder, paths } from '../folder/folder.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { openShardStore } from '../folder/shard-store.ts'
import { withFailingStatement } from '../testkit/statement-fault.testkit.ts'
import { noteLeftover } from './archive-copy.ts'
import { compressNextFile } from './compress.ts'
import { createSqliteObjects } from './objects.ts'
import { nextName, type RewriteOptions, rewriteFiles } from './rewrite.ts'

const PAGES = 24
const MAX_FILE_BYTES = 3_000

type Place = {
  folder: string
  archive: string
  db: Database
  /** Writes pages as a crawl would, and closes the folder again. */
  store(captures: readonly Capture[]): Promise<void>
}

function page(n: number, edition: number): Capture {
  const url = `http://a.example/${n}`
  const body = Buffer.from(`page ${n} edition ${edition} `.repeat(10 + n))
  const digest = createHash('sha256').update(body).digest()
  const common = { uri: url, date: 1000 * edition, address: null, rawHeaders: ['Content-Type', 'text/plain'] }
  const statusLine = 'HTTP/1.1 200 OK'
  const payloadDigest = digestOf('sha256', [body])
  const render = (original: { url: string; at: number } | null): Uint8Array[] =>
    original === null
      ? responseRecord({ ...common, statusLine, body, payloadDigest, truncated: null }).parts
      : revisitRecord({
          ...common,
          statusLine,
          payloadDigest,
          profile: 'identical-payload-digest',
          refersToUri: original.url,
          refersToDate: original.at,
        }).parts
  return pageOf('a.example', `/${n}`, '', { at: 1000 * edition, digest, size: body.length, render })
}

/** Pages in several editions over several files; only the newest edition is needed. */
async function withArchive(editions: number, work: (place: Place) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-rewrite-'))
  const store = async (captures: readonly Capture[]): Promise<void> => {
    const opened = openFolder({ folder, holder: 'test', shards: 1, lockWaitMs: 0 })
    const shard = openShardStore({
      folder,
      shard: 0,
      shards: 1,
      run: 1,
      partitions: opened.partitions,
      ports: [null],
      maxUrlsPerHost: 100,
      maxFileBytes: MAX_FILE_BYTES,
      now: () => Date.UTC(2026, 0, 1),
      fileHeader: (filename) => warcinfoRecord({ filename, software: 'eRACE/test', date: 0 }),
      isWhole: isWholeRecord,
      onWarning: (message) => assert.fail(message),
    })
    for (const capture of captures) await shard.documents.record([capture])
    await shard.close()
    await opened.close()
  }
  try {
    for (let edition = 1; edition <= editions; edition++) {
      await store(Array.from({ length: PAGES }, (_, n) => page(n, edition)))
    }
    const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
    await work({ folder, archive: paths.archive(folder), db, store })
    db.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function removeSuperseded(db: Database, condition = 'TRUE'): void {
  db.exec(`DELETE FROM versions WHERE id NOT IN (SELECT version FROM documents) AND ${condition}`)
  db.exec('DELETE FROM bodies WHERE version NOT IN (SELECT id FROM versions)')
}

function rewrite({ db, archive }: Place, parts: Partial<RewriteOptions> = {}) {
  return rewriteFiles({
    isWhole: isWholeRecord,
    db,
    archive,
    compress: false,
    whileIdle(idle) {
      idle()
      return true
    },
    signal: new AbortController().signal,
    onProgress() {},
    ...parts,
  })
}

/** The record of each version, read through the catalogue, independent of file names and compression. */
async function recordsOf({ db, archive }: Place): Promise<Map<number, string>> {
  const objects = createSqliteObjects(db, archive)
  const rows = db.prepare('SELECT id, file, offset, length FROM versions ORDER BY id').all()
  const records = new Map<number, string>()
  for (const { id, file, offset, length } of rows as { id: number; file: number; offset: number; length: number }[]) {
    const record = await objects.read({ fileId: file, offset, length })
    assert.ok(isWholeRecord(record), `version ${id}`)
    records.set(id, record.toString('latin1'))
  }
  return records
}

/** Every file in the folder is in the catalogue, and contains its header and complete records when read sequentially. */
async function assertTidy({ db, archive }: Place): Promise<number> {
  const names = (db.prepare('SELECT name FROM files').all() as { name: string }[]).map(({ name }) => name)
  assert.deepEqual(readdirSync(archive).toSorted(), names.toSorted())
  assert.deepEqual(db.prepare(`SELECT name FROM facts WHERE name LIKE 'leftover%'`).all(), [])
  let records = 0
  for (const name of names) {
    let isFirst = true
    for await (const { type, length } of readRecords(join(archive, name))) {
      assert.equal(type === 'warcinfo', isFirst)
      assert.notEqual(length, null)
      isFirst = false
      if (type !== 'warcinfo') records++
    }
  }
  return records
}

const sizeOf = (archive: string): number =>
  readdirSync(archive).reduce((sum, name) => sum + readFileSync(join(archive, name)).length, 0)

describe('rewriting archive files', () => {
  for (const state of ['plain', 'compressed', 'compressed on the way'] as const) {
    test(`mostly dead files are rewritten, empty ones removed, and live records kept unchanged (${state})`, () =>
      withArchive(3, async (place) => {
        const { db, archive } = place
        if (state === 'compressed') while (compressNextFile(db, archive, () => false));
        removeSuperseded(db)
        const [records, before] = [await recordsOf(place), sizeOf(archive)]
        const report = await rewrite(place, { compress: state !== 'plain' })
        assert.deepEqual(report.leftAlone, [])
        assert.ok(report.rewritten > 0 && report.removed > 0)
        assert.deepEqual(await recordsOf(place), records)
        assert.equal(sizeOf(archive), before - report.freedBytes)
        assert.ok((await assertTidy(place)) < 2 * PAGES)
        const again = await rewrite(place, { compress: state !== 'plain' })
        assert.deepEqual([again.rewritten, again.removed], [0, 0])
      }))
  }

  test('a file that is at most half dead is left as it is, and originals of duplicates stay readable', () =>
    withArchive(2, async (place) => {
      const { db, archive, store } = place
      await store([{ ...page(3, 1), url: 'http://a.example/copy', fp: 4711n }])
      removeSuperseded(db, 'id % 2 = 0 AND id NOT IN (SELECT original FROM versions WHERE original <> id)')
      const records = await recordsOf(place)
      const halfAlive = new Map(
        db
          .prepare(
            `SELECT name FROM files f WHERE length <= 2 * (SELECT sum(length) FROM versions WHERE file = f.id)
              AND last_version - first_version >= (SELECT count(*) FROM versions WHERE file = f.id)`,
          )
          .all()
          .map(({ name }) => [name, readFileSync(join(archive, String(name)))]),
      )
      assert.ok(halfAlive.size > 0)
      await rewrite(place)
      for (const [name, bytes] of halfAlive) assert.deepEqual(readFileSync(join(archive, String(name))), bytes)
      assert.deepEqual(await recordsOf(place), records)
      const revisit = db.prepare('SELECT original FROM versions WHERE original <> id').get() as { original: number }
      assert.match(records.get(revisit.original)!, /page 3 edition 1/)
    }))

  test('a file still open for writing is closed and rewritten only if the folder is idle', () =>
    withArchive(1, async (place) => {
      const { db, archive, store } = place
      db.exec('UPDATE documents SET version = 0; DELETE FROM versions; DELETE FROM bodies')
      const open = db.prepare(`SELECT name FROM files WHERE state = 'open'`).get() as { name: string }
      appendFileSync(join(archive, open.name), 'half a record of a process that was killed')
      const busy = await rewrite(place, { whileIdle: () => false })
      assert.ok(busy.removed > 0 && existsSync(join(archive, open.name)))
      const idle = await rewrite(place)
      assert.equal(idle.rewritten, 1, 'the last row stays, so that its id is not used again')
      assert.equal(await assertTidy(place), 0)
      await store([page(1, 9)])
      assert.equal((await recordsOf(place)).size, 1)
      const after = await rewrite(place)
      assert.equal(after.removed, 1)
      assert.equal((await recordsOf(place)).size, 1)
    }))

  test('a file with a damaged record is left alone and reported, and other files are processed', () =>
    withArchive(2, async (place) => {
      const { db, archive } = place
      removeSuperseded(db, 'id > 3')
      const { name, offset, length } = db
        .prepare('SELECT f.name, v.offset, v.length FROM versions v JOIN files f ON f.id = v.file WHERE v.id = 1')
        .get() as { name: string; offset: number; length: number }
      db.exec('DELETE FROM versions WHERE id IN (2, 3)')
      const bytes = readFileSync(join(archive, name))
      bytes[offset + length - 40]! ^= 1
      writeFileSync(join(archive, name), bytes)
      const report = await rewrite(place)
      assert.deepEqual(
        report.leftAlone.map(({ file }) => file),
        [name],
      )
      assert.match(report.leftAlone[0]!.message, /record at \d+ is damaged/)
      assert.ok(report.removed > 0)
      assert.deepEqual(readFileSync(join(archive, name)), bytes)
      db.exec('UPDATE versions SET length = -5 WHERE id = 1')
      const wrong = await rewrite(place)
      assert.match(wrong.leftAlone[0]!.message, /can't have -5 bytes/)
      rmSync(join(archive, name))
      const missing = await rewrite(place)
      assert.match(missing.leftAlone[0]!.message, /ENOENT/)
    }))

  test('a full disk loses no record and leaves no half-written file, and the next run succeeds', (t) =>
    withArchive(2, async (place) => {
      if (!existsSync('/dev/full')) return t.skip('there is no /dev/full')
      const { db, archive } = place
      removeSuperseded(db)
      const records = await recordsOf(place)
      const names = (db.prepare('SELECT name FROM files').all() as { name: string }[]).map(({ name }) => name)
      const partOf = (name: string): string => `${nextName(name, false)}.part`
      for (const name of names) symlinkSync('/dev/full', join(archive, partOf(name)))
      const report = await rewrite(place)
      assert.equal(report.rewritten, 0)
      assert.ok(report.leftAlone.length > 0 && report.leftAlone.every(({ message }) => /ENOSPC/.test(message)))
      assert.ok(report.removed > 0, 'what needs no room goes')
      assert.deepEqual(await recordsOf(place), records)
      const failed = new Set(report.leftAlone.map(({ file }) => file))
      const untried = names.filter((name) => !failed.has(name)).map(partOf)
      assert.deepEqual(
        readdirSync(archive).filter((name) => name.endsWith('.part')),
        untried.toSorted(),
      )
      for (const name of untried) rmSync(join(archive, name))
      assert.ok((await rewrite(place)).rewritten > 0)
      await assertTidy(place)
      assert.deepEqual(await recordsOf(place), records)
    }))

  test('if any statement fails, every version stays readable and the next run finishes', async () => {
    let failures = 0
    for (let nth = 1, reached = true; reached; nth += 3) {
      await withArchive(2, async (place) => {
        removeSuperseded(place.db)
        const records = await recordsOf(place)
        reached = await withFailingStatement(nth, async () => {
          try {
            const { leftAlone } = await rewrite(place)
            failures += leftAlone.length
          } catch (error) {
            assert.ok(isAppError(error, 'store-full') || /database or disk is full/.test(String(error)), String(error))
            failures++
          }
        })
        assert.deepEqual(await recordsOf(place), records, `statement ${nth}`)
        await rewrite(place)
        await assertTidy(place)
        assert.deepEqual(await recordsOf(place), records)
      })
    }
    assert.ok(failures > 10, `${failures} statements failed`)
  })

  test('files left by a killed process are removed when the folder is opened', () =>
    withArchive(1, async (place) => {
      const { db, archive, store } = place
      const names = ['erace-20260101000000-00-000077.warc', 'erace-20260101000000-00-000001.g1.warc']
      for (const name of names) {
        noteLeftover(db, name)
        writeFileSync(join(archive, name), 'left over')
      }
      const known = (db.prepare('SELECT name FROM files').get() as { name: string }).name
      noteLeftover(db, known)
      const records = await recordsOf(place)
      await store([])
      await assertTidy(place)
      assert.deepEqual(await recordsOf(place), records)
    }))

  test('the next file name has a higher generation number', () => {
    assert.equal(nextName('erace-1-00-000012.warc', false), 'erace-1-00-000012.g1.warc')
    assert.equal(nextName('erace-1-00-000012.warc', true), 'erace-1-00-000012.g1.warc.gz')
    assert.equal(nextName('erace-1-00-000012.warc.gz', true), 'erace-1-00-000012.g1.warc.gz')
    assert.equal(nextName('erace-1-00-000012.g9.warc.gz', true), 'erace-1-00-000012.g10.warc.gz')
  })
})
