import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { migrate, migrationStates } from './migrate.ts'
import { openPool } from './pool.ts'
import { createDatabase, postgres, usePostgres } from './postgres.testkit.ts'

usePostgres()

describe('connections to PostgreSQL', () => {
  test('a transaction is everything or nothing', async () => {
    const { pool, destroy } = await createDatabase()
    await pool.query('CREATE TABLE t (n bigint)')
    await pool.transaction(async (tx) => {
      await tx.query('INSERT INTO t VALUES ($1)', [1])
    })
    await assert.rejects(
      pool.transaction(async (tx) => {
        await tx.query('INSERT INTO t VALUES ($1)', [2])
        throw new Error('no')
      }),
    )
    assert.deepEqual(await pool.query('SELECT n FROM t'), [{ n: 1 }])
    await destroy()
  })

  test('a number that would lose digits is refused, not rounded', async () => {
    const { pool, destroy } = await createDatabase()
    await assert.rejects(pool.query('SELECT 9223372036854775807::bigint AS n'), (error) => isAppError(error))
    assert.deepEqual(await pool.query('SELECT 9007199254740991::bigint AS n'), [{ n: Number.MAX_SAFE_INTEGER }])
    await destroy()
  })

  test('wrong addresses and passwords are told apart from a server that is not there', async () => {
    const { address } = await postgres()
    const wrong = new URL(address)
    wrong.password = 'wrong'
    const nowhere = new URL(address)
    nowhere.port = '1'
    const missing = new URL(address)
    missing.pathname = '/no_such_database'
    for (const [url, code] of [
      [wrong, 'store-refused'],
      [missing, 'store-refused'],
      [nowhere, 'store-unreachable'],
    ] as const) {
      const pool = openPool({ address: url.href, maxConnections: 1, name: 'test' })
      await assert.rejects(pool.query('SELECT 1'), (error) => isAppError(error, code))
      await pool.close()
    }
  })

  test('the schema is applied once, whoever tries at the same time, and a newer one is refused', async () => {
    const { pool, destroy } = await createDatabase()
    assert.deepEqual(await Promise.all([migrate(pool), migrate(pool)]), [[], []])
    assert.ok((await migrationStates(pool)).every(({ appliedAt }) => appliedAt !== null))
    await pool.query(`INSERT INTO migrations (id, name) VALUES (9999, 'later')`)
    await assert.rejects(migrate(pool), (error) => isAppError(error, 'store-too-new'))
    await destroy()
  })
})
