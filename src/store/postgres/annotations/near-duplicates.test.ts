import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { nothing } from '../../conformance/annotations-suite.testkit.ts'
import { draftsOf, makeVersions, planOf, untilWaiting } from '../accounts/people.testkit.ts'
import { openPool } from '../connection/pool.ts'
import { createDatabase, cutConnections, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresNearDuplicates, nearDuplicateStatements } from './near-duplicates.ts'

usePostgres()

const HASH = 0xf123_4567_89ab_cdefn
const bit = (n: number): bigint => 1n << BigInt(n)

async function withNearDuplicates(
  work: (database: TestDatabase, nearDuplicates: ReturnType<typeof createPostgresNearDuplicates>) => Promise<void>,
): Promise<void> {
  const database = await createDatabase()
  try {
    await work(database, createPostgresNearDuplicates({ pool: database.pool, epochOf: () => 0 }))
  } finally {
    await database.destroy()
  }
}

/** Looks for the story and keeps the version as part of it. */
async function meet(
  nearDuplicates: ReturnType<typeof createPostgresNearDuplicates>,
  version: number,
  hash: bigint,
): Promise<number> {
  return nearDuplicates.decide(hash, async (found) => {
    const cluster = found.cluster ?? version
    await found.annotations.commit({ ...nothing, nearDuplicates: [{ versionId: version, hash, cluster }] })
    return { cluster, result: cluster }
  })
}

describe('near-duplicates over all workers', () => {
  test('a text within three bits is part of the cluster, whatever bands they fall into', () =>
    withNearDuplicates(async (_, nearDuplicates) => {
      assert.equal(await meet(nearDuplicates, 1, HASH), 1)
      assert.equal(await meet(nearDuplicates, 2, HASH ^ bit(0) ^ bit(20) ^ bit(63)), 1)
      assert.equal(await meet(nearDuplicates, 3, HASH ^ bit(40) ^ bit(41) ^ bit(50) ^ bit(7)), 3)
      assert.equal(await meet(nearDuplicates, 4, 0n), 4)
      assert.equal(await meet(nearDuplicates, 5, bit(63)), 4)
    }))

  test('the nearest cluster is chosen, and of equally near ones the newest', () =>
    withNearDuplicates(async ({ pool }, nearDuplicates) => {
      const rows = [
        [1, HASH ^ bit(1) ^ bit(2) ^ bit(3), 11],
        [2, HASH ^ bit(9), 12],
        [3, HASH ^ bit(19), 13],
        [4, HASH ^ bit(5) ^ bit(6), 14],
      ] as const
      for (const [version, hash, cluster] of rows)
        await pool.query('INSERT INTO stories (version, hash, story) VALUES ($1, $2::bigint, $3)', [
          version,
          String(BigInt.asIntN(64, hash)),
          cluster,
        ])
      assert.equal(await meet(nearDuplicates, 9, HASH), 13)
    }))

  test('near-duplicates are found by their bands, however many there are', () =>
    withNearDuplicates(async ({ pool }) => {
      const { scans } = await planOf(pool, nearDuplicateStatements.find, ['81985529216486895'])
      assert.deepEqual(
        scans.map(({ index }) => index),
        [0, 1, 2, 3].map((band) => `stories_band_${band}`),
      )
    }))

  test('a decision on a near text waits, any other does not', () =>
    withNearDuplicates(async (database, nearDuplicates) => {
      const { promise: goOn, resolve } = Promise.withResolvers<void>()
      const { promise: isDeciding, resolve: decides } = Promise.withResolvers<void>()
      const first = nearDuplicates.decide(HASH, async ({ annotations }) => {
        decides()
        await goOn
        await annotations.commit({ ...nothing, nearDuplicates: [{ versionId: 1, hash: HASH, cluster: 1 }] })
        return { cluster: 1, result: 1 }
      })
      await isDeciding
      const second = meet(nearDuplicates, 2, HASH ^ bit(30))
      await untilWaiting(database.pool, 1)
      assert.equal(await meet(nearDuplicates, 3, ~HASH & 0xffff_ffff_ffff_ffffn), 3)
      resolve()
      assert.deepEqual(await Promise.all([first, second]), [1, 1])
    }))

  test('a connection that is cut during a decision rolls everything back', () =>
    withNearDuplicates(async (database) => {
      const pool = openPool({ address: database.address, maxConnections: 2, name: 'cut off' })
      const nearDuplicates = createPostgresNearDuplicates({ pool, epochOf: () => 0 })
      const [version] = await makeVersions(database.pool, 'host1.example', 1)
      const batch = { ...nothing, done: [version!.task], annotations: draftsOf([version!], { cluster: version!.id }) }
      const deciding = nearDuplicates.decide(HASH, async ({ annotations }) => {
        await annotations.commit({
          ...batch,
          nearDuplicates: [{ versionId: version!.id, hash: HASH, cluster: version!.id }],
        })
        await cutConnections(database.pool, 'cut off')
        return { cluster: version!.id, result: 'told' }
      })
      await assert.rejects(deciding, (error) => isAppError(error, 'store-unreachable'))
      const left = await database.pool.query(
        'SELECT (SELECT count(*) FROM stories) + (SELECT count(*) FROM annotations) AS made, (SELECT count(*) FROM tasks) AS tasks',
      )
      assert.deepEqual(left, [{ made: 0, tasks: 1 }])
      await pool.close()
    }))
})
