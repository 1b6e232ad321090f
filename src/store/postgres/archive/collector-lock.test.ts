import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { lockCollector, takeMarksBack } from './collection.ts'

usePostgres()

const fill = `INSERT INTO versions (partition, id, document, n, reason, at, seen_at, status, type, size, digest, text, text_rules, etag,
    last_modified, truncated, title, address, location, body, original, record, length, links, leaving)
  SELECT n % 256, n, n, 1, 'new', n, n, 200, 'text/html', n, sha256(int8send(n)), NULL, 0, '', '', '', '', '', '', 'kept', n, n, n, n,
    n % 5000 = 0 FROM generate_series(1::bigint, 20000) n`

async function countMarked(pool: PostgresPool): Promise<number> {
  return (await pool.query<{ n: number }>('SELECT count(*) AS n FROM versions WHERE leaving'))[0]!.n
}

test('only one collector runs at a time, and it clears marks left by another without a full scan', async () => {
  const { pool, destroy } = await createDatabase()
  await pool.query(fill)
  await pool.query('ANALYZE versions')
  const plan = JSON.stringify(await pool.query(`EXPLAIN (FORMAT JSON) ${takeMarksBack}`))
  assert.match(plan, /versions_leaving/)
  assert.doesNotMatch(plan, /Seq Scan/)
  assert.equal(await countMarked(pool), 4)
  const lock = await lockCollector(pool)
  assert.equal(await countMarked(pool), 0)
  await assert.rejects(lockCollector(pool), (error) => isAppError(error, 'store-locked'))
  await lock.release()
  await destroy()
})
