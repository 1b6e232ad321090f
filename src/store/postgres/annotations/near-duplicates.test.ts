import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { nothing } from '../../conformance/annotations-suite.testkit.ts'
import type { NearDuplicate } from '../../contracts/stories.ts'
import { draftsOf, makeVersions, planOf, untilWaiting } from '../accounts/people.testkit.ts'
import { openPool } from '../connection/pool.ts'
import { createDatabase, cutConnections, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { nearDuplicateStatements } from './near-duplicate-statements.ts'
import { createPostgresNearDuplicates } from './near-duplicates.ts'

usePostgres()

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

const textOf = (version: number, bands: readonly number[], cluster = version): NearDuplicate => ({
  ...{ versionId: version, documentId: version, host: 'host.example', at: 5, cluster, bands },
  sketch: Buffer.of(version),
})

/** Finds the story of a version and stores the version as part of it. */
async function meet(
  nearDuplicates: ReturnType<typeof createPostgresNearDuplicates>,
  version: number,
  bands: readonly number[],
): Promise<number> {
  return nearDuplicates.decide(bands, async (found) => {
    const cluster = found.candidates[0]?.cluster ?? version
    await found.annotations.commit({ ...nothing, nearDuplicates: [textOf(version, bands, cluster)] })
    return cluster
  })
}

const BANDS = Array.from({ length: 21 }, (_, band) => band * 2 ** 32 + 0xf000_0000 + band)

describe('near-duplicates across all workers', () => {
  test('texts that share a band are candidates', () =>
    withNearDuplicates(async (_, nearDuplicates) => {
      assert.equal(await meet(nearDuplicates, 1, BANDS), 1)
      assert.equal(await meet(nearDuplicates, 2, [1, 2, BANDS[20]!]), 1)
      assert.equal(await meet(nearDuplicates, 3, [7]), 3)
      assert.equal(await meet(nearDuplicates, 4, [2]), 1)
    }))

  test('candidates are looked up by index', () =>
    withNearDuplicates(async ({ pool }) => {
      await pool.query(`INSERT INTO story_bands SELECT n % 5000, n FROM generate_series(1, 100000) AS n`)
      await pool.query(
        `INSERT INTO stories (version, document, host, at, story, bands, sketch)
         SELECT n, n, 'h' || n % 100, 0, n, '[]', '' FROM generate_series(1, 20000) AS n`,
      )
      await pool.query('VACUUM (ANALYZE) story_bands, stories')
      const used = async (text: string, values: readonly unknown[]) =>
        (await planOf(pool, text, values)).scans.map(({ index }) => index).sort()
      assert.deepEqual(await used(nearDuplicateStatements.inBands, ['{1,2,3}']), ['stories_pkey', 'story_bands_pkey'])
      assert.deepEqual(await used(nearDuplicateStatements.ofHost, ['h5', 1]), ['stories_host'])
    }))

  test('a decision on a similar text waits, while others do not', () =>
    withNearDuplicates(async (database, nearDuplicates) => {
      const { promise: goOn, resolve } = Promise.withResolvers<void>()
      const { promise: isDeciding, resolve: decides } = Promise.withResolvers<void>()
      const first = nearDuplicates.decide(BANDS, async ({ annotations }) => {
        decides()
        await goOn
        await annotations.commit({ ...nothing, nearDuplicates: [textOf(1, BANDS)] })
        return 1
      })
      await isDeciding
      const second = meet(nearDuplicates, 2, [5, BANDS[3]!])
      await untilWaiting(database.pool, 1)
      assert.equal(await meet(nearDuplicates, 3, [5 + 2 ** 33]), 3)
      resolve()
      assert.deepEqual(await Promise.all([first, second]), [1, 1])
    }))

  test('a connection cut during a decision rolls everything back', () =>
    withNearDuplicates(async (database) => {
      const pool = openPool({ address: database.address, maxConnections: 2, name: 'cut off' })
      const nearDuplicates = createPostgresNearDuplicates({ pool, epochOf: () => 0 })
      const [version] = await makeVersions(database.pool, 'host1.example', 1)
      const batch = { ...nothing, done: [version!.task], annotations: draftsOf([version!], { cluster: version!.id }) }
      const deciding = nearDuplicates.decide(BANDS, async ({ annotations }) => {
        await annotations.commit({
          ...batch,
          nearDuplicates: [textOf(version!.id, BANDS)],
        })
        await cutConnections(database.pool, 'cut off')
        return 'told'
      })
      await assert.rejects(deciding, (error) => isAppError(error, 'store-unreachable'))
      const left = await database.pool.query(
        'SELECT (SELECT count(*) FROM stories) + (SELECT count(*) FROM story_bands) + (SELECT count(*) FROM annotations) AS made, (SELECT count(*) FROM tasks) AS tasks',
      )
      assert.deepEqual(left, [{ made: 0, tasks: 1 }])
      await pool.close()
    }))
})
