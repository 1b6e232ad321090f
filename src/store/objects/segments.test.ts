import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { recordsOf } from '../conformance/objects-suite.testkit.ts'
import { pageOf } from '../conformance/samples.testkit.ts'
import type { ObjectStore } from '../contracts/objects.ts'
import { createPostgresCollection } from '../postgres/archive/collection.ts'
import { compressNextSegment } from '../postgres/archive/compress-segments.ts'
import { moveAll } from '../postgres/archive/move-records.ts'
import { createOutsideKeeper, insideKeeper } from '../postgres/archive/record-keeper.ts'
import { rewriteSegments } from '../postgres/archive/rewrite-segments.ts'
import { createSegments } from '../postgres/archive/segments.ts'
import type { PostgresPool } from '../postgres/connection/pool.ts'
import { createPostgresDocuments } from '../postgres/documents/documents.ts'
import { createDatabase, usePostgres } from '../postgres/testkit/postgres.testkit.ts'
import { openBodies } from '../postgres/testkit/store.testkit.ts'
import {
  createFolderBodies,
  createS3Bodies,
  type FolderBodies,
  type OutsideBodies,
} from './testkit/outside-bodies.testkit.ts'

usePostgres()

type Parts<T> = {
  bodies: T
  pool: PostgresPool
  objects: ObjectStore
  /** Another process with its own segment; `close` closes it cleanly. */
  writer(): { record(paths: readonly string[]): Promise<void>; close(): Promise<void> }
  segments: ReturnType<typeof createSegments>
  /** Backdates the segments, as if they had been closed long ago. */
  age(): Promise<void>
}

const host = 'host1.example'
const bodyOf = (path: string): string => `body of ${path} `.repeat(200)

/** A real record, since compression has to find its end. */
function warcOf(path: string): Buffer {
  const block = Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${bodyOf(path)}`)
  return Buffer.concat([
    Buffer.from(`WARC/1.1\r\nWARC-Type: response\r\nContent-Length: ${block.length}\r\n\r\n`),
    block,
    Buffer.from('\r\n\r\n'),
  ])
}

async function withBodies<T extends OutsideBodies>(
  open: () => T | Promise<T>,
  work: (parts: Parts<T>) => Promise<void>,
) {
  const bodies = await open()
  const { pool, destroy } = await createDatabase()
  try {
    await pool.query(`UPDATE leases SET epoch = 1, holder = 'test', until = now() + interval '1 hour'`)
    const segments = createSegments(pool)
    await work({
      ...{ bodies, pool, segments, objects: openBodies(pool, bodies).objects },
      writer() {
        const { keeper } = openBodies(pool, bodies)
        const documents = createPostgresDocuments({ pool, keeper, epochOf: () => 1 })
        const pages = (paths: readonly string[]) =>
          paths.map((path) => pageOf(host, path, bodyOf(path), { render: () => [warcOf(path)] }))
        return { record: async (paths) => void (await documents.record(pages(paths))), close: keeper.close }
      },
      async age() {
        await pool.query(
          `UPDATE segments SET seen_at = now() - interval '1 day', closed_at = closed_at - interval '1 day', claimed_until = NULL`,
        )
        await segments.closeAbandoned()
        await pool.query(`UPDATE segments SET closed_at = now() - interval '1 day'`)
      },
    })
  } finally {
    await destroy()
    await bodies.end()
  }
}

async function readsAll(objects: ObjectStore, paths: readonly string[]): Promise<void> {
  const records = await recordsOf(objects)
  const found = new Map<string, string>()
  for (const record of records) found.set(new URL(record.url).pathname, (await objects.read(record)).toString())
  assert.deepEqual(found, new Map(paths.map((path) => [path, warcOf(path).toString()])))
}

const paths = Array.from({ length: 12 }, (_, n) => `/${n}`)
const never = new AbortController().signal

async function compressAll({ pool, segments, bodies: { backend } }: Parts<OutsideBodies>): Promise<string[]> {
  const warnings: string[] = []
  const onWarning = (message: string): void => void warnings.push(message)
  while (await compressNextSegment({ pool, backend, segments, onWarning })) {}
  return warnings
}

describe('segments in a shared folder', () => {
  const folder = (): FolderBodies => createFolderBodies(8_000)

  test('closed files are compressed to standard gzip while every record stays readable', () =>
    withBodies(folder, async (parts) => {
      const { bodies, objects, writer } = parts
      const one = writer()
      for (const path of paths) await one.record([path])
      await one.close()
      const plain = new Map(
        readdirSync(bodies.folder).map((name) => [name, readFileSync(join(bodies.folder, name)).toString()]),
      )
      assert.ok(plain.size >= 3)
      await readsAll(objects, paths)
      assert.deepEqual(await compressAll(parts), [])
      const names = readdirSync(bodies.folder)
      assert.deepEqual(names.toSorted(), [...plain.keys()].map((name) => `${name}.gz`).toSorted())
      for (const name of names)
        assert.equal(gunzipSync(readFileSync(join(bodies.folder, name))).toString(), plain.get(name.slice(0, -3)))
      // The cached rows still have the previous state.
      await readsAll(objects, paths)
    }))

  test('a half-written record left by a killed writer is reported and left out', () =>
    withBodies(folder, async (parts) => {
      const { bodies, objects, writer, age } = parts
      await writer().record(paths.slice(0, 3))
      const [name] = readdirSync(bodies.folder)
      appendFileSync(join(bodies.folder, name!), warcOf('/torn').subarray(0, 900))
      assert.deepEqual(await compressAll(parts), [], 'its writer may still be there')
      await age()
      assert.match(
        (await compressAll(parts)).join(),
        /left out 900 bytes at the end that were written and never stored/,
      )
      await readsAll(objects, paths.slice(0, 3))
      assert.deepEqual(readdirSync(bodies.folder), [`${name}.gz`])
    }))

  test('a file that lost live records is reported as damaged and left as it is', () =>
    withBodies(folder, async (parts) => {
      const { bodies, objects, writer } = parts
      const one = writer()
      await one.record(paths.slice(0, 3))
      await one.close()
      const [name] = readdirSync(bodies.folder)
      truncateSync(join(bodies.folder, name!), warcOf('/0').length * 2)
      assert.match((await compressAll(parts)).join(), /is damaged. The file stays as it is/)
      assert.ok(readdirSync(bodies.folder).includes(name!))
      const reads = await Promise.allSettled((await recordsOf(objects)).map((record) => objects.read(record)))
      const failed = reads.flatMap((read) => (read.status === 'rejected' ? [read.reason] : []))
      assert.equal(failed.length, 2)
      assert.ok(failed.every((error) => isAppError(error, 'record-damaged')))
    }))

  test('a missing folder is reported as possibly not mounted, is not created, and is used once it is back', () =>
    withBodies(folder, async ({ bodies, objects, writer }) => {
      await bodies.end()
      const one = writer()
      await assert.rejects(
        one.record(['/a']),
        (error) => isAppError(error, 'store-failed') && /mounted/.test(error.message),
      )
      assert.equal(existsSync(bodies.folder), false)
      mkdirSync(bodies.folder)
      await one.record(['/a'])
      await readsAll(objects, ['/a'])
    }))

  test('records are unreachable, not damaged or missing, while the folder is not mounted', () =>
    withBodies(folder, async ({ bodies, objects, segments, writer, age }) => {
      const one = writer()
      await one.record(paths.slice(0, 2))
      await one.close()
      await age()
      const [record] = await recordsOf(objects)
      const [segment] = await segments.settled('folder', 0, 1)
      renameSync(bodies.folder, `${bodies.folder}-away`)
      const isUnreachable = (error: unknown): boolean =>
        isAppError(error, 'store-failed') && /mounted/.test(error.message)
      await assert.rejects(objects.read(record!), isUnreachable)
      await assert.rejects(bodies.backend.packs(segment!), isUnreachable)
      await assert.rejects(bodies.backend.removePack(segment!, 0), isUnreachable)
      renameSync(`${bodies.folder}-away`, bodies.folder)
      rmSync(join(bodies.folder, readdirSync(bodies.folder)[0]!))
      await assert.rejects(objects.read(record!), (error) => isAppError(error, 'record-damaged'))
      assert.deepEqual(await bodies.backend.packs(segment!), [])
    }))

  test('collecting garbage while the folder is not mounted forgets no segment with live records', () =>
    withBodies(folder, async ({ bodies, pool, objects, segments, writer, age }) => {
      const one = writer()
      await one.record(paths.slice(0, 2))
      await one.close()
      const [kept, gone] = await recordsOf(objects)
      await pool.query('DELETE FROM records WHERE id = $1', [gone!.offset])
      await age()
      renameSync(bodies.folder, `${bodies.folder}-away`)
      const { keeper } = openBodies(pool, bodies)
      const { backend } = bodies
      const report = await rewriteSegments({ pool, objects, segments, backend, keeper, signal: never, onRewrite() {} })
      renameSync(`${bodies.folder}-away`, bodies.folder)
      assert.deepEqual([report.removed, report.leftAlone.length], [0, 1])
      assert.equal((await objects.read(kept!)).toString(), warcOf('/0').toString())
    }))

  test('a writer whose segment was closed by others continues in a new one', () =>
    withBodies(folder, async ({ pool, bodies, segments }) => {
      const times = { wall: 0 }
      const clock = { now: () => times.wall, monotonic: systemClock.monotonic }
      const keeper = createOutsideKeeper({ backend: bodies.backend, segments, writer: 'w', clock })
      await keeper.keep([[warcOf('/a')]])
      await pool.query(`UPDATE segments SET state = 'closed'`)
      await keeper.keep([[warcOf('/b')]])
      assert.equal(readdirSync(bodies.folder).length, 1, 'confirmed a moment ago')
      times.wall += 3_600_000
      await keeper.keep([[warcOf('/c')]])
      assert.equal(readdirSync(bodies.folder).length, 2)
      await keeper.close()
    }))
})

for (const [name, open] of [
  ['a shared folder', () => createFolderBodies(20_000)],
  ['S3', createS3Bodies],
] as const)
  describe(`bodies in ${name}`, () => {
    test('move out of the database and back while being read, and a repeated move does nothing', () =>
      withBodies<OutsideBodies>(open, async ({ bodies, pool, objects, segments }) => {
        const documents = createPostgresDocuments({ pool, epochOf: () => 1 })
        const large = (path: string) => pageOf(host, path, bodyOf(path), { render: () => [noisy(path)] })
        await documents.record(paths.map(large))
        const before = new Map<string, string>()
        for (const record of await recordsOf(objects))
          before.set(record.url, (await objects.read(record)).toString('latin1'))
        const { keeper } = openBodies(pool, bodies)
        const deps = { pool, objects, segments, signal: never }
        const moving = moveAll({ ...deps, keeper }, bodies.backend.kind)
        for (let round = 0; round < 3; round++)
          for (const record of await recordsOf(objects))
            assert.equal((await objects.read(record)).toString('latin1'), before.get(record.url))
        assert.equal((await moving).records, paths.length)
        assert.deepEqual(await pool.query('SELECT DISTINCT coding > 1 AS outside FROM records'), [{ outside: true }])
        assert.equal((await moveAll({ ...deps, keeper }, bodies.backend.kind)).records, 0)
        await keeper.close()
        const back = await moveAll({ ...deps, keeper: insideKeeper }, null)
        assert.deepEqual([back.records, back.left], [paths.length, 0])
        for (const record of await recordsOf(objects))
          assert.equal((await objects.read(record)).toString('latin1'), before.get(record.url))
      }))

    test('segments without live records are removed, and segments that are mostly garbage are rewritten', () =>
      withBodies<OutsideBodies>(open, async (parts) => {
        const { bodies, pool, objects, segments, writer, age } = parts
        const one = writer()
        await one.record(paths)
        await one.close()
        await compressAll(parts)
        const collection = createPostgresCollection({ pool, objects, headerOf: () => '', textOf: async () => null })
        const rewrite = async () => {
          const { keeper } = openBodies(pool, bodies)
          const common = { pool, objects, segments, backend: bodies.backend, signal: never, onRewrite() {} }
          const report = await rewriteSegments({ ...common, keeper })
          await keeper.close()
          return report
        }
        assert.deepEqual(await rewrite(), { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] })
        // Drops all but two; none is current any more.
        const records = await recordsOf(objects)
        await pool.query('UPDATE versions SET wanted = false')
        const gone = records.slice(2).map(({ versionId }) => ({ versionId, action: 'drop' as const }))
        await pool.query('UPDATE documents SET version = 0')
        const outcomes = await collection.collect(gone)
        assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['done']))
        assert.equal((await rewrite()).removed + (await rewrite()).rewritten, 0, 'closed a moment ago')
        await age()
        const report = await rewrite()
        assert.ok(report.rewritten + report.removed > 0)
        // In files, the remaining records are plain again until they are compressed.
        if (name === 'S3') assert.ok(report.freedBytes > 0)
        const kept = records.slice(0, 2).map(({ url }) => new URL(url).pathname)
        await readsAll(objects, kept)
        await age()
        assert.equal((await rewrite()).rewritten, 0)
        await readsAll(objects, kept)
        // Everything of the first segments is gone, their rows included.
        const rows = await pool.query<{ id: number }>('SELECT id FROM segments ORDER BY id')
        assert.ok(rows.every(({ id }) => id > 1))
      }))
  })

/** Bytes that can't be compressed enough to fit in a row. */
function noisy(path: string): Buffer {
  const bytes = Buffer.alloc(4_000)
  let state = path.length + 7 * Number(path.slice(1))
  for (let at = 0; at < bytes.length; at++) {
    state = (Math.imul(state + 1, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}

test('nothing is stored while the bucket is unreachable, and everything once it is back', () =>
  withBodies(createS3Bodies, async ({ bodies, objects, pool, writer }) => {
    const one = writer()
    await one.record(['/0'])
    await bodies.server.stop()
    await assert.rejects(
      one.record(['/1', '/2']),
      (error) => isAppError(error, 'store-unreachable') && error.retry === 'later',
    )
    assert.deepEqual(await pool.query('SELECT count(*) AS n FROM versions'), [{ n: 1 }])
    await bodies.server.start()
    await one.record(['/1', '/2'])
    await readsAll(objects, ['/0', '/1', '/2'])
  }))

test('bodies recorded together are packed into one object', () =>
  withBodies(createS3Bodies, async ({ bodies, pool, segments, writer }) => {
    await writer().record(paths)
    const [row] = await pool.query<{ id: number }>('SELECT id FROM segments')
    assert.equal((await bodies.backend.packs((await segments.find(row!.id))!)).length, 1)
  }))
