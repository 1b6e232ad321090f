import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { isAppError } from '../../../core/errors.ts'
import { filesOf, type OpenShard, openOne } from '../../conformance/engine.testkit.ts'
import { recordsOf, textsOf } from '../../conformance/objects-suite.testkit.ts'
import { pageOf, recordText } from '../../conformance/samples.testkit.ts'
import { createSqliteCollection } from '../documents/collection.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { createSqliteSystem, type SqliteSystem } from '../testkit/store.testkit.ts'
import { compressNextFile } from './compress.ts'

const MAX_FILE_BYTES = 600

type Place = {
  system: SqliteSystem
  shard: OpenShard
  archive: string
  expected: Map<string, string>
  catalog: Database
}

/** Some records over several files, the last of them open. */
async function withArchive(work: (place: Place) => Promise<void>): Promise<void> {
  const system = createSqliteSystem({ maxFileBytes: MAX_FILE_BYTES })
  try {
    const shard = await openOne(system)
    const host = system.hostOf(0, 0)
    const expected = new Map<string, string>()
    for (let n = 0; n < 12; n++) {
      const body = `${n} `.repeat(50 + n)
      expected.set(`http://${host}/${n}`, recordText(`http://${host}/${n}`, body))
      await shard.documents.record([pageOf(host, `/${n}`, body)])
    }
    const catalog = openDatabase(paths.catalog(system.folder), { migrations: catalogMigrations, mustExist: true })
    await work({ system, shard, archive: paths.archive(system.folder), expected, catalog })
    catalog.close()
  } finally {
    await system.destroy()
  }
}

const never = (): boolean => false

function compressAll({ catalog, archive }: Place): number {
  let files = 0
  while (compressNextFile(catalog, archive, never)) files++
  return files
}

describe('archive files', () => {
  test('a file is closed before it exceeds the size limit, and each begins with its header', () =>
    withArchive(async ({ shard, system, archive }) => {
      const files = await filesOf(shard.objects)
      assert.ok(files.length > 2)
      assert.deepEqual(
        files.map(({ state }) => state),
        files.map((_, n) => (n === files.length - 1 ? 'open' : 'closed')),
      )
      assert.deepEqual(
        system.closedFiles,
        files.slice(0, -1).map(({ id }) => id),
      )
      for (const { name, path, length } of files) {
        assert.equal(path, join(archive, name))
        assert.equal(statSync(path).size, length)
        assert.ok(length <= MAX_FILE_BYTES)
        assert.ok(readFileSync(path, 'utf8').startsWith(`[${name}]<`))
        assert.match(name, /^erace-20260101000000-00-\d{6}\.warc$/)
      }
    }))

  test('a record larger than the limit gets a separate file', () =>
    withArchive(async ({ shard, system }) => {
      const before = (await filesOf(shard.objects)).length
      const large = pageOf(system.hostOf(0, 1), '/large', 'x'.repeat(5 * MAX_FILE_BYTES))
      await shard.documents.record([large, pageOf(system.hostOf(0, 1), '/small', 'y')])
      const files = await filesOf(shard.objects)
      assert.equal(files.length, before + 2)
      assert.deepEqual(
        (await shard.objects.records(files.at(-2)!.id)).map(({ url }) => url),
        [large.url],
      )
    }))

  test('bytes after the last valid record are cut off when the folder is opened', () =>
    withArchive(async ({ shard, system, expected }) => {
      const { path, length } = (await filesOf(shard.objects)).at(-1)!
      await system.kill()
      appendFileSync(path, 'half a record of a process that was killed')
      const again = await openOne(system)
      assert.equal(statSync(path).size, length)
      assert.deepEqual(await textsOf(again.objects), expected)
    }))

  test('unreferenced archive files are removed when the folder is opened, other files are kept', () =>
    withArchive(async ({ system, archive, expected }) => {
      await system.kill()
      writeFileSync(join(archive, 'erace-20260101000000-00-999999.warc'), 'begun and never counted')
      writeFileSync(join(archive, 'notes.txt'), 'put here by somebody')
      const again = await openOne(system)
      assert.equal(existsSync(join(archive, 'erace-20260101000000-00-999999.warc')), false)
      assert.equal(existsSync(join(archive, 'notes.txt')), true)
      assert.deepEqual(await textsOf(again.objects), expected)
    }))

  test('an unreadable record fails with a typed error', () =>
    withArchive(async ({ shard }) => {
      const [record] = await recordsOf(shard.objects)
      const codeOf = (code: 'record-damaged' | 'store-damaged') => (error: unknown) => isAppError(error, code)
      await assert.rejects(shard.objects.read({ ...record!, offset: 10_000_000 }), codeOf('record-damaged'))
      await assert.rejects(shard.objects.read({ ...record!, fileId: 4711 }), codeOf('store-damaged'))
    }))
})

describe('compression of archive files', () => {
  test('every record stays the same, and the files are standard gzip', () =>
    withArchive(async (place) => {
      const { shard, archive, expected } = place
      assert.deepEqual(await textsOf(shard.objects), expected)
      const closed = (await filesOf(shard.objects)).length - 1
      const plain = new Map(readdirSync(archive).map((name) => [name, readFileSync(join(archive, name))]))
      assert.equal(compressAll(place), closed)
      assert.deepEqual(await textsOf(shard.objects), expected)
      for (const { state, name, path, length } of (await filesOf(shard.objects)).slice(0, -1)) {
        assert.equal(state, 'compressed')
        assert.equal(statSync(path).size, length)
        assert.deepEqual(gunzipSync(readFileSync(path)), plain.get(name.replace(/\.gz$/, '')))
        assert.equal(existsSync(path.replace(/\.gz$/, '')), false)
      }
      assert.equal(readdirSync(archive).length, closed + 1)
    }))

  test('a damaged compressed record fails with a typed error, and the collector passes it over', () =>
    withArchive(async (place) => {
      const { shard, catalog: db } = place
      compressAll(place)
      const [damaged, whole] = await recordsOf(shard.objects)
      const [file] = await filesOf(shard.objects)
      const bytes = readFileSync(file!.path)
      bytes.fill(0xff, damaged!.offset + 10, damaged!.offset + damaged!.length)
      writeFileSync(file!.path, bytes)
      await assert.rejects(shard.objects.read(damaged!), (error) => isAppError(error, 'record-damaged'))
      const { objects } = shard
      const collection = createSqliteCollection({ db, objects, headerOf: () => '', textOf: async () => null })
      const ids = [damaged!.versionId, whole!.versionId]
      await collection.markUnwanted(ids)
      assert.deepEqual(
        (await collection.collect(ids.map((versionId) => ({ versionId, action: 'drop' })))).map(({ kind }) => kind),
        ['kept', 'done'],
      )
    }))

  test('duplicates are detected and writing continues after compression', () =>
    withArchive(async (place) => {
      const { shard, system } = place
      compressAll(place)
      const host = system.hostOf(0, 0)
      const [outcome] = await shard.documents.record([pageOf(host, '/copy', '0 '.repeat(50))])
      assert.equal(outcome?.kind, 'duplicate')
      assert.equal(outcome.of, `http://${host}/0`)
      assert.equal((await textsOf(shard.objects)).size, 13)
    }))

  test('a cancelled compression leaves no trace', () =>
    withArchive(async ({ shard, catalog, archive, expected }) => {
      const before = readdirSync(archive)
      let records = 0
      assert.equal(
        compressNextFile(catalog, archive, () => ++records > 1),
        false,
      )
      assert.deepEqual(readdirSync(archive), before)
      assert.deepEqual(await textsOf(shard.objects), expected)
    }))

  /** What a process killed at each step of compressing the first file leaves behind. */
  const steps: Record<string, (place: Place) => Promise<void> | void> = {
    'while it wrote the new file': ({ archive }) => {
      writeFileSync(join(archive, `${readdirSync(archive).sort()[0]!}.gz.part`), 'half a file')
    },
    'before the pointers were moved': ({ archive }) => {
      writeFileSync(join(archive, `${readdirSync(archive).sort()[0]!}.gz`), 'a whole file that nothing points at')
    },
    'before the plain file was removed': async (place) => {
      const { archive, catalog } = place
      const name = join(archive, readdirSync(archive).sort()[0]!)
      copyFileSync(name, `${name}.copy`)
      compressNextFile(catalog, archive, never)
      copyFileSync(`${name}.copy`, name)
    },
  }
  for (const [when, leave] of Object.entries(steps)) {
    test(`a process killed ${when} loses nothing, and compression can be repeated`, () =>
      withArchive(async (place) => {
        const { shard, system, archive, expected } = place
        await leave(place)
        assert.deepEqual(await textsOf(shard.objects), expected)
        await system.kill()
        const again = await openOne(system)
        assert.deepEqual(await textsOf(again.objects), expected)
        compressAll(place)
        assert.deepEqual(await textsOf(again.objects), expected)
        const names = (await filesOf(again.objects)).map(({ name }) => name)
        assert.deepEqual(
          readdirSync(archive)
            .filter((name) => !name.endsWith('.copy'))
            .sort(),
          names.sort(),
        )
      }))
  }
})
