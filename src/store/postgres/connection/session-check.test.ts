import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { type PoolMode, pgbouncerSkip, startPgbouncer } from '../testkit/pgbouncer.testkit.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { openPool } from './pool.ts'
import { checkSessions } from './session-check.ts'

usePostgres()

const refused = (error: unknown): boolean =>
  isAppError(error, 'store-refused') && /the pooler must pool by session/.test(error.message)

test('a server without a pooler passes the check', async () => {
  const { address, destroy } = await createDatabase()
  await checkSessions(address)
  await destroy()
})

test('an unreachable server is distinguished from an unsuitable pooler', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  await assert.rejects(checkSessions(`postgres://x:y@127.0.0.1:${port}/z`), (error) =>
    isAppError(error, 'store-unreachable'),
  )
})

describe('behind PgBouncer', { skip: pgbouncerSkip }, () => {
  const refusedModes: readonly (readonly [mode: PoolMode, settings: Record<string, string>, name: string])[] = [
    ['transaction', {}, 'by transaction'],
    ['transaction', { server_round_robin: '1' }, 'by transaction, connections in turn'],
    ['transaction', { default_pool_size: '1' }, 'by transaction, one connection for all'],
    ['transaction', { min_pool_size: '2', server_round_robin: '1' }, 'by transaction, with a few connections in turn'],
    ['statement', {}, 'by statement'],
  ]
  for (const [mode, settings, name] of refusedModes)
    test(`pooling ${name} is refused with advice on what to change`, async () => {
      const { address, destroy } = await createDatabase()
      const pooler = await startPgbouncer(address, mode, settings)
      try {
        await assert.rejects(checkSessions(pooler.address), refused)
        // Now its server connections have been used by others.
        await assert.rejects(checkSessions(pooler.address), refused)
      } finally {
        await pooler.end()
        await destroy()
      }
    })

  test('pooling by session supports transactions, prepared statements and settings', async () => {
    const { address, destroy } = await createDatabase()
    const pooler = await startPgbouncer(address, 'session')
    try {
      await checkSessions(pooler.address)
      for (const manyShort of [true, false]) {
        const pool = openPool({ address: pooler.address, maxConnections: 2, name: 'test', manyShort })
        for (let n = 0; n < 3; n++) {
          const [row] = await pool.query(`SELECT current_setting('statement_timeout') AS "limit", $1::int AS n`, [n])
          assert.deepEqual(row, { limit: '1min', n })
        }
        await pool.transaction((tx) => tx.query('SELECT 1'))
        await pool.close()
      }
    } finally {
      await pooler.end()
      await destroy()
    }
  })

  test('a prepared statement of another session is reported as a pooler problem', async () => {
    const { address, destroy } = await createDatabase()
    const pooler = await startPgbouncer(address, 'transaction')
    const first = openPool({ address: pooler.address, maxConnections: 1, name: 'first' })
    const second = openPool({ address: pooler.address, maxConnections: 1, name: 'second' })
    try {
      await first.query('SELECT 1 AS n')
      await assert.rejects(second.query('SELECT 1 AS n'), refused)
    } finally {
      await first.close()
      await second.close()
      await pooler.end()
      await destroy()
    }
  })
})
