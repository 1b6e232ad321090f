import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { startCuttingProxy } from '../testkit/cutting-proxy.testkit.ts'
import { createDatabase, postgres, usePostgres } from '../testkit/postgres.testkit.ts'
import { openPool } from './pool.ts'

usePostgres()

describe('connections to PostgreSQL', () => {
  test('a transaction is all or nothing', async () => {
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

  test('an integer too large for a JavaScript number is rejected, not rounded', async () => {
    const { pool, destroy } = await createDatabase()
    await assert.rejects(pool.query('SELECT 9223372036854775807::bigint AS n'), (error) => isAppError(error))
    assert.deepEqual(await pool.query('SELECT 9007199254740991::bigint AS n'), [{ n: Number.MAX_SAFE_INTEGER }])
    await destroy()
  })

  test('a wrong password or database is distinguished from an unreachable server', async () => {
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

  for (const manyShort of [true, false])
    test(`a silent connection is dropped${manyShort ? ' by all who share it' : ''}, and the next statement gets a new one`, async () => {
      const { address, destroy } = await createDatabase()
      const proxy = await startCuttingProxy(address)
      const pool = openPool({ address: proxy.address, maxConnections: 2, name: 'test', manyShort, answerWithinMs: 300 })
      try {
        await pool.transaction(async (tx) => {
          await tx.query('SELECT 1')
          await pool.query('SELECT 1')
        })
        proxy.silence()
        const isSilent = (error: unknown): boolean => isAppError(error, 'store-unreachable') && error.retry === 'later'
        await Promise.all([
          assert.rejects(pool.query('SELECT 1'), isSilent),
          assert.rejects(
            pool.transaction((tx) => tx.query('SELECT 1')),
            isSilent,
          ),
        ])
        // The end of the connection is reported in this turn of the event loop.
        await new Promise(setImmediate)
        assert.deepEqual(await pool.query('SELECT 1 AS n'), [{ n: 1 }])
      } finally {
        await pool.close()
        await proxy.close()
        await destroy()
      }
    })

  test('an unhurried transaction may exceed the time limit for replies', async () => {
    const { address, destroy } = await createDatabase()
    const pool = openPool({ address, maxConnections: 1, name: 'test', answerWithinMs: 300 })
    await pool.transaction(async (tx) => {
      await tx.unhurried()
      await tx.query('SELECT pg_sleep(0.5)')
    })
    await assert.rejects(pool.query('SELECT pg_sleep(0.5)'), (error) => isAppError(error))
    await pool.close()
    await destroy()
  })
})
