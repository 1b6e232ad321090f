import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { parseSearchQuery } from '../../../core/search-query/parse-query.ts'
import { nothing } from '../../conformance/annotations-suite.testkit.ts'
import { pagesAgree } from '../../conformance/inbox-pages-suite.testkit.ts'
import { type InboxFilter, type InboxStore, inboxStates } from '../../contracts/inbox.ts'
import { draftsOf, fillInboxes, makeVersions, untilWaiting } from '../accounts/people.testkit.ts'
import { createPostgresAnnotations } from '../annotations/annotations.ts'
import { openPool } from '../connection/pool.ts'
import { createDatabase, cutConnections, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresInbox, lockInbox } from './inbox.ts'

usePostgres()

async function withDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createDatabase()
  try {
    await work(database)
  } finally {
    await database.destroy()
  }
}

function queryOf(text: string): Pick<InboxFilter, 'query'> {
  const parsed = parseSearchQuery(text)
  assert.ok(parsed.kind === 'query', text)
  return { query: parsed.query }
}

/** Compares the counts with the rows. */
async function countsAgree(inbox: InboxStore, owner: string): Promise<void> {
  const { profiles: _, ...counts } = await inbox.counts(owner)
  for (const state of inboxStates)
    assert.equal(counts[state], (await inbox.list(owner, { state }, { before: null, limit: 10_000 })).length, state)
  await pagesAgree(inbox, owner)
}

describe('the inbox in PostgreSQL', () => {
  test('counts and holds stay correct under concurrent marks and new annotations', () =>
    withDatabase(async ({ pool, address }) => {
      const second = openPool({ address, maxConnections: 4, name: 'second' })
      const stores = [pool, second].map((each) => createPostgresInbox(each))
      const engines = [pool, second].map((each) => createPostgresAnnotations({ pool: each }))
      const versions = await makeVersions(pool, 'host1.example', 60)
      const first = versions.slice(0, 30)
      const made = await engines[0]!.commit({ ...nothing, annotations: draftsOf(first) })
      const ids = made.map(({ id }) => id)
      const work: Promise<unknown>[] = versions.slice(30).map((version, n) => {
        const annotations = draftsOf([version], { owner: n % 5 === 0 ? 'bob' : 'ann', muted: n % 7 === 0 })
        return engines[n % 2]!.commit({ ...nothing, annotations })
      })
      for (let n = 0; n < 30; n++) {
        const marks = [{ read: true }, { starred: true }, { archived: n % 2 === 0 }, { read: false }][n % 4]!
        work.push(stores[n % 2]!.mark('ann', ids.slice(n % 10, (n % 10) + 15), marks))
        if (n % 6 === 0) work.push(stores[n % 2]!.markAll('ann', { state: 'all' }, { read: true }, 7))
        if (n % 10 === 0) work.push(stores[n % 2]!.remove('ann', { limit: 1 }))
      }
      await Promise.all(work)
      for (const owner of ['ann', 'bob']) await countsAgree(stores[0]!, owner)
      const wrong = await pool.query(
        `SELECT i.id FROM inbox i LEFT JOIN holds h ON h.version = i.version AND h.owner = i.owner
         WHERE (h.owner IS NOT NULL) <> (NOT i.archived AND (NOT i.read OR i.starred))`,
      )
      assert.deepEqual(wrong, [])
      await second.close()
    }))

  test('if two concurrent calls set the same marks, each change is returned by only one', () =>
    withDatabase(async ({ pool, address }) => {
      const second = openPool({ address, maxConnections: 2, name: 'second' })
      const versions = await makeVersions(pool, 'host1.example', 40)
      const made = await createPostgresAnnotations({ pool }).commit({ ...nothing, annotations: draftsOf(versions) })
      const ids = made.map(({ id }) => id)
      const told = await Promise.all([
        createPostgresInbox(pool).mark('ann', ids, { read: true }),
        createPostgresInbox(second).markAll('ann', { state: 'unread' }, { read: true }, 40),
      ])
      assert.deepEqual(
        told.flat().sort((x, y) => x - y),
        ids,
      )
      assert.equal((await createPostgresInbox(pool).counts('ann')).unread, 0)
      await second.close()
    }))

  test('a connection cut while marking is an error and leaves nothing half done', () =>
    withDatabase(async ({ pool, address }) => {
      const worker = openPool({ address, maxConnections: 2, name: 'worker' })
      const [version] = await makeVersions(pool, 'host1.example', 1)
      const [made] = await createPostgresAnnotations({ pool }).commit({ ...nothing, annotations: draftsOf([version!]) })
      const inbox = createPostgresInbox(worker)
      const { promise: end, resolve: release } = Promise.withResolvers<void>()
      const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
      const holding = pool.transaction(async (tx) => {
        await lockInbox(tx, 'ann')
        locked()
        await end
      })
      await isLocked
      const marking = assert.rejects(inbox.mark('ann', [made!.id], { read: true }), (error) =>
        isAppError(error, 'store-unreachable'),
      )
      await untilWaiting(pool, 1)
      await cutConnections(pool, 'worker')
      await marking
      release()
      await holding
      assert.equal((await inbox.counts('ann')).unread, 1)
      for (const changed of [[made!.id], []])
        assert.deepEqual(await inbox.mark('ann', [made!.id], { read: true }), changed)
      await countsAgree(inbox, 'ann')
      await worker.close()
    }))

  test('rare and common words are found among thousands of rows', () =>
    withDatabase(async ({ pool }) => {
      await fillInboxes(pool, ['ann', 'bob'], 12_000)
      const inbox = createPostgresInbox(pool)
      const times = async (text: string, filter: Partial<InboxFilter> = {}, limit = 20) =>
        (await inbox.list('ann', { state: 'all', ...queryOf(text), ...filter }, { before: null, limit })).map(
          ({ at }) => at,
        )
      const evens = Array.from({ length: 6_000 }, (_, n) => 12_000 - 2 * n).filter((n) => n % 7 !== 0)
      assert.deepEqual(
        await times('rare'),
        evens.filter((n) => n % 1_000 === 0),
      )
      assert.deepEqual(await times('common'), evens.slice(0, 20))
      assert.deepEqual(
        await times('rare', { state: 'archived' }),
        Array.from({ length: 12 }, (_, n) => 12_000 - 1_000 * n).filter((n) => n % 7 === 0),
      )
      assert.deepEqual(await times('common', {}, 5_000), evens.slice(0, 5_000))
      assert.deepEqual(
        await times('rare', { profile: 'ann-1' }),
        evens.filter((n) => n % 1_000 === 0 && n % 3 === 1),
      )
    }))
})
