import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Check, noCheck } from '../../core/request.ts'
import {
  type AdoptedAnnotation,
  type AnnotationBatch,
  type AnnotationDraft,
  type AnnotationFields,
  type AnnotationStore,
  annotationFields,
  type FieldType,
  type Task,
} from '../contracts/annotations.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type WatchingTarget, withWatchingStores } from './profiles-suite.testkit.ts'
import { fingerprintOf, goneOf, noteOf, pageOf } from './samples.testkit.ts'

export const nothing: AnnotationBatch = {
  done: [],
  annotations: [],
  alsoAt: [],
  nearDuplicates: [],
  unwanted: [],
  wanted: [],
}

function checkOf(watch: number, parts: Partial<Check> = {}): Check {
  return { ...noCheck, watch, round: 100, ...parts }
}

const samples: Record<FieldType, unknown> = { text: 'ïdea', integer: 12, real: 2.5, flag: true, json: { key: '💡' } }
const sample = Object.fromEntries(
  Object.entries(annotationFields).map(([name, { type }]) => [name, samples[type]]),
) as AnnotationFields

/** Fields set neither here nor by the test get a sample value of their type. */
export function draftOf(documentId: number, versionId: number, parts: Partial<AnnotationDraft> = {}): AnnotationDraft {
  const texts = {
    summary: { text: 'the ïdea 💡', marks: [[4, 8]] as const },
    explanation: { terms: [{ key: 'ïdea' }] },
  }
  const facts = { title: 'A "title"', format: 'html', extension: '', ...texts }
  const changes = { list: [{ kind: 'added', path: 'Shop › Kettle', after: 'ïdea' }], more: 2 } as const
  const worth = { urgency: 3, expiresAt: 0, backlog: false, cluster: 0, docbase: '', entry: '', link: '', changes }
  const what = { owner: 'ann', profile: 'p', documentId, versionId, kind: 'new', at: 77 } as const
  return { ...sample, ...what, ...worth, ...facts, ...parts }
}

const allTasks = (annotations: AnnotationStore): Promise<Task[]> =>
  annotations.tasks({ limit: 1000, part: 0, parts: 1 })

/** Stores pages of the host, each with one version, on behalf of watch 1. */
export async function kept(
  { shard, host }: Pick<WatchingTarget, 'shard' | 'host'>,
  paths: readonly string[],
  body = 'one',
) {
  const check = checkOf(1)
  await shard.documents.record(paths.map((path) => pageOf(host, path, `${path} ${body}`, { check, run: 1 })))
  const all = await shard.versions.versions({ after: 0, limit: 1000 })
  return paths.map((path) => all.findLast(({ url }) => url === `http://${host}${path}`)!)
}

/** What every engine promises about tasks and annotations. */
export function annotationsSuite(engine: StoreEngine): void {
  const place = (work: (place: WatchingTarget) => Promise<void>) => withWatchingStores(engine, work)

  describe(`tasks (${engine.name})`, () => {
    test(
      'a version found by a watch becomes a task when it is stored; one without a watch does not',
      place(async ({ shard, host, annotations }) => {
        const check = checkOf(7, { first: true })
        await shard.documents.record([
          pageOf(host, '/alone', 'x'),
          pageOf(host, '/', 'one', { check, hops: 2, run: 7 }),
        ])
        await shard.documents.record([goneOf(host, '/', { check: checkOf(7, { round: 200 }), run: 7 })])
        const [, ...versions] = await shard.versions.versions({ after: 0, limit: 9 })
        const tasks = await allTasks(annotations)
        const [one, two] = versions.map(({ id, documentId, size }) => ({ versionId: id, documentId, size }))
        assert.deepEqual(
          tasks.map(({ id: _, ...task }) => task),
          [
            { ...one!, watch: 7, hops: 2, round: 100, first: true, made: true, attempts: 0 },
            { ...two!, watch: 7, hops: 0, round: 200, first: false, made: true, attempts: 0 },
          ],
        )
        assert.ok(one!.size > 0)
        assert.equal(await annotations.countTasks(), 2)
        const later = { limit: 9, part: 0, parts: 1, after: tasks[0]!.id }
        assert.deepEqual(await annotations.tasks(later), tasks.slice(1))
      }),
    )

    test(
      'an unchanged page becomes a task on a first visit, or if another watch found its version since',
      place(async ({ shard, host, annotations }) => {
        const tasksAfter = async (check: Check) => {
          await shard.documents.record([noteOf(host, '/', 'unchanged', { check, run: check.watch })])
          const tasks = await allTasks(annotations)
          await annotations.commit({ ...nothing, done: tasks.map(({ id }) => id) })
          return tasks.map(({ watch, made }) => `${watch} ${made}`)
        }
        await shard.documents.record([pageOf(host, '/', 'one', { check: checkOf(1), run: 1 })])
        const [version] = await shard.versions.versions({ after: 0, limit: 1 })
        await annotations.commit({ ...nothing, done: (await allTasks(annotations)).map(({ id }) => id) })
        assert.deepEqual(await tasksAfter(checkOf(1)), [], 'its own finding')
        assert.deepEqual(await tasksAfter(checkOf(2, { since: version!.id - 1 })), ['2 false'])
        assert.deepEqual(await tasksAfter(checkOf(3, { since: version!.id })), [], 'it was there at the last check')
        assert.deepEqual(await tasksAfter(checkOf(3, { since: version!.id, first: true })), ['3 false'])
      }),
    )

    test(
      'changed links become a task; a watch that has not seen the text gets the version that introduced it',
      place(async ({ shard, host, annotations }) => {
        const record = async (body: string, check: Check, parts = {}): Promise<number> => {
          const page = pageOf(host, '/', body, { check, run: check.watch, links: [`http://${host}/${body}`], ...parts })
          const [outcome] = await shard.documents.record([page])
          return outcome !== undefined && 'versionId' in outcome ? outcome.versionId : 0
        }
        const text = await record('one', checkOf(1))
        await annotations.commit({ ...nothing, done: (await allTasks(annotations)).map(({ id }) => id) })
        const links = await record('two', checkOf(1), { sameTextAs: text })
        const again = await record('three', checkOf(1), { sameTextAs: links })
        assert.ok(text < links && links < again)
        const tasks = async () =>
          (await allTasks(annotations)).map(({ watch, versionId, made }) => [watch, versionId, made])
        assert.deepEqual(await tasks(), [
          [1, links, true],
          [1, again, true],
        ])
        const later = [checkOf(2, { since: text }), checkOf(3, { since: text - 1 }), checkOf(4, { first: true })]
        const seen = [...later, checkOf(6, { since: again })]
        for (const check of seen)
          await shard.documents.record([noteOf(host, '/', 'unchanged', { check, run: check.watch })])
        const last = await record('four', checkOf(5, { since: text }), { sameTextAs: again })
        assert.deepEqual((await tasks()).slice(2), [
          [2, again, false],
          [3, text, false],
          [4, text, false],
          [5, last, true],
        ])
      }),
    )

    test(
      'a gone page becomes a task for each watch that has not checked it since',
      place(async ({ shard, host, annotations }) => {
        await shard.documents.record([pageOf(host, '/', 'one', { check: checkOf(1), run: 1 })])
        const [version] = await shard.versions.versions({ after: 0, limit: 1 })
        await shard.documents.record([goneOf(host, '/', { check: checkOf(1, { round: 200 }), run: 1 })])
        const [gone] = await shard.versions.versions({ after: version!.id, limit: 1 })
        await annotations.commit({ ...nothing, done: (await allTasks(annotations)).map(({ id }) => id) })
        const watchers = [
          checkOf(2, { since: version!.id }),
          checkOf(3, { since: gone!.id }),
          checkOf(4, { first: true }),
          checkOf(5, { since: gone!.id, first: true }),
        ]
        for (const check of watchers) await shard.documents.record([goneOf(host, '/', { check, run: check.watch })])
        assert.deepEqual(
          (await allTasks(annotations)).map(({ watch, versionId, made }) => [watch, versionId, made]),
          [
            [2, gone!.id, false],
            [4, gone!.id, false],
          ],
        )
      }),
    )

    test(
      'a task that fails three times is set aside with the reason, and is queued again on retry',
      place(async (all) => {
        const { annotations, host } = all
        await kept(all, ['/good', '/bad'])
        const [good, bad] = await allTasks(annotations)
        await annotations.countAttempts([good!.id, bad!.id], 1)
        await annotations.countAttempts([good!.id], -1)
        assert.deepEqual(
          (await allTasks(annotations)).map(({ attempts }) => attempts),
          [0, 1],
        )
        const fail = (at: number) => annotations.fail(bad!.id, { reason: `no luck\n\0 ${at}`, at })
        assert.equal(await fail(10), 'waiting')
        for (const at of [20, 30]) {
          await annotations.countAttempts([bad!.id], 1)
          assert.equal(await fail(at), at === 30 ? 'set-aside' : 'waiting')
        }
        assert.deepEqual(await allTasks(annotations), [good])
        assert.equal(await annotations.countTasks(), 1)
        const { id, versionId, watch } = bad!
        const aside = { id, versionId, watch, url: `http://${host}/bad`, reason: 'no luck 30', at: 30 }
        assert.deepEqual(await annotations.setAside(10), { count: 1, latest: [aside] })
        assert.equal(await annotations.retrySetAside(), 1)
        assert.deepEqual(await allTasks(annotations), [good, bad])
        assert.deepEqual(await annotations.setAside(10), { count: 0, latest: [] })
        await annotations.commit({ ...nothing, done: [good!.id, bad!.id] })
        assert.equal(await annotations.fail(bad!.id, { reason: 'late', at: 40 }), 'waiting')
      }),
    )

    test(
      'set-aside tasks are listed newest first',
      place(async (all) => {
        const { annotations } = all
        await kept(all, ['/a', '/b', '/c'])
        const ids = (await allTasks(annotations)).map(({ id }) => id)
        for (let n = 0; n < 3; n++) await annotations.countAttempts(ids, 1)
        for (const [n, id] of ids.entries()) await annotations.fail(id, { reason: 'bad', at: 10 + (n % 2) })
        const { count, latest } = await annotations.setAside(2)
        assert.equal(count, 3)
        assert.deepEqual(
          latest.map(({ id }) => id),
          [ids[1], ids[2]],
        )
      }),
    )

    test(
      'several workers share the tasks, and all tasks of a document go to the same worker',
      place(async (all) => {
        const paths = Array.from({ length: 12 }, (_, n) => `/${n}`)
        const documents = new Map<number, number>()
        for (const body of ['one', 'two'])
          for (const { id, documentId } of await kept(all, paths, body)) documents.set(id, documentId)
        const parts = [0, 1, 2].map((part) => all.annotations.tasks({ limit: 1000, part, parts: 3 }))
        const taken = (await Promise.all(parts)).map((tasks) => tasks.map(({ versionId }) => versionId))
        assert.deepEqual(
          taken.flat().sort((x, y) => x - y),
          [...documents.keys()].sort((x, y) => x - y),
        )
        const owners = taken.map((versions) => new Set(versions.map((id) => documents.get(id)!)))
        assert.equal(owners[0]!.size + owners[1]!.size + owners[2]!.size, paths.length)
        const few = await all.annotations.tasks({ limit: 2, part: 1, parts: 3 })
        assert.deepEqual(
          few.map(({ versionId }) => versionId),
          taken[1]!.slice(0, 2),
        )
      }),
    )
  })

  describe(`annotations (${engine.name})`, () => {
    test(
      'an annotation is stored as committed, completes its task, and survives a kill',
      place(async (all) => {
        const { annotations, host, system } = all
        const [version] = await kept(all, ['/a'])
        const draft = draftOf(version!.documentId, version!.id)
        const [task] = await allTasks(annotations)
        const [made] = await annotations.commit({ ...nothing, done: [task!.id], annotations: [draft] })
        assert.deepEqual(made, { ...draft, id: made!.id, url: `http://${host}/a`, n: 1, alsoAt: [] })
        await system.kill()
        assert.deepEqual(await annotations.find(made!.id), made)
        assert.equal(await annotations.countTasks(), 0)
        assert.equal(await annotations.find(made!.id + 1), null)
      }),
    )

    test(
      'a second commit for the same owner, profile and version changes nothing',
      place(async (all) => {
        const { annotations } = all
        const [version] = await kept(all, ['/a'])
        const draft = draftOf(version!.documentId, version!.id)
        const [first] = await annotations.commit({ ...nothing, annotations: [draft] })
        const other = { ...draft, profile: 'q' }
        const again = await annotations.commit({ ...nothing, annotations: [{ ...draft, relevance: 9 }, other] })
        assert.deepEqual(
          again.map(({ profile }) => profile),
          ['q'],
        )
        assert.deepEqual(await annotations.find(first!.id), first)
      }),
    )

    test(
      'each feed entry gets its own annotation, committed and adopted once',
      place(async (all) => {
        const { annotations, host } = all
        const [version] = await kept(all, ['/feed'])
        const drafts = ['one', 'two'].map((entry) =>
          draftOf(version!.documentId, version!.id, { entry, title: entry, link: `http://${host}/${entry}` }),
        )
        const [one] = await annotations.commit({ ...nothing, annotations: drafts.slice(0, 1) })
        const made = await annotations.commit({ ...nothing, annotations: [...drafts, ...drafts] })
        assert.deepEqual(
          [one!, ...made].map(({ entry, link, title }) => [entry, link, title]),
          [
            ['one', `http://${host}/one`, 'one'],
            ['two', `http://${host}/two`, 'two'],
          ],
        )
        const url = `http://${host}/other`
        const others = ['one', 'two', 'one'].map((entry): AdoptedAnnotation => {
          const { documentId: _, versionId: __, cluster: ___, ...draft } = draftOf(0, 0, { silent: true, entry })
          return { draft, document: { host, fp: fingerprintOf(url), url }, version: null, alsoAt: [] }
        })
        assert.equal(await annotations.adopt(others), 2)
        assert.equal(await annotations.adopt(others), 0)
      }),
    )

    test(
      'a muted annotation is committed like any other',
      place(async (all) => {
        const { annotations } = all
        const [version] = await kept(all, ['/a'])
        const draft = draftOf(version!.documentId, version!.id)
        const [made] = await annotations.commit({ ...nothing, annotations: [{ ...draft, muted: true }] })
        assert.deepEqual(made, { ...draft, id: made!.id, url: version!.url, n: 1, alsoAt: [] })
        assert.deepEqual(await annotations.commit({ ...nothing, annotations: [draft] }), [], 'it exists')
      }),
    )

    test(
      'annotations are listed by owner and profile in pages, and the last one of a document is found',
      place(async (all) => {
        const { annotations } = all
        const [one, two] = await kept(all, ['/a', '/b'])
        const [next] = await kept(all, ['/a'], 'two')
        await annotations.commit({
          ...nothing,
          annotations: [
            draftOf(one!.documentId, one!.id),
            draftOf(two!.documentId, two!.id, { owner: 'bob', profile: 'q' }),
            draftOf(next!.documentId, next!.id, { kind: 'changed' }),
          ],
        })
        const ids = async (page: Parameters<AnnotationStore['list']>[0]) =>
          (await annotations.list(page)).map(({ versionId }) => versionId)
        assert.deepEqual(await ids({ after: 0, limit: 9 }), [one!.id, two!.id, next!.id])
        assert.deepEqual(await ids({ after: 0, limit: 9, owner: 'bob' }), [two!.id])
        assert.deepEqual(await ids({ after: 0, limit: 1, profile: 'p' }), [one!.id])
        const { id } = (await annotations.list({ after: 0, limit: 1 }))[0]!
        assert.deepEqual(await ids({ after: id, limit: 9, profile: 'p' }), [next!.id])
        assert.equal((await annotations.last('p', one!.documentId))?.kind, 'changed')
        assert.equal(await annotations.last('q', one!.documentId), null)
      }),
    )

    test(
      'annotations from another system are adopted once, even if their page or version is unknown',
      place(async (all) => {
        const { annotations, shard, host } = all
        const [one] = await kept(all, ['/a'])
        const adopted = (
          path: string,
          parts: Partial<AdoptedAnnotation> = {},
          draft: Partial<AnnotationDraft> = {},
        ) => {
          const { documentId: _, versionId: __, cluster: ___, ...fields } = draftOf(0, 0, { silent: true, ...draft })
          const url = `http://${host}${path}`
          return { draft: fields, document: { host, fp: fingerprintOf(url), url }, version: null, alsoAt: [], ...parts }
        }
        const alsoAt = ['http://z.example/', 'http://b.example/']
        const batch = [
          adopted('/a', { version: { id: one!.id, n: 1 } }, { silent: false }),
          adopted('/a', {}, { at: 78, docbase: '969890.gzip' }),
          adopted('/new', { alsoAt }, { docbase: 'http://x/@3' }),
          adopted('/new', {}, { profile: '', docbase: 'http://x/@3' }),
          adopted('/new', {}, { owner: 'bob', docbase: 'http://x/@3' }),
        ]
        assert.equal(await annotations.adopt(batch), 5)
        assert.equal(await annotations.adopt(batch), 0)
        assert.equal(await annotations.adopt([batch[2]!, adopted('/new', {}, { at: 79 }), batch[2]!]), 1)
        const list = await annotations.list({ after: 0, limit: 99 })
        const url = `http://${host}/new`
        assert.deepEqual(
          list.map((each) => [each.url, each.n, each.owner, each.profile, each.at, each.docbase]),
          [
            [one!.url, 1, 'ann', 'p', 77, ''],
            [one!.url, 0, 'ann', 'p', 78, '969890.gzip'],
            [url, 0, 'ann', 'p', 77, 'http://x/@3'],
            [url, 0, 'ann', '', 77, 'http://x/@3'],
            [url, 0, 'bob', 'p', 77, 'http://x/@3'],
            [url, 0, 'ann', 'p', 79, ''],
          ],
        )
        assert.deepEqual(
          list.map(({ documentId }) => documentId === one!.documentId),
          [true, true, false, false, false, false],
        )
        assert.deepEqual(list[2]!.alsoAt, alsoAt)
        assert.deepEqual([list[0]!.versionId, list[0]!.summary], [one!.id, batch[0]!.draft.summary])
        const document = await shard.versions.document(batch[2]!.document)
        assert.deepEqual([document?.url, document?.outcome, document?.versionId], [url, 'imported', 0])
        // When the page is fetched later, its version numbers start at 1.
        await shard.documents.record([pageOf(host, '/new', 'now')])
        const [version] = await shard.versions.history(document!.id, { after: 0, limit: 9 })
        assert.deepEqual([version?.n, version?.reason], [1, 'new'])
        assert.equal((await annotations.find(list[2]!.id))?.n, 0)
      }),
    )
  })
}
