import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Check, FIRST_CRAWL } from '../../core/request.ts'
import type { CrawlDraft, CrawlProgress } from '../contracts/crawls.ts'
import type { Capture } from '../contracts/documents.ts'
import { CONFIGURATION, MAX_OVER } from '../rules/crawls.ts'
import { openOne, type StoreEngine, withSystem } from './engine.testkit.ts'
import { noteOf, pageOf } from './samples.testkit.ts'

const draft: CrawlDraft = {
  ...{ askedBy: 'ada@example.org', askedAt: 1_000, seeds: ['http://a.example/', 'http://b.example/ü'] },
  ...{ depth: 2, restrict: '^http://a', maxPages: null },
}
const fresh = {
  state: 'waiting',
  startedAt: 0,
  endedAt: 0,
  queued: 0,
  counts: {},
  reason: '',
  stopAsked: false,
  pagesLeft: null,
} as const

function progressOf(id: number, parts: Partial<CrawlProgress> = {}): CrawlProgress {
  return { id, state: 'running', startedAt: 2_000, endedAt: 0, queued: 3, counts: { fetched: 5 }, reason: '', ...parts }
}

const byWatch: Check = { watch: 1, round: 10, freshFrom: 10, since: 0, first: false }
const byCrawl: Check = { watch: FIRST_CRAWL + 1, round: 20, freshFrom: 20, since: 0, first: true }

/** What every engine promises about crawls of the running service and the documents they fetch. */
export function crawlsSuite(engine: StoreEngine): void {
  describe(`crawls of the service (${engine.name})`, () => {
    test(
      'a crawl is stored as requested, and its progress is updated until it is over',
      withSystem(engine, {}, async (system) => {
        await system.open(1)
        const { crawls, close } = engine.openStores(system)
        const id = (await crawls.add(draft, 2))!
        assert.deepEqual(await crawls.find(id), { id, ...draft, ...fresh })
        const second = (await crawls.add(draft, 2))!
        assert.ok(second > id)
        assert.equal(await crawls.add(draft, 2), null)
        const ids = async () => (await crawls.open()).map((crawl) => crawl.id)
        assert.deepEqual(await ids(), [id, second])
        await crawls.save([progressOf(id)])
        assert.deepEqual(await crawls.find(id), { ...draft, ...progressOf(id), stopAsked: false, pagesLeft: null })
        assert.equal(await crawls.askStop(id), true)
        assert.equal((await crawls.find(id))?.stopAsked, true)
        await crawls.save([progressOf(id, { state: 'stopped', endedAt: 3_000, reason: 'why not' })])
        assert.equal(await crawls.askStop(id), false)
        assert.deepEqual(await ids(), [second])
        // A crawl that is over doesn't change.
        await crawls.save([progressOf(id)])
        assert.equal((await crawls.find(id))?.state, 'stopped')
        assert.equal(await crawls.askStop(second + 1), false)
        assert.equal(await crawls.find(second + 1), null)
        const list = await crawls.list({ before: second, limit: 10 })
        assert.deepEqual(
          list.map((crawl) => crawl.id),
          [id],
        )
        close()
      }),
    )

    test(
      'old finished crawls are removed, except the last one of the configuration',
      withSystem(engine, {}, async (system) => {
        await system.open(1)
        const { crawls, close } = engine.openStores(system)
        assert.equal(await crawls.newestOf(CONFIGURATION), null)
        const waits = (await crawls.add(draft, 2))!
        for (const depth of [1, 2]) {
          const id = (await crawls.add({ ...draft, askedBy: CONFIGURATION, depth }, 2))!
          await crawls.save([progressOf(id, { state: 'finished', endedAt: 3_000 })])
        }
        let last = waits
        for (let n = 0; n < MAX_OVER + 3; n++) {
          last = (await crawls.add(draft, 2))!
          await crawls.save([progressOf(last, { state: 'finished', endedAt: 3_000 })])
        }
        const list = await crawls.list({ before: Number.MAX_SAFE_INTEGER, limit: 1_000 })
        assert.equal(list.length, MAX_OVER + 2)
        assert.equal(list[0]?.id, last)
        assert.equal(list.at(-1)?.id, waits)
        // The last crawl of the configuration must not be repeated, however long ago it was.
        assert.equal((await crawls.newestOf(CONFIGURATION))?.depth, 2)
        assert.equal((await crawls.newestOf(draft.askedBy))?.id, last)
        close()
      }),
    )

    test(
      'documents reached by a watch are stored with the shortest distance; crawls reach none for watches',
      withSystem(engine, {}, async (system) => {
        const { documents } = await openOne(system)
        const host = system.hostOf(0, 0)
        const { versions, close } = engine.openStores(system)
        const by = (watch: number, hops: number) => ({ check: { ...byWatch, watch }, run: watch, hops })
        const { kind: _, ...met } = noteOf(host, '/a', 'unchanged', by(2, 1))
        await documents.record([
          pageOf(host, '/a', 'a', by(1, 3)),
          { ...met, kind: 'met' } as Capture,
          noteOf(host, '/broken', 'failed', by(1, 1)),
          pageOf(host, '/crawled', 'b'),
        ])
        await documents.record([pageOf(host, '/a', 'a', by(1, 2)), pageOf(host, '/a', 'a', by(1, 5))])
        await documents.record([pageOf(host, '/a', 'a', by(1, 4))])
        const all = await versions.documents({ after: 0, limit: 100 })
        const pathOf = new Map(all.map(({ id, url }) => [id, new URL(url).pathname]))
        const reached = async (...watches: number[]) =>
          (await versions.reached({ documents: [...pathOf.keys()], watches }))
            .map(({ document, watch, hops }) => `${pathOf.get(document)} ${watch} ${hops}`)
            .sort()
        assert.deepEqual(await reached(1, 2, 3), ['/a 1 2', '/a 2 1', '/broken 1 1'])
        assert.deepEqual(await reached(2), ['/a 2 1'])
        assert.deepEqual(await reached(), [])
        assert.deepEqual(await versions.reached({ documents: [], watches: [1] }), [])
        close()
      }),
    )

    test(
      'documents met by a crawl count as crawled for all; those met only by watches do not',
      withSystem(engine, {}, async (system) => {
        const { documents } = await openOne(system)
        const host = system.hostOf(0, 0)
        const { versions, annotations, close } = engine.openStores(system)
        await documents.record([
          pageOf(host, '/watched', 'a', { check: byWatch, run: 1 }),
          pageOf(host, '/by-hand', 'b'),
          pageOf(host, '/in-service', 'c', { check: byCrawl, run: byCrawl.watch }),
          pageOf(host, '/both', 'd', { check: byWatch, run: 1 }),
          pageOf(host, '/met', 'e', { check: byWatch, run: 1 }),
        ])
        const crawled = async (): Promise<string[]> => {
          const all = await versions.documents({ after: 0, limit: 100 })
          const ids = await versions.crawledForAll(all.map(({ id }) => id))
          return all.filter(({ id }) => ids.has(id)).map(({ url }) => new URL(url).pathname)
        }
        assert.deepEqual((await crawled()).sort(), ['/by-hand', '/in-service'])
        assert.deepEqual(await versions.crawledForAll([]), new Set())
        // A crawl makes no tasks for the annotation engine.
        assert.equal(await annotations.countTasks(), 3)
        const { kind: _, ...met } = noteOf(host, '/met', 'unchanged', { check: byCrawl, run: byCrawl.watch })
        await documents.record([
          noteOf(host, '/both', 'unchanged', { check: byCrawl, run: byCrawl.watch }),
          { ...met, kind: 'met' },
        ])
        // A later check of a watch doesn't undo this.
        await documents.record([pageOf(host, '/both', 'dd', { check: { ...byWatch, round: 30 }, run: 1, at: 9_000 })])
        assert.deepEqual((await crawled()).sort(), ['/both', '/by-hand', '/in-service', '/met'])
        close()
      }),
    )

    test(
      'a document crawled for all stays wanted even if it matches no profile',
      withSystem(engine, {}, async (system) => {
        const { documents } = await openOne(system)
        const host = system.hostOf(0, 0)
        const { annotations, collection, close } = engine.openStores(system)
        const settle = async (): Promise<void> => {
          const tasks = await annotations.tasks({ limit: 10, part: 0, parts: 1 })
          const batch = { annotations: [], alsoAt: [], nearDuplicates: [], wanted: [] }
          for (const { id, versionId } of tasks)
            await annotations.commit({ ...batch, done: [id], unwanted: [versionId] })
        }
        const wanted = async (): Promise<Record<string, boolean>> => {
          const { versions } = await collection.versions(null, 100)
          const named = versions.map(({ url, n, wanted }) => [`${new URL(url).pathname}@${n}`, wanted] as const)
          return Object.fromEntries(named.sort())
        }
        await documents.record([
          pageOf(host, '/a', 'a', { check: byWatch, run: 1 }),
          pageOf(host, '/b', 'b', { check: byWatch, run: 1 }),
        ])
        await settle()
        assert.deepEqual(await wanted(), { '/a@1': false, '/b@1': false })
        await documents.record([noteOf(host, '/a', 'unchanged', { check: byCrawl, run: byCrawl.watch })])
        assert.deepEqual(await wanted(), { '/a@1': true, '/b@1': false })
        await documents.record([pageOf(host, '/a', 'aa', { check: { ...byWatch, round: 30 }, run: 1, at: 9_000 })])
        await settle()
        assert.deepEqual(await wanted(), { '/a@1': true, '/a@2': true, '/b@1': false })
        close()
      }),
    )
  })
}
