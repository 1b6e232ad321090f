import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { watchedPage } from '../../../test/cluster/stored-pages.ts'
import { documentText } from '../../core/text/document-text.ts'
import { versionOf } from '../../store/conformance/samples.testkit.ts'
import type { Page, Version } from '../../store/contracts/versions.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { openCatalogForReading, paths } from '../../store/sqlite/folder/folder.ts'
import { createSearchSystem, createSqliteSystem } from '../../store/sqlite/testkit/store.testkit.ts'
import { updateIndex } from './index-update.ts'
import { createVersionTexts, type VersionText, type VersionTexts } from './version-text.ts'

const versionAt = (id: number): Version =>
  versionOf(id, {
    documentId: id,
    url: `http://[2001:db8::1]:8080/${id}`,
    firstSeenAt: id,
    lastSeenAt: id,
    title: `title ${id}`,
  })

/** Version ids with gaps, as a collector leaves them. */
const ids = Array.from({ length: 1_200 }, (_, n) => 3 * n + 1)
const versions = {
  versions: async ({ after, limit }: Page) =>
    ids
      .filter((id) => id > after)
      .slice(0, limit)
      .map(versionAt),
}
const textFor = (id: number): VersionText =>
  id % 100 === 1 ? { kind: 'passed-over', why: 'damaged' } : { kind: 'text', text: `text of ${id}` }
const texts: VersionTexts = { read: async ({ id }) => textFor(id) }
const damaged = ids.filter((id) => id % 100 === 1).length
const expected = {
  versions: ids.length - damaged,
  passedOver: { textless: 0, bodiless: 0, damaged },
}

async function withIndexes(
  work: (open: ReturnType<typeof createSearchSystem>['open']) => Promise<void>,
): Promise<void> {
  const system = createSearchSystem()
  try {
    await work(system.open)
  } finally {
    await system.destroy()
  }
}

const never = (): boolean => false

describe('updating the search index', () => {
  test('indexes every version once, and counts unreadable ones', () =>
    withIndexes(async (open) => {
      const index = await open()
      const marks: number[] = []
      const update = { index, versions, texts, mustStop: never, onBatch: (mark: number) => marks.push(mark) }
      assert.equal(await updateIndex(update), expected.versions)
      assert.deepEqual(await index.counts(), expected)
      assert.equal(marks.at(-1), ids.at(-1))
      assert.deepEqual(
        marks,
        marks.toSorted((a, b) => a - b),
      )
      assert.equal(await updateIndex(update), 0)
      await index.close()
    }))

  test('counts a document whose text cannot be read as damaged, and adds the following ones', () =>
    withIndexes(async (open) => {
      const system = createSqliteSystem()
      const [shard] = await system.open(1)
      const db = openCatalogForReading(system.folder)
      const versions = createSqliteVersions(db)
      for (const name of ['a', 'bad', 'b'])
        await shard!.documents.record([watchedPage(system.hostOf(0, 0), `/${name}`, `java at ${name}`, 1)])
      const textOf: typeof documentText = (body, source) => {
        if (Buffer.from(body).includes('bad')) throw new TypeError('it is not a function')
        return documentText(body, source)
      }
      const index = await open()
      try {
        const throwing = createVersionTexts({
          versions,
          objects: createSqliteObjects(db, paths.archive(system.folder)),
          textOf,
        })
        const update = { index, versions, texts: throwing, mustStop: never, onBatch() {} }
        assert.equal(await updateIndex(update), 2)
        assert.deepEqual(await index.counts(), { versions: 2, passedOver: { textless: 0, bodiless: 0, damaged: 1 } })
        assert.equal(await updateIndex(update), 0)
      } finally {
        await index.close()
        db.close()
        await system.destroy()
      }
    }))

  test('keeps its progress if stopped at any version, and continues from there', () =>
    withIndexes(async (open) => {
      const read: number[] = []
      const counted: VersionTexts = {
        async read({ id }) {
          read.push(id)
          return textFor(id)
        },
      }
      for (let rounds = 0; read.length < ids.length; rounds++) {
        const index = await open()
        let left = 1 + ((rounds * 37) % 101)
        await updateIndex({ index, versions, texts: counted, mustStop: () => left-- === 0, onBatch() {} })
        await index.close()
      }
      assert.deepEqual(read, ids)
      const index = await open()
      assert.deepEqual(await index.counts(), expected)
      await index.close()
    }))

  test('adds nothing twice in two concurrent updates', () =>
    withIndexes(async (open) => {
      const indexes = [await open(), await open()]
      const update = { versions, texts, mustStop: never, onBatch() {} }
      const added = await Promise.all(indexes.map((index) => updateIndex({ ...update, index })))
      assert.equal(added[0]! + added[1]!, expected.versions)
      for (const index of indexes) {
        assert.deepEqual(await index.counts(), expected)
        await index.close()
      }
    }))

  test('keeps the batches before a store failure', () =>
    withIndexes(async (open) => {
      const index = await open()
      const failing: VersionTexts = {
        async read({ id }) {
          if (id === ids[700]) throw new Error('the disk went away')
          return textFor(id)
        },
      }
      const update = { index, versions, mustStop: never, onBatch() {} }
      await assert.rejects(updateIndex({ ...update, texts: failing }), /the disk went away/)
      assert.equal(await index.watermark(), ids[499])
      await updateIndex({ ...update, texts })
      assert.deepEqual(await index.counts(), expected)
      await index.close()
    }))
})
