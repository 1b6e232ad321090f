import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { accountDraft } from '../../conformance/accounts/accounts-suite.testkit.ts'
import type { RequestCountStore } from '../../contracts/request-counts.ts'
import { openPool, type PostgresPool } from '../connection/pool.ts'
import { createDatabase, cutConnections, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresAccounts } from './accounts.ts'
import { untilWaiting } from './people.testkit.ts'
import { createPostgresRequestCounts } from './request-counts.ts'
import { lockBase } from './revisions.ts'
import { createPostgresSignInFailures } from './sign-in.ts'

usePostgres()

async function withPools(
  count: number,
  work: (place: { database: TestDatabase; pools: PostgresPool[] }) => Promise<void>,
): Promise<void> {
  const database = await createDatabase()
  const { address } = database
  const pools = Array.from({ length: count }, () => openPool({ address, maxConnections: 3, name: 'process' }))
  try {
    await work({ database, pools })
  } finally {
    for (const pool of pools) await pool.close()
    await database.destroy()
  }
}

describe('accounts shared by several processes', () => {
  test('only one of many concurrent attempts to add the first account succeeds', () =>
    withPools(4, async ({ pools }) => {
      const stores = pools.map(createPostgresAccounts)
      const tries = stores.flatMap((accounts, name) =>
        Array.from({ length: 10 }, (_, round) =>
          accounts.add(accountDraft(`${name}-${round}@x.example`), { onlyFirst: true }),
        ),
      )
      const won = (await Promise.all(tries)).filter((account) => account !== null)
      assert.equal(won.length, 1)
      assert.deepEqual(await stores[0]!.list({ after: 0, limit: 99 }), won)
      assert.equal(await stores[0]!.revision(), 1)
    }))

  test('when two administrators remove each other, one is left', () =>
    withPools(2, async ({ pools }) => {
      const stores = pools.map(createPostgresAccounts)
      const draft = (name: string) => accountDraft(`${name}@x.example`, { role: 'administrator' })
      const ids = [(await stores[0]!.add(draft('one')))!.id, (await stores[0]!.add(draft('two')))!.id]
      const outcomes = await Promise.all(stores.map((accounts, n) => accounts.remove(ids[1 - n]!)))
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'last-administrator'])
      assert.equal(await stores[0]!.count(), 1)
    }))

  test('requests are counted across all servers, and old minutes are dropped', () =>
    withPools(2, async ({ pools }) => {
      const [a, b] = pools.map(createPostgresRequestCounts) as [RequestCountStore, RequestCountStore]
      assert.deepEqual(await a.add(1, new Map([['x', 2]])), new Map([['x', 2]]))
      const totals = await b.add(1, new Map(Object.entries({ y: 4, x: 3 })))
      assert.deepEqual(Object.fromEntries(totals), { x: 5, y: 4 })
      assert.deepEqual(await a.add(2, new Map([['x', 1]])), new Map([['x', 1]]))
      assert.deepEqual(await b.add(2, new Map()), new Map())
      const [row] = await pools[0]!.query('SELECT count(*)::int AS rows FROM request_counts')
      assert.deepEqual(row, { rows: 1 })
    }))

  test('a cut connection is an error, and no part of the change is stored', () =>
    withPools(1, async ({ database: { pool }, pools }) => {
      const accounts = createPostgresAccounts(pools[0]!)
      const { promise: end, resolve: release } = Promise.withResolvers<void>()
      const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
      const holding = pool.transaction(async (tx) => {
        await lockBase(tx, 'accounts')
        locked()
        await end
      })
      await isLocked
      const adding = assert.rejects(accounts.add(accountDraft('ann@x.example')), (error) =>
        isAppError(error, 'store-unreachable'),
      )
      await untilWaiting(pool, 1)
      await cutConnections(pool, 'process')
      await adding
      release()
      await holding
      assert.deepEqual([await accounts.count(), await accounts.revision()], [0, 0])
      assert.ok(await accounts.add(accountDraft('ann@x.example')))
      assert.deepEqual([await accounts.count(), await accounts.revision()], [1, 1])
    }))

  test('lookups with characters that PostgreSQL cannot store find nothing, and stored names replace them', () =>
    withPools(1, async ({ pools }) => {
      const accounts = createPostgresAccounts(pools[0]!)
      assert.equal(await accounts.findByEmail('a\0b@x.example'), null)
      assert.deepEqual(await createPostgresSignInFailures(pools[0]!).find('a\0b'), { count: 0, lastAt: 0 })
      const made = await accounts.add(accountDraft('ann@x.example', { name: 'A\0B' }))
      assert.equal(made?.name, 'A\ufffdB')
    }))
})
