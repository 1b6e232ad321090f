import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Retention } from '../../config/retention.ts'
import type { SourceRule } from '../../config/source-rules.ts'
import type { GcItem } from '../../core/reports/gc-report.ts'
import { type OpenShard, openOne } from '../../store/conformance/engine.testkit.ts'
import { pageOf } from '../../store/conformance/samples.testkit.ts'
import type { CollectionStore } from '../../store/contracts/collection.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createSqliteCollection } from '../../store/sqlite/documents/collection.ts'
import { checkDatabases } from '../../store/sqlite/folder/checks.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteSystem } from '../../store/sqlite/testkit/store.testkit.ts'
import { type CollectorReport, collectGarbage } from './collector.ts'
import { createPools } from './verdict.ts'

const NOW = 1_000_000

type Place = { folder: string; shard: OpenShard; collection: CollectionStore; db: Database }

async function withCatalogue(work: (place: Place) => Promise<void>): Promise<void> {
  const system = createSqliteSystem()
  try {
    const { folder } = system
    const shard = await openOne(system)
    const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
    const objects = createSqliteObjects(db, paths.archive(folder))
    const collection = createSqliteCollection({
      db,
      objects,
      headerOf: (record) => record.toString(),
      textOf: async () => null,
    })
    await work({ folder, shard, collection, db })
    db.close()
  } finally {
    await system.destroy()
  }
}

async function put({ shard }: Place, host: string, path: string, body: string, at: number): Promise<number> {
  const [outcome] = await shard.documents.record([pageOf(host, path, body, { at })])
  assert.ok(outcome !== undefined && 'versionId' in outcome, outcome?.kind)
  return outcome.versionId
}

type Run = { report: CollectorReport; items: GcItem[]; removed: number[] }
type RunOptions = {
  retention?: Partial<Extract<Retention, { kind: 'limits' }>>
  sources?: Pick<SourceRule, 'match' | 'retention'>[]
  dryRun?: boolean
  keepsNewest?: boolean
  signal?: AbortSignal
  onItem?(): void
}

async function run({ collection }: Place, options: RunOptions): Promise<Run> {
  const [items, removed]: [GcItem[], number[]] = [[], []]
  const retention: Retention =
    options.retention === undefined ? { kind: 'forever' } : { ...limits, ...options.retention }
  const report = await collectGarbage({
    store: collection,
    pools: createPools(retention, options.sources ?? []),
    now: NOW,
    dryRun: options.dryRun ?? false,
    keepsNewest: options.keepsNewest ?? false,
    signal: options.signal ?? new AbortController().signal,
    onProgress() {},
    onItem(item) {
      items.push(item)
      options.onItem?.()
    },
    onRemoved: (ids) => void removed.push(...ids),
  })
  return { report, items, removed }
}

const limits = { kind: 'limits', maxAgeMs: null, maxVersions: null, maxBytes: null } as const

function idsOf(db: Database): number[] {
  return (db.prepare('SELECT id FROM versions ORDER BY id').all() as { id: number }[]).map(({ id }) => id)
}

describe('garbage collector', () => {
  test('removes versions beyond the retention limit, reports why, and keeps the rest', () =>
    withCatalogue(async (place) => {
      const old = [await put(place, 'a.example', '/', 'one', 1), await put(place, 'a.example', '/', 'two', 2)]
      const current = await put(place, 'a.example', '/', 'three', 3)
      const { report, items, removed } = await run(place, { retention: { maxVersions: 1 } })
      assert.deepEqual(idsOf(place.db), [current])
      assert.deepEqual(removed.toSorted(), old)
      assert.deepEqual([report.looked, report.removed.versions, report.dropped.versions], [3, 2, 0])
      assert.deepEqual(report.examples, items)
      assert.deepEqual(
        items.map(({ action, reason, source, n }) => [action, reason, source, n]),
        [
          ['remove', 'versions', '*', 2],
          ['remove', 'versions', '*', 1],
        ],
      )
      assert.ok(report.removed.bytes > 0 && report.reasons.versions.bytes === report.removed.bytes)
    }))

  test('applies the first matching rule that has a retention', () =>
    withCatalogue(async (place) => {
      for (const host of ['a.example', 'b.example', 'c.test'])
        for (const n of [1, 2, 3, 4]) await put(place, host, '/', `${host} ${n}`, n)
      const { report } = await run(place, {
        retention: { maxVersions: 3 },
        sources: [
          { match: '*', retention: null },
          { match: 'a.example', retention: { kind: 'forever' } },
          { match: '.example', retention: { ...limits, maxVersions: 1 } },
        ],
      })
      assert.deepEqual(report.sources.map(({ source, versions }) => [source, versions.versions]).sort(), [
        ['*', 1],
        ['.example', 3],
      ])
    }))

  test('removes the versions superseded first until the size limit is met, and reports an overflow', () =>
    withCatalogue(async (place) => {
      const body = (text: string) => text.repeat(100)
      const first = await put(place, 'a.example', '/', body('1'), 1)
      const second = await put(place, 'b.example', '/', body('2'), 2)
      await put(place, 'b.example', '/', body('3'), 3) // the second is superseded before the first
      await put(place, 'a.example', '/', body('4'), 4)
      const bytes = (await place.collection.find([first]))[0]!.bytes
      const { items } = await run(place, { retention: { maxBytes: 3 * bytes } })
      assert.deepEqual(
        items.map(({ versionId, reason }) => [versionId, reason]),
        [[second, 'size']],
      )
      const { report } = await run(place, { retention: { maxBytes: bytes } })
      assert.equal(report.removed.versions, 1)
      assert.deepEqual(report.overflow, [{ source: '*', bytes: 2 * bytes, maxBytes: bytes }])
    }))

  test('removes an original with the last version that refers to it, also in a dry run', () =>
    withCatalogue(async (place) => {
      const original = await put(place, 'a.example', '/', 'same', 1)
      await put(place, 'a.example', '/', 'other', 2)
      const copy = await put(place, 'b.example', '/', 'same', 3)
      const kept = await run(place, { retention: { maxVersions: 1 } })
      assert.deepEqual([kept.items.length, kept.report.kept.shared], [0, 1])
      await put(place, 'b.example', '/', 'another', 4)
      for (const dryRun of [true, false]) {
        const { items, report } = await run(place, { retention: { maxVersions: 1 }, dryRun })
        assert.deepEqual(items.map(({ versionId }) => versionId).toSorted(), [original, copy])
        assert.equal(report.kept.shared, 0)
      }
      assert.equal(idsOf(place.db).length, 2)
    }))

  test('drops the bodies of unwanted versions that are not pinned', () =>
    withCatalogue(async (place) => {
      const page = await put(place, 'a.example', '/', 'same', 1)
      const copy = await put(place, 'b.example', '/', 'same', 2)
      const held = await put(place, 'c.example', '/', 'else', 3)
      await place.collection.markUnwanted([page, copy, held])
      await place.collection.pin([held], 'ann', 1)
      const { report, items, removed } = await run(place, {})
      assert.deepEqual(
        items.map(({ action, reason, versionId }) => [action, reason, versionId]),
        [
          ['drop', 'unwanted', copy],
          ['drop', 'unwanted', page],
        ],
      )
      assert.deepEqual(removed, [copy, page])
      assert.deepEqual([report.dropped.versions, report.kept.held], [2, 1])
      assert.equal((await run(place, {})).items.length, 0)
    }))

  test('keeps the newest body of every page with keepsNewest', () =>
    withCatalogue(async (place) => {
      const old = await put(place, 'a.example', '/', 'one', 1)
      const newest = [await put(place, 'a.example', '/', 'two', 2), await put(place, 'b.example', '/', 'three', 3)]
      await place.collection.markUnwanted([old, ...newest])
      const { removed } = await run(place, { keepsNewest: true })
      assert.deepEqual(removed, [old])
      assert.deepEqual((await run(place, {})).removed.toSorted(), newest)
    }))

  test('finishes an interrupted run in the next one', () =>
    withCatalogue(async (place) => {
      for (let page = 0; page < 700; page++) {
        const captures = [1, 2].map((n) => pageOf('a.example', `/${page}`, `${page} ${n}`, { at: n }))
        await place.shard.documents.record(captures)
      }
      const stop = new AbortController()
      const first = await run(place, { retention: { maxVersions: 1 }, signal: stop.signal, onItem: () => stop.abort() })
      assert.equal(first.report.finished, false)
      const second = await run(place, { retention: { maxVersions: 1 } })
      assert.equal(second.report.finished, true)
      assert.equal(first.items.length + second.items.length, 700)
      assert.equal(idsOf(place.db).length, 700)
    }))

  test('keeps versions that are pinned or referred to after they were checked', () =>
    withCatalogue(async (place) => {
      const [one, two] = [await put(place, 'a.example', '/', 'one', 1), await put(place, 'b.example', '/', 'two', 1)]
      for (const host of ['a.example', 'b.example']) await put(place, host, '/', `${host} new`, 2)
      const { collection } = place
      /** Simulates concurrent changes between the check and the order. */
      const beside: CollectionStore = {
        ...collection,
        async collect(orders) {
          await collection.pin([one], 'ann', 3)
          await put(place, 'c.example', '/', 'two', 3)
          return collection.collect(orders)
        },
      }
      const { report, items } = await run({ ...place, collection: beside }, { retention: { maxVersions: 1 } })
      assert.deepEqual([items.length, report.kept.held, report.kept.shared], [0, 1, 1])
      assert.ok(idsOf(place.db).includes(two))
    }))

  test('does exactly what a dry run reports, and removes nothing that is needed', async () => {
    for (let seed = 1; seed <= 12; seed++) await withCatalogue((place) => compareRuns(place, seed))
  })
})

async function compareRuns(place: Place, seed: number): Promise<void> {
  const next = randomNumbers(seed)
  const ids: number[] = []
  for (let at = 1; at <= 120; at++) {
    const page = pageOf(`h${next(3)}.example`, `/${next(6)}`, `body ${next(12)} `.repeat(1 + next(5)), {
      at: at * 1000,
    })
    const [outcome] = await place.shard.documents.record([page])
    if (outcome !== undefined && 'versionId' in outcome) ids.push(outcome.versionId)
  }
  const some = (part: number): number[] => ids.filter(() => next(100) < part)
  const held = some(10)
  await place.collection.pin(held, 'ann', 1)
  await place.collection.markUnwanted(some(30))
  const options: RunOptions = {
    retention: { maxVersions: 1 + next(4), maxAgeMs: NOW - next(120_000), maxBytes: next(2) === 0 ? null : next(6000) },
    sources: [{ match: 'h1.example', retention: { ...limits, maxBytes: 1 + next(3000) } }],
  }
  const current = place.db.prepare('SELECT version AS id FROM documents').all() as { id: number }[]
  const dry = await run(place, { ...options, dryRun: true })
  const real = await run(place, options)
  const { removed } = real
  assert.deepEqual(real.report, dry.report, `seed ${seed}`)
  assert.deepEqual(real.items, dry.items)
  assert.deepEqual(removed.toSorted(), real.items.map(({ versionId }) => versionId).toSorted())
  const left = new Set(idsOf(place.db))
  assert.ok(current.every(({ id }) => left.has(id)) && held.every((id) => left.has(id)))
  const dangling = checkDatabases(place.folder).filter(({ message }) => message.includes('original'))
  assert.deepEqual(dangling, [])
  assert.deepEqual((await run(place, options)).items, [], 'one run is enough')
}

function randomNumbers(seed: number): (below: number) => number {
  let state = seed * 7919
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}
