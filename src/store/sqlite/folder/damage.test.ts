import assert from 'node:assert/strict'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { filesOf, openOne } from '../../conformance/engine.testkit.ts'
import { offersOf, pageOf } from '../../conformance/samples.testkit.ts'
import { createSqliteObjects } from '../archive/objects.ts'
import { createSqliteSystem, type SqliteSystem } from '../testkit/store.testkit.ts'
import { checkDatabases } from './checks.ts'
import { openDatabase } from './database.ts'
import { openCatalogForReading, paths } from './folder.ts'
import { catalogMigrations } from './schema-catalog.ts'

const PAGE_BYTES = 4096

/** A closed folder with a few hundred URLs and pages. */
async function withFilled(work: (system: SqliteSystem) => Promise<void>): Promise<void> {
  const system = createSqliteSystem({ maxFileBytes: 2_000 })
  try {
    const { frontier, documents } = await openOne(system)
    const host = system.hostOf(0, 0)
    await frontier.offer(offersOf(host, 300))
    await documents.record(Array.from({ length: 60 }, (_, n) => pageOf(host, `/${n}`, `body ${n}`.repeat(9))))
    await system.close()
    await work(system)
  } finally {
    await system.destroy()
  }
}

function flip(path: string, offset: number): void {
  const fd = openSync(path, 'r+')
  const byte = Buffer.alloc(1)
  readSync(fd, byte, 0, 1, offset)
  byte[0] = byte[0]! ^ 0xff
  writeSync(fd, byte, 0, 1, offset)
  closeSync(fd)
}

const isDamage = (path: string) => (error: unknown) => {
  assert.ok(isAppError(error, 'store-damaged'), String(error))
  assert.ok(error.message.includes(path), error.message)
  return true
}

describe('damage to the embedded store', () => {
  test('an intact folder has no faults', () =>
    withFilled(async ({ folder }) => assert.deepEqual(checkDatabases(folder), [])))

  test('a missing frontier is reported and not recreated', () =>
    withFilled(async (system) => {
      const path = paths.frontier(system.folder, 0)
      rmSync(path)
      await assert.rejects(system.open(1), isDamage(path))
      assert.equal(existsSync(path), false)
      assert.deepEqual(
        checkDatabases(system.folder).map(({ file }) => file),
        [path],
      )
    }))

  test('a missing catalogue next to a frontier is reported and not recreated', () =>
    withFilled(async (system) => {
      const path = paths.catalog(system.folder)
      rmSync(path)
      await assert.rejects(system.open(1), isDamage(path))
      assert.equal(existsSync(path), false)
      assert.throws(
        () => openCatalogForReading(system.folder),
        (error) => isAppError(error, 'store-missing'),
      )
    }))

  test('a missing archive file that is still written to is reported', () =>
    withFilled(async (system) => {
      const archive = paths.archive(system.folder)
      const path = join(archive, readdirSync(archive).sort().at(-1)!)
      rmSync(path)
      await assert.rejects(system.open(1), isDamage(path))
    }))

  test('a truncated archive file is reported, and writing continues in a new one', () =>
    withFilled(async (system) => {
      const archive = paths.archive(system.folder)
      const path = join(archive, readdirSync(archive).sort().at(-1)!)
      const fd = openSync(path, 'w')
      closeSync(fd)
      const { documents, objects } = await openOne(system)
      assert.equal(system.warnings.length, 1)
      assert.ok(system.warnings[0]!.includes(path))
      const page = pageOf(system.hostOf(0, 0), '/new', 'new')
      await documents.record([page])
      assert.equal(statSync(path).size, 0)
      const { id } = (await filesOf(objects)).at(-1)!
      assert.deepEqual(
        (await objects.records(id)).map(({ url }) => url),
        [page.url],
      )
    }))

  for (const file of ['catalog', 'frontier'] as const) {
    test(`a flipped byte at the start of any page of the ${file} is detected`, () =>
      withFilled(async ({ folder }) => {
        const path = file === 'catalog' ? paths.catalog(folder) : paths.frontier(folder, 0)
        const pages = statSync(path).size / PAGE_BYTES
        assert.ok(pages > 10)
        for (let page = 0; page < pages; page++) {
          // Page 1 begins with the file header, followed by the page proper.
          const offsets = page === 0 ? [0, 100] : [page * PAGE_BYTES]
          for (const offset of offsets) {
            flip(path, offset)
            const files = faultyFiles(folder)
            assert.ok(files.includes(path), `page ${page}: ${files.join()}`)
            flip(path, offset)
          }
        }
        assert.deepEqual(checkDatabases(folder), [])
      }))
  }

  test('impossible constants of the folder are reported, and nothing is done with them', () =>
    withFilled(async (system) => {
      const path = paths.catalog(system.folder)
      const db = openDatabase(path, { migrations: catalogMigrations })
      for (const [name, value] of [
        ['shards', '0'],
        ['shards', '1e9'],
        ['seed', `'12x4,5'`],
        ['seed', `'12'`],
      ] as const) {
        const { was } = db.prepare('SELECT value AS was FROM facts WHERE name = ?').get(name) as { was: string }
        db.exec(`UPDATE facts SET value = ${value} WHERE name = '${name}'`)
        await assert.rejects(system.open(1), isDamage(path), `${name} ${value}`)
        assert.deepEqual(faultyFiles(system.folder), [path])
        db.prepare('UPDATE facts SET value = ? WHERE name = ?').run(was, name)
      }
      db.close()
      assert.deepEqual(checkDatabases(system.folder), [])
    }))

  test('damage within the list of records is reported as such', () =>
    withFilled(async (system) => {
      const path = paths.catalog(system.folder)
      const tooLarge = openDatabase(path, { migrations: catalogMigrations })
      tooLarge.exec('UPDATE versions SET length = 9007199254740993 WHERE id = 1')
      const { rootpage } = tooLarge.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'versions'`).get() as {
        rootpage: number
      }
      tooLarge.close()
      const records = async (): Promise<unknown> => {
        const catalog = openCatalogForReading(system.folder)
        try {
          return await createSqliteObjects(catalog, paths.archive(system.folder)).records(1)
        } finally {
          catalog.close()
        }
      }
      await assert.rejects(records(), isDamage(path))
      flip(path, (rootpage - 1) * PAGE_BYTES)
      await assert.rejects(records(), isDamage(path))
    }))

  test('a file that is not a database is refused and not changed', () =>
    withFilled(async (system) => {
      for (const path of [paths.frontier(system.folder, 0), paths.catalog(system.folder)]) {
        for (let at = 0; at < 100; at++) flip(path, at)
        const before = readFileSync(path)
        await assert.rejects(system.open(1), isDamage(path))
        assert.deepEqual(readFileSync(path), before)
      }
    }))
})

/** The files reported by the check, or by the error on opening them. */
function faultyFiles(folder: string): string[] {
  try {
    return checkDatabases(folder).map(({ file }) => file)
  } catch (error) {
    assert.ok(isAppError(error, 'store-damaged'), String(error))
    return [paths.catalog(folder)].filter((path) => error.message.includes(path))
  }
}
