import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, createManualClock } from '../../../core/clock.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createDatabaseClock } from './database-clock.ts'

usePostgres()

test('the clock follows the database, ignoring the wall clock of the machine', async () => {
  const { pool, destroy } = await createDatabase()
  const machine = createManualClock(0)
  const clock = await createDatabaseClock(pool, machine)
  const [row] = await pool.query<{ ms: number }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms')
  assert.ok(Math.abs(clock.now() - row!.ms) < 60_000)
  const before = clock.now()
  machine.jump(86_400_000)
  assert.equal(clock.now(), before, 'setting the clock of the machine changes nothing')
  machine.advance(1500)
  assert.equal(clock.now(), before + 1500)
  await destroy()
})

test('a slow reply does not replace a more accurate one until that is old', async () => {
  const { pool, destroy } = await createDatabase()
  const machine = createManualClock(0)
  let tookMs = 10
  const slow: Clock = machine
  const asked = {
    ...pool,
    async query<T>(text: string) {
      machine.advance(tookMs)
      return pool.query<T>(text)
    },
  }
  const clock = await createDatabaseClock(asked, slow)
  const before = clock.now() - machine.monotonic()
  tookMs = 4000
  await clock.adjust()
  assert.equal(clock.now() - machine.monotonic(), before)
  machine.advance(60_001)
  await clock.adjust()
  assert.notEqual(clock.now() - machine.monotonic(), before)
  await destroy()
})
