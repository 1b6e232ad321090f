import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchedPage } from '../../../test/cluster/stored-pages.ts'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { configOf } from '../../config/load-config.ts'
import { createManualClock } from '../../core/clock.ts'
import {
  createLockedNearDuplicates,
  createNearDuplicateMemory,
  openNearDuplicateLock,
} from '../../services/annotating/near-duplicate-lock.ts'
import { createProcessor } from '../../services/annotating/processor.ts'
import { createProfileKeys } from '../../services/profiles/keyed-profile.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteSystem } from '../../store/sqlite/testkit/store.testkit.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'

const large = (word: string): string => `java ${`${word} and ${word} of ${word}. `.repeat(20_000)}`

/** A processor over stored pages of two users; `process` resolves to the paths of its annotations in order. */
async function withProcessor(
  work: (place: {
    store(path: string, text: string): Promise<void>
    process(): Promise<string[]>
    /** Called once, while a large page is processed, which takes a while. */
    duringLarge(listener: () => Promise<void>): void
  }) => Promise<void>,
): Promise<void> {
  const system = createSqliteSystem()
  const [shard] = await system.open(1)
  const db = openDatabase(paths.catalog(system.folder), { migrations: catalogMigrations, mustExist: true })
  const stores = sqliteStores(system.folder, db)
  const clock = createManualClock()
  try {
    const source = sourceOf('http://source.example/', { depth: 3, scope: { kind: 'pattern', source: '.' } })
    const keyed = createProfileKeys({})
    await stores.profiles.put(['ann', 'bob'].map((name) => keyed(profileOf(name, name, [source], { java: 4 }))))
    const [urd] = await stores.profiles.urdsOf('ann')
    const host = system.hostOf(0, 0)
    let meanwhile: (() => Promise<void>) | null = null
    const lock = openNearDuplicateLock(createNearDuplicateMemory())
    const order: string[] = []
    const made: number[] = []
    const processor = createProcessor({
      stores: {
        ...stores,
        objects: {
          ...stores.objects,
          async read(pointer) {
            const record = await stores.objects.read(pointer)
            if (record.length < 300_000) return record
            clock.advance(1000)
            const listener = meanwhile
            meanwhile = null
            await listener?.()
            return record
          },
        },
      },
      nearDuplicates: createLockedNearDuplicates(lock, stores.annotations),
      config: configOf(),
      clock,
      keyOf: () => null,
      ...{ part: 0, parts: 1 },
      events: { onSettled: (ids) => void made.push(...ids), onRefused() {}, onProblem() {} },
    })
    await work({
      store: async (path, text) => void (await shard!.documents.record([watchedPage(host, path, text, urd!.watch)])),
      async process() {
        while (await processor.work(() => false));
        for (const id of made.splice(0)) order.push(new URL((await stores.annotations.find(id))!.url).pathname)
        return order
      },
      duringLarge(listener) {
        meanwhile = listener
      },
    })
  } finally {
    await stores.close()
    await system.destroy()
  }
}

test('small pages that wait behind a large one are processed before it', () =>
  withProcessor(async ({ store, process }) => {
    await store('/large', large('one'))
    await store('/small', 'java')
    assert.deepEqual([...new Set(await process())], ['/small', '/large'])
  }))

test('small pages that arrive while a large one is processed do not wait for it', () =>
  withProcessor(async ({ store, process, duringLarge }) => {
    await store('/large', large('one'))
    await store('/other', 'java of another site')
    duringLarge(async () => {
      await store('/small', 'java is there')
      await store('/other', 'java of another site, edited')
    })
    const order = await process()
    assert.deepEqual([...new Set(order)], ['/other', '/small', '/large'])
    assert.equal(order.lastIndexOf('/other') < order.indexOf('/large'), true)
  }))

test('the versions of a document are processed in order, regardless of their size', () =>
  withProcessor(async ({ store, process, duringLarge }) => {
    await store('/page', large('one'))
    duringLarge(async () => {
      await store('/huge', large('two'))
      await store('/page', 'java in short')
      await store('/huge', 'java, shorter')
    })
    const order = await process()
    // Two versions of each, for two users.
    assert.deepEqual(order, [...Array(4).fill('/page'), ...Array(4).fill('/huge')])
  }))
