import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import { nothing } from '../../conformance/annotations-suite.testkit.ts'
import type { AnnotationBatch } from '../../contracts/annotations.ts'
import { draftsOf, type MadeVersion, makeVersions, untilWaiting } from '../accounts/people.testkit.ts'
import { openPool } from '../connection/pool.ts'
import { createPostgresInbox } from '../inbox/inbox.ts'
import { createDatabase, cutConnections, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { addAnnotations, annotationChannel, readAnnotationEvents } from './annotation-writes.ts'
import { createPostgresAnnotations } from './annotations.ts'

usePostgres()

const host = 'host1.example'
const partition = partitionOf(host)

async function withDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createDatabase()
  try {
    await work(database)
  } finally {
    await database.destroy()
  }
}

/** Settles a task with one annotation. */
function batchOf(version: MadeVersion, parts: Parameters<typeof draftsOf>[1] = {}): AnnotationBatch {
  return { ...nothing, done: [version.task], annotations: draftsOf([version], parts) }
}

/** Adds an annotation in a transaction that stays open until released. */
function holdOpen({ pool }: TestDatabase, version: MadeVersion) {
  const { promise: end, resolve: release } = Promise.withResolvers<void>()
  const { promise: isOpen, resolve: opened } = Promise.withResolvers<number>()
  const done = pool.transaction(async (tx) => {
    const placed = draftsOf([version]).map((draft) => ({ draft, url: `http://${host}/late`, n: 1 }))
    const [added] = await addAnnotations(tx, placed, { alsoAt: [], nearDuplicates: [] })
    opened(added!.annotation.id)
    await end
  })
  return { isOpen, release, done }
}

describe('annotations by several workers', () => {
  test('a worker takes only the tasks of its own partitions', () =>
    withDatabase(async ({ pool }) => {
      const mine = await makeVersions(pool, host, 3)
      const others = await makeVersions(pool, 'host2.example', 2)
      const taken = async (partitions: readonly number[] | null) => {
        const annotations = createPostgresAnnotations({ pool, partitions: () => partitions })
        return (await annotations.tasks({ limit: 9, part: 0, parts: 1 })).map(({ versionId }) => versionId)
      }
      const ids = (versions: readonly MadeVersion[]) => versions.map(({ id }) => id)
      assert.deepEqual(await taken([partition]), ids(mine))
      assert.deepEqual(await taken([others[0]!.partition]), ids(others))
      assert.deepEqual(await taken([]), [])
      assert.deepEqual(await taken(null), [...ids(mine), ...ids(others)])
    }))

  test('a worker that has lost a partition cannot write to it', () =>
    withDatabase(async ({ pool }) => {
      const [one, two] = await makeVersions(pool, host, 2)
      await pool.query('UPDATE leases SET epoch = 5 WHERE partition = $1', [partition])
      const held = new Map<number, number>([[partition, 4]])
      const annotations = createPostgresAnnotations({ pool, epochOf: (each) => held.get(each) ?? null })
      const isLost = (error: unknown): boolean => isAppError(error, 'lease-lost')
      const unwanted = { ...nothing, done: [two!.task], unwanted: [two!.id] }
      for (const batch of [batchOf(one!), unwanted]) await assert.rejects(annotations.commit(batch), isLost)
      held.clear()
      await assert.rejects(annotations.commit(batchOf(one!)), isLost)
      assert.equal(await annotations.countTasks(), 2)
      assert.deepEqual(await annotations.list({ after: 0, limit: 9 }), [])
      assert.deepEqual(
        await createPostgresInbox(pool)
          .counts('ann')
          .then(({ all }) => all),
        0,
      )
      assert.deepEqual(await pool.query('SELECT wanted FROM versions ORDER BY id'), [
        { wanted: true },
        { wanted: true },
      ])
      held.set(partition, 5)
      assert.equal((await annotations.commit(batchOf(one!))).length, 1)
      await annotations.commit(unwanted)
      assert.equal(await annotations.countTasks(), 0)
      assert.deepEqual(await pool.query('SELECT wanted FROM versions ORDER BY id'), [
        { wanted: true },
        { wanted: false },
      ])
    }))

  test('a commit that waits while its partition changes hands is refused', () =>
    withDatabase(async (database) => {
      const { pool } = database
      const [one, two] = await makeVersions(pool, host, 2)
      const open = holdOpen(database, one!)
      await open.isOpen
      const annotations = createPostgresAnnotations({ pool, epochOf: () => 0 })
      // It waits for the owner's inbox, and hasn't checked the lease yet.
      const settling = annotations.commit(batchOf(two!))
      await untilWaiting(pool, 1)
      await pool.query('UPDATE leases SET epoch = 1 WHERE partition = $1', [partition])
      open.release()
      await assert.rejects(settling, (error) => isAppError(error, 'lease-lost'))
      await open.done
      const seen = await annotations.list({ after: 0, limit: 9 })
      assert.deepEqual(
        seen.map(({ versionId }) => versionId),
        [one!.id],
      )
    }))

  test('annotations of an owner become visible in the order of their ids', () =>
    withDatabase(async (database) => {
      const { pool } = database
      const [late, next, elsewhere] = await makeVersions(pool, host, 3)
      const annotations = createPostgresAnnotations({ pool })
      const inbox = createPostgresInbox(pool)
      const arrivals = async (owner: string, after: number) =>
        (await inbox.arrivals(owner, { after, limit: 9 })).map(({ versionId }) => versionId)
      const open = holdOpen(database, late!)
      const id = await open.isOpen
      const settling = annotations.commit(batchOf(next!))
      await untilWaiting(pool, 1)
      assert.deepEqual(await arrivals('ann', 0), [], 'the later one waits for the one before it')
      await annotations.commit(batchOf(elsewhere!, { owner: 'bob' }))
      assert.deepEqual(await arrivals('bob', 0), [elsewhere!.id], 'nobody else waits')
      open.release()
      await Promise.all([open.done, settling])
      assert.deepEqual(await arrivals('ann', 0), [late!.id, next!.id])
      assert.deepEqual(await arrivals('ann', id), [next!.id])
    }))

  test('new annotations are announced to listeners once they can be read', () =>
    withDatabase(async ({ pool }) => {
      const versions = await makeVersions(pool, host, 3)
      const annotations = createPostgresAnnotations({ pool })
      const listener = await pool.connection()
      const { promise, resolve } = Promise.withResolvers<string>()
      listener.on('notification', ({ payload = '' }) => resolve(payload))
      await listener.query(`LISTEN ${annotationChannel}`)
      await annotations.commit({ ...nothing, done: [versions[2]!.task] })
      const made = await annotations.commit({ ...nothing, annotations: draftsOf(versions.slice(0, 2)) })
      assert.deepEqual(
        readAnnotationEvents(await promise),
        made.map(({ id }) => id),
      )
      listener.release(true)
      assert.equal(readAnnotationEvents(''), null)
    }))

  test('a batch may span several partitions', () =>
    withDatabase(async ({ pool }) => {
      const versions = [...(await makeVersions(pool, host, 2)), ...(await makeVersions(pool, 'host2.example', 2))]
      const annotations = createPostgresAnnotations({ pool, epochOf: () => 0 })
      const done = versions.map(({ task }) => task)
      const [one, two, three, four] = versions
      const made = await annotations.commit({
        ...nothing,
        done,
        annotations: draftsOf([one!, three!]),
        unwanted: [two!.id, four!.id],
      })
      assert.deepEqual(
        made.map(({ versionId }) => versionId),
        [one!.id, three!.id],
      )
      assert.equal(await annotations.countTasks(), 0)
      const held = await pool.query<{ version: number }>('SELECT version FROM holds ORDER BY version')
      assert.deepEqual(
        held.map(({ version }) => version),
        [one!.id, three!.id].sort((x, y) => x - y),
      )
    }))

  test('a batch committed by two workers at the same time is stored and counted once', () =>
    withDatabase(async ({ pool, address }) => {
      const versions = await makeVersions(pool, host, 20)
      const second = openPool({ address, maxConnections: 4, name: 'second' })
      const stores = [pool, second].map((each) => createPostgresAnnotations({ pool: each }))
      const owners = ['ann', 'bob', 'cay']
      const rounds = versions.flatMap((version, n) =>
        stores.map((store) =>
          store.commit({
            ...nothing,
            done: [version.task],
            // In a different order each time, without a deadlock.
            annotations: owners.map((_, at) => draftsOf([version], { owner: owners[(at + n) % 3]! })[0]!),
          }),
        ),
      )
      const made = (await Promise.all(rounds)).flat()
      assert.equal(made.length, versions.length * owners.length)
      assert.equal(new Set(made.map(({ id }) => id)).size, made.length)
      for (const owner of owners) assert.equal((await createPostgresInbox(pool).counts(owner)).unread, versions.length)
      assert.equal(await stores[0]!.countTasks(), 0)
      await second.close()
    }))

  test('a cut connection is an error, and a retry stores nothing twice', () =>
    withDatabase(async (database) => {
      const { pool, address } = database
      const [late, cut] = await makeVersions(pool, host, 2)
      const worker = openPool({ address, maxConnections: 2, name: 'worker' })
      const annotations = createPostgresAnnotations({ pool: worker })
      const open = holdOpen(database, late!)
      await open.isOpen
      const settling = annotations.commit(batchOf(cut!))
      const isCut = assert.rejects(settling, (error) => isAppError(error, 'store-unreachable'))
      await untilWaiting(pool, 1)
      await cutConnections(pool, 'worker')
      await isCut
      open.release()
      await open.done
      for (const count of [1, 0]) assert.equal((await annotations.commit(batchOf(cut!))).length, count)
      assert.equal((await createPostgresInbox(pool).counts('ann')).all, 2)
      assert.equal(await annotations.countTasks(), 1)
      await worker.close()
    }))

  test('a task without annotations takes one statement, any other one transaction of three', () =>
    withDatabase(async ({ pool }) => {
      const [one, two, three] = await makeVersions(pool, host, 3)
      const annotations = createPostgresAnnotations({ pool, epochOf: () => 0 })
      const sent = async (batch: AnnotationBatch) => {
        const before = pool.traffic()
        await annotations.commit(batch)
        const { statements, transactions } = pool.traffic()
        return [statements - before.statements, transactions - before.transactions]
      }
      assert.deepEqual(await sent({ ...nothing, done: [one!.task], unwanted: [one!.id] }), [1, 0])
      assert.deepEqual(await sent(batchOf(two!)), [3, 1])
      // And one for texts that are too old.
      const text = { versionId: three!.id, documentId: three!.documentId, host, at: 7, cluster: three!.id, bands: [5] }
      const nearDuplicates = [{ ...text, sketch: Buffer.of(1) }]
      assert.deepEqual(await sent({ ...batchOf(three!), nearDuplicates }), [4, 1])
      assert.deepEqual(await sent(nothing), [0, 0])
    }))

  test('characters that PostgreSQL cannot store are replaced in titles and kept in summaries', () =>
    withDatabase(async ({ pool }) => {
      const [version] = await makeVersions(pool, host, 1)
      const annotations = createPostgresAnnotations({ pool })
      const words = Array.from({ length: 20_000 }, (_, n) => `word${n}`).join(' ')
      const parts = {
        title: `a\0b \ud800 'quoted' back\\slash ${'x'.repeat(5_000)}`,
        summary: { text: `${words}\0\ud800`, marks: [] },
        explanation: { odd: '\0\ud800' },
      }
      const [made] = await annotations.commit(batchOf(version!, parts))
      const found = await annotations.find(made!.id)
      assert.deepEqual([found!.summary, found!.explanation], [parts.summary, parts.explanation])
      assert.ok(found!.title.startsWith('a\ufffdb'))
    }))
})
