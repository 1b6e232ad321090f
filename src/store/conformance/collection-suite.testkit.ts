import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { noCheck } from '../../core/request.ts'
import type { CollectableVersion, CollectionCursor, CollectionStore } from '../contracts/collection.ts'
import type { Version, VersionStore } from '../contracts/versions.ts'
import { nothing } from './annotations-suite.testkit.ts'
import { type OpenShard, type OpenStores, openOne, type StoreEngine, withSystem } from './engine.testkit.ts'
import { textsOf } from './objects-suite.testkit.ts'
import { keyedOf } from './profiles-suite.testkit.ts'
import { pageOf } from './samples.testkit.ts'

type Place = Pick<OpenStores, 'collection' | 'collectionRuns' | 'versions' | 'annotations' | 'profiles'> & {
  shard: OpenShard
  host: string
}

/** What every engine promises to the garbage collector. */
export function collectionSuite(engine: StoreEngine): void {
  const withPlace = (work: (place: Place) => Promise<void>) =>
    withSystem(engine, {}, async (system) => {
      const shard = await openOne(system)
      const opened = engine.openStores(system, { headerOf: (record) => `header of ${record.toString()}` })
      try {
        await work({ shard, ...opened, host: system.hostOf(0, 0) })
      } finally {
        opened.close()
      }
    })

  describe(`garbage collection (${engine.name})`, () => {
    test(
      'versions are listed per document, newest first, regardless of the page size',
      withPlace(async ({ shard, collection, host }) => {
        for (let n = 1; n <= 5; n++) await put(shard, host, '/a', `a${n}`, 1000 * n)
        for (let n = 1; n <= 2; n++) await put(shard, host, '/b', `b${n}`, 7000 * n)
        for (const limit of [1, 2, 3, 100]) {
          const all = await allVersions(collection, limit)
          assert.deepEqual(
            all.map(({ url, n, current, newer, supersededAt }) => [url.at(-1), n, current, newer, supersededAt]),
            [
              ['b', 2, true, 0, null],
              ['b', 1, false, 1, 14_000],
              ['a', 5, true, 0, null],
              ['a', 4, false, 1, 5000],
              ['a', 3, false, 2, 4000],
              ['a', 2, false, 3, 3000],
              ['a', 1, false, 4, 2000],
            ],
            `pages of ${limit}`,
          )
        }
      }),
    )

    test(
      'a version reports its size, the owner of its body, its pin, and whether it is wanted',
      withPlace(async ({ shard, collection, host }) => {
        const [a, b] = [await put(shard, host, '/a', 'same', 1), await put(shard, host, '/b', 'same', 2)]
        await put(shard, host, '/a', 'other', 3)
        await collection.pin([a], 'ann', 5)
        await collection.markUnwanted([b])
        const found = await collection.find([a, b, 4711])
        assert.deepEqual(
          found.map(({ id, originalId, shared, pinnedBy, wanted, body, current }) => ({
            id,
            originalId,
            shared,
            pinnedBy,
            wanted,
            body,
            current,
          })),
          [
            { id: a, originalId: a, shared: true, pinnedBy: 'ann', wanted: true, body: 'kept', current: false },
            { id: b, originalId: a, shared: false, pinnedBy: null, wanted: false, body: 'kept', current: true },
          ],
        )
        assert.ok(found.every(({ bytes }) => bytes > 10))
      }),
    )

    test(
      'a superseded version is removed completely, and version numbers continue',
      withPlace(async ({ shard, collection, versions, host }) => {
        const links = [`http://${host}/x`]
        const first = await put(shard, host, '/a', 'one', 1, links)
        const second = await put(shard, host, '/a', 'two', 2, links)
        const third = await put(shard, host, '/a', 'three', 3)
        const [outcome] = await collection.collect([{ versionId: first, action: 'remove' }])
        assert.equal(outcome?.kind, 'done')
        assert.ok(outcome.bytes > 0)
        assert.equal(await versions.version(first), null)
        assert.deepEqual(await shard.versions.links(second), links, 'the list of links was shared')
        assert.deepEqual(await collection.collect([{ versionId: first, action: 'remove' }]), [{ kind: 'nothing' }])
        await collection.collect([{ versionId: second, action: 'remove' }])
        const fourth = await put(shard, host, '/a', 'four', 4)
        assert.deepEqual(
          (await historyOf(versions, fourth)).map(({ id, n }) => [id, n]),
          [
            [third, 3],
            [fourth, 4],
          ],
        )
        // Its body is no longer known, so it is stored again.
        assert.equal((await shard.documents.record([pageOf(host, '/b', 'one')]))[0]?.kind, 'stored')
        assert.equal((await textsOf(shard.objects)).size, 2)
      }),
    )

    test(
      'a current version is not removed, even if the page is gone',
      withPlace(async ({ shard, collection, versions, host }) => {
        const first = await put(shard, host, '/a', 'one', 1)
        assert.deepEqual(await collection.collect([{ versionId: first, action: 'remove' }]), [
          { kind: 'kept', why: 'current' },
        ])
        const gone = pageOf(host, '/a', '', { at: 2 })
        const [outcome] = await shard.documents.record([
          { ...gone, kind: 'gone', outcome: 'failed', reason: '', location: '', render: () => [Buffer.from('gone')] },
        ])
        assert.equal(outcome?.kind, 'gone')
        assert.deepEqual(await collection.collect([{ versionId: outcome.versionId, action: 'remove' }]), [
          { kind: 'kept', why: 'current' },
        ])
        assert.equal((await collection.collect([{ versionId: first, action: 'remove' }]))[0]?.kind, 'done')
        assert.deepEqual(
          (await historyOf(versions, outcome.versionId)).map(({ reason, n }) => [reason, n]),
          [['gone', 2]],
        )
      }),
    )

    test(
      'a pinned version stays until all owners unpin it',
      withPlace(async ({ shard, collection, host }) => {
        const first = await put(shard, host, '/a', 'one', 1)
        await put(shard, host, '/a', 'two', 2)
        assert.deepEqual(await collection.pin([first, 4711], 'ann', 3), [first])
        assert.deepEqual(await collection.pin([first], 'ben', 3), [first])
        assert.deepEqual(await collection.pin([first], 'ben', 4), [first], 'pinning twice is pinning once')
        const order = { versionId: first, action: 'remove' } as const
        assert.deepEqual(await collection.collect([order]), [{ kind: 'kept', why: 'held' }])
        await collection.unpin([first], 'ann')
        assert.deepEqual(await collection.collect([order]), [{ kind: 'kept', why: 'held' }])
        await collection.unpin([first], 'ben')
        assert.equal((await collection.collect([order]))[0]?.kind, 'done')
      }),
    )

    test(
      'a version is kept until it, and the version compared with it, have been matched',
      withPlace(async ({ shard, collection, annotations, host }) => {
        const found = (body: string, at: number, watch: number): Promise<number> =>
          record(shard, { ...pageOf(host, '/a', body, { at }), check: { ...noCheck, watch, round: at } })
        const ids = [await found('one', 1, 0), await found('two', 2, 7), await found('three', 3, 0)]
        const outcomes = async (): Promise<string[]> =>
          (await collection.collect(ids.map((versionId) => ({ versionId, action: 'remove' })))).map((outcome) =>
            outcome.kind === 'kept' ? outcome.why : outcome.kind,
          )
        assert.deepEqual(await outcomes(), ['held', 'held', 'current'])
        const tasks = await annotations.tasks({ limit: 10, part: 0, parts: 1 })
        await annotations.commit({ ...nothing, done: tasks.map(({ id }) => id) })
        assert.deepEqual(await outcomes(), ['done', 'done', 'current'])
      }),
    )

    test(
      'the last collection run is stored',
      withPlace(async ({ collectionRuns }) => {
        assert.equal(await collectionRuns.last(), null)
        const run = { startedAt: 5_000, tookMs: 0, versions: 0, bytes: 0, freedBytes: 0, error: '' }
        await collectionRuns.put({ ...run, state: 'running' })
        assert.deepEqual(await collectionRuns.last(), { ...run, state: 'running' })
        const ended = { ...run, tookMs: 1_200, state: 'failed', bytes: 5e9, error: 'no \u{1f4be} left' } as const
        await collectionRuns.put(ended)
        assert.deepEqual(await collectionRuns.last(), ended)
      }),
    )

    test(
      'a body is kept while another version refers to it',
      withPlace(async ({ shard, collection, host }) => {
        const original = await put(shard, host, '/a', 'same', 1)
        await put(shard, host, '/a', 'two', 2)
        const copy = await put(shard, host, '/b', 'same', 3)
        await put(shard, host, '/b', 'other', 4)
        const order = (versionId: number) => ({ versionId, action: 'remove' }) as const
        assert.deepEqual(await collection.collect([order(original)]), [{ kind: 'kept', why: 'shared' }])
        const outcomes = await collection.collect([order(copy), order(original)])
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['done', 'done'],
        )
      }),
    )

    test(
      'the body of an unwanted version is dropped, and its metadata is kept',
      withPlace(async ({ shard, collection, versions, host }) => {
        const page = await put(shard, host, '/a', 'one', 1, [`http://${host}/x`])
        const order = { versionId: page, action: 'drop' } as const
        assert.deepEqual(await collection.collect([order]), [{ kind: 'kept', why: 'wanted' }])
        await collection.markUnwanted([page])
        const before = (await versions.version(page))!
        assert.equal((await collection.collect([order]))[0]?.kind, 'done')
        assert.deepEqual(await versions.version(page), {
          ...before,
          body: 'dropped',
          record: null,
          header: `header of <http://${host}/a>one</>`,
        })
        assert.deepEqual(await shard.versions.links(page), [`http://${host}/x`])
        assert.deepEqual(await collection.collect([order]), [{ kind: 'nothing' }])
        const again = await put(shard, host, '/b', 'one', 2)
        assert.equal((await versions.version(again))?.originalId, again, 'whoever wants it stores it anew')
      }),
    )

    test(
      'bodies that are pinned, wanted or shared are not dropped; a dropped reference no longer counts',
      withPlace(async ({ shard, collection, versions, host }) => {
        const original = await put(shard, host, '/a', 'same', 1)
        const copy = await put(shard, host, '/b', 'same', 2)
        const drop = (versionId: number) => ({ versionId, action: 'drop' }) as const
        await collection.markUnwanted([original, copy])
        assert.deepEqual(await collection.collect([drop(original)]), [{ kind: 'kept', why: 'shared' }])
        await collection.pin([copy], 'ann', 3)
        assert.deepEqual(await collection.collect([drop(copy)]), [{ kind: 'kept', why: 'held' }])
        await collection.unpin([copy], 'ann')
        await collection.markWanted([copy])
        assert.deepEqual(await collection.collect([drop(copy)]), [{ kind: 'kept', why: 'wanted' }])
        await collection.markUnwanted([copy])
        const outcomes = await collection.collect([drop(copy), drop(original)])
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['done', 'done'],
        )
        assert.equal((await versions.version(copy))?.originalId, copy)
        assert.equal((await textsOf(shard.objects)).size, 0)
      }),
    )

    test(
      'the version that a watch was told of last keeps its body while the watch has owners',
      withPlace(async ({ shard, collection, versions, annotations, profiles, host }) => {
        await profiles.put([keyedOf('p', 'ann', [`http://${host}/a`])])
        const { watch } = (await profiles.urdsOf('p'))[0]!
        const other = watch + 1
        async function found(body: string, at: number, by: number): Promise<number> {
          const page = pageOf(host, '/a', body, { at })
          const version = await record(shard, { ...page, check: { ...noCheck, watch: by, round: at } })
          const tasks = await annotations.tasks({ limit: 10, part: 0, parts: 1 })
          const { documentId } = (await versions.version(version))!
          const known = { documentId, watch: by, versionId: version }
          await annotations.commit({ ...nothing, done: tasks.map(({ id }) => id), known })
          await collection.markUnwanted([version])
          return version
        }
        const drop = async (versionId: number): Promise<string> => {
          const [outcome] = await collection.collect([{ versionId, action: 'drop' }])
          return outcome?.kind === 'kept' ? outcome.why : outcome!.kind
        }
        const first = await found('one', 1, watch)
        const second = await found('two', 2, other)
        const third = await found('three', 3, other)
        assert.deepEqual([await drop(first), await drop(second)], ['held', 'done'])
        const fourth = await found('four', 4, watch)
        assert.equal(await drop(first), 'done')
        await found('five', 5, other)
        assert.deepEqual([await drop(third), await drop(fourth)], ['done', 'held'])
        await profiles.remove(['p'])
        assert.equal(await drop(fourth), 'done')
        await profiles.put([keyedOf('p', 'ann', [`http://${host}/a`])])
        assert.equal(await drop(await found('six', 6, watch)), 'done', 'of the current version')
      }),
    )

    test(
      'a body whose header cannot be read is not dropped',
      withSystem(engine, {}, async (system) => {
        const shard = await openOne(system)
        const damaged = await put(shard, system.hostOf(0, 0), '/a', 'one', 1)
        const { collection, close } = engine.openStores(system, {
          headerOf: () => {
            throw new AppError('record-damaged', 'no header')
          },
        })
        await collection.markUnwanted([damaged])
        assert.deepEqual(await collection.collect([{ versionId: damaged, action: 'drop' }]), [
          { kind: 'kept', why: 'damaged' },
        ])
        close()
      }),
    )
  })
}

/** Records a page and returns its current version. */
async function put(
  { documents }: OpenShard,
  host: string,
  path: string,
  body: string,
  at: number,
  links: string[] = [],
): Promise<number> {
  return record({ documents }, pageOf(host, path, body, { at, links }))
}

async function record({ documents }: Pick<OpenShard, 'documents'>, page: ReturnType<typeof pageOf>): Promise<number> {
  const [outcome] = await documents.record([page])
  assert.ok(outcome !== undefined && 'versionId' in outcome, outcome?.kind)
  return outcome.versionId
}

async function allVersions(collection: CollectionStore, limit: number): Promise<CollectableVersion[]> {
  const all: CollectableVersion[] = []
  let cursor: CollectionCursor | null = null
  do {
    const page = await collection.versions(cursor, limit)
    all.push(...page.versions)
    cursor = page.next
  } while (cursor !== null)
  return all
}

async function historyOf(versions: VersionStore, versionId: number): Promise<Version[]> {
  const { documentId } = (await versions.version(versionId))!
  return versions.history(documentId, { after: 0, limit: 100 })
}
