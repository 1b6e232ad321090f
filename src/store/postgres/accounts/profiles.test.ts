import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { keyedOf } from '../../conformance/profiles-suite.testkit.ts'
import { createPostgresWatches } from '../cluster/watches.ts'
import { openPool } from '../connection/pool.ts'
import { createDatabase, cutConnections, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { untilWaiting } from './people.testkit.ts'
import { createPostgresProfiles } from './profiles.ts'
import { lockBase, revise } from './revisions.ts'

usePostgres()

const [a, b, c] = ['http://a.example/', 'http://b.example/', 'http://c.example/']

async function withDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createDatabase()
  try {
    await work(database)
  } finally {
    await database.destroy()
  }
}

describe('profiles shared by several processes', () => {
  test('concurrent puts of the same source create one watch, and every change gets a revision', () =>
    withDatabase(async ({ pool, address }) => {
      const second = openPool({ address, maxConnections: 3, name: 'second' })
      const stores = [pool, second].map(createPostgresProfiles)
      await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          stores[n % 2]!.put([keyedOf(`p${n % 5}`, 'ann', n % 3 === 0 ? [a, b] : [c, a, b])]),
        ),
      )
      assert.equal(await stores[0]!.revision(), 20)
      assert.deepEqual((await createPostgresWatches(pool).all()).map(({ key }) => key).sort(), [a, b, c])
      for (let n = 0; n < 5; n++) {
        const [profile, urds] = [await stores[1]!.find(`p${n}`), await stores[1]!.urdsOf(`p${n}`)]
        assert.deepEqual(
          urds.map(({ place }) => place),
          profile!.sources.map((_, place) => place),
        )
      }
      await second.close()
    }))

  test('a change is announced to listeners only once it is committed', () =>
    withDatabase(async ({ pool }) => {
      const profiles = createPostgresProfiles(pool)
      const listener = await pool.connection()
      const { promise, resolve } = Promise.withResolvers<string>()
      listener.on('notification', ({ payload = '' }) => resolve(payload))
      await listener.query('LISTEN profiles')
      await assert.rejects(
        pool.transaction(async (tx) => {
          await revise(tx, 'profiles')
          throw new Error('no')
        }),
      )
      await profiles.put([keyedOf('p', 'ann', [a])])
      assert.equal(Number(await promise), await profiles.revision())
      listener.release(true)
    }))

  test('thousands of profiles are put and removed with few statements', () =>
    withDatabase(async ({ pool }) => {
      const profiles = createPostgresProfiles(pool)
      const many = Array.from({ length: 2_000 }, (_, n) => keyedOf(`p${n}`, 'ann', [`http://${n % 700}.example/`, a]))
      const before = pool.traffic().statements
      await profiles.put(many)
      await profiles.put(
        many.map(({ profile }) => keyedOf(profile.id, 'ann', [a, ...profile.sources.map(({ uri }) => uri)])),
      )
      assert.equal(await profiles.remove(many.map(({ profile }) => profile.id)), 2_000)
      assert.ok(pool.traffic().statements - before < 20)
      assert.deepEqual(await pool.query('SELECT 1 FROM urds'), [])
      assert.equal((await createPostgresWatches(pool).all()).length, 701)
    }))

  test('a cut connection is an error, and no part of the change is stored', () =>
    withDatabase(async ({ pool, address }) => {
      const worker = openPool({ address, maxConnections: 2, name: 'worker' })
      const profiles = createPostgresProfiles(worker)
      const { promise: end, resolve: release } = Promise.withResolvers<void>()
      const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>()
      const holding = pool.transaction(async (tx) => {
        await lockBase(tx, 'profiles')
        locked()
        await end
      })
      await isLocked
      const given = [keyedOf('p', 'ann', [a, b])]
      const putting = assert.rejects(profiles.put(given), (error) => isAppError(error, 'store-unreachable'))
      await untilWaiting(pool, 1)
      await cutConnections(pool, 'worker')
      await putting
      release()
      await holding
      assert.deepEqual([await profiles.find('p'), await profiles.revision()], [null, 0])
      for (let times = 0; times < 2; times++) await profiles.put(given)
      assert.equal((await profiles.urdsOf('p')).length, 2)
      await worker.close()
    }))
})

describe('watches in PostgreSQL', () => {
  test('a watch finished twice in one batch records both checks, and an unknown watch none', () =>
    withDatabase(async ({ pool }) => {
      const profiles = createPostgresProfiles(pool)
      const watches = createPostgresWatches(pool)
      await profiles.put([keyedOf('p', 'ann', [a])])
      const { watch } = (await profiles.urdsOf('p'))[0]!
      const outcome = { outcome: 'changed', status: 200, changes: 1, landed: null, visited: [] }
      await watches.finish([
        { ...outcome, watch, checkedAt: 100 },
        { ...outcome, watch: 999_999, checkedAt: 150 },
        { ...outcome, watch, checkedAt: 200, outcome: 'failed' },
      ])
      const told = await watches.checks(watch, 9)
      assert.deepEqual(
        told.map(({ at, outcome: came }) => [at, came]),
        [
          [200, 'failed'],
          [100, 'changed'],
        ],
      )
      assert.deepEqual(await watches.checks(999_999, 9), [])
      const [row] = await watches.find([999_999, watch])
      assert.deepEqual([row!.checkedAt, row!.outcome, row!.changedAt], [200, 'failed', 200])
    }))
})
