import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { openPool } from './pool.ts'
import { trySessionLock } from './session-lock.ts'

usePostgres()

const KEY = 4711

test('a released lock is free at once for any connection', async () => {
  const { pool, address, destroy } = await createDatabase()
  const other = openPool({ address, maxConnections: 4, name: 'other' })
  for (let round = 0; round < 30; round++) {
    const mine = await trySessionLock(pool, KEY)
    assert.ok(mine !== null, `round ${round}`)
    assert.equal(await trySessionLock(other, KEY), null)
    await mine.release()
    const theirs = await trySessionLock(other, KEY)
    assert.ok(theirs !== null, `round ${round}`)
    await theirs.release()
  }
  await other.close()
  await destroy()
})
