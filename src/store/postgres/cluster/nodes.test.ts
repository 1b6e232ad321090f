import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CheckResult } from '../../../core/check-order.ts'
import { createManualClock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import { createLeaderLease } from '../leases/leader.ts'
import { createDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresEvents } from './events.ts'
import { createPostgresNodes } from './nodes.ts'
import { createPostgresRuns } from './runs.ts'
import { createPostgresCheckResults, schedulerRole } from './schedule.ts'

usePostgres()

const signOf = (id: string, stats: Record<string, unknown> = {}) => ({
  id,
  name: 'w',
  role: 'worker' as const,
  host: 'example',
  pid: 7,
  stats,
})

describe('cluster nodes', () => {
  test('a heartbeat registers the node, publishes its stats and returns the wishes of the operator', async () => {
    const { pool, destroy } = await createDatabase()
    const nodes = createPostgresNodes(pool)
    assert.deepEqual(await nodes.heartbeat(signOf('a')), { draining: false, paused: false, held: false })
    await nodes.heartbeat(signOf('b'))
    await nodes.heartbeat(signOf('a', { pages: 12 }))
    await pool.query(`UPDATE leases SET holder = 'a/0/x', until = now() + interval '1 h' WHERE partition < 3`)
    const listed = await nodes.list()
    assert.deepEqual(
      listed.map(({ id, stats, partitions }) => [id, stats, partitions]),
      [
        ['a', { pages: 12 }, 3],
        ['b', {}, 0],
      ],
    )
    assert.ok(listed.every(({ seenMsAgo, startedMsAgo }) => seenMsAgo >= 0 && startedMsAgo >= seenMsAgo))
    assert.equal(await nodes.drain('a', true), true)
    assert.equal(await nodes.drain('nobody', true), false)
    await nodes.pause(true)
    assert.deepEqual(await nodes.heartbeat(signOf('a')), { draining: true, paused: true, held: false })
    assert.deepEqual(await nodes.heartbeat(signOf('b')), { draining: false, paused: true, held: false })
    await nodes.pause(false)
    assert.equal(await nodes.isPaused(), false)
    await destroy()
  })

  test('the crawl is held only while there is a scheduler leader who can release it', async () => {
    const { pool, destroy } = await createDatabase()
    const nodes = createPostgresNodes(pool)
    const isHeld = async (): Promise<boolean[]> => [(await nodes.heartbeat(signOf('a'))).held, await nodes.isHeld()]
    await nodes.hold(true)
    assert.deepEqual(await isHeld(), [false, false])
    const leader = createLeaderLease({ pool, name: schedulerRole, holder: 'a', clock: createManualClock() })
    await leader.beat()
    assert.deepEqual(await isHeld(), [true, true])
    await pool.query(`UPDATE leaders SET until = now() - interval '1 ms'`)
    assert.deepEqual(await isHeld(), [false, false])
    await leader.beat()
    assert.deepEqual(await isHeld(), [true, true])
    await leader.release()
    assert.deepEqual(await isHeld(), [false, false])
    const other = createLeaderLease({ pool, name: 'indexer', holder: 'b', clock: createManualClock() })
    await other.beat()
    assert.deepEqual(await isHeld(), [false, false])
    await destroy()
  })

  test('nodes without a recent heartbeat are forgotten, by the clock of the database', async () => {
    const { pool, destroy } = await createDatabase()
    const nodes = createPostgresNodes(pool)
    for (const id of ['a', 'b', 'c']) await nodes.heartbeat(signOf(id))
    await pool.query(`UPDATE nodes SET seen_at = now() - interval '1 hour' WHERE id = 'b'`)
    assert.equal(await nodes.forget(60_000), 1)
    await nodes.remove('c')
    assert.deepEqual(
      (await nodes.list()).map(({ id }) => id),
      ['a'],
    )
    await destroy()
  })
})

describe('cluster runs', () => {
  test('processes that start at the same time join the same run', async () => {
    const { pool, destroy } = await createDatabase()
    const runs = Array.from({ length: 6 }, () => createPostgresRuns(pool))
    const begun = await Promise.all(runs.map((each, n) => each.begin(1_000 + n)))
    assert.deepEqual(new Set(begun.map(({ id }) => id)), new Set([1]))
    assert.equal(begun.filter(({ continued }) => !continued).length, 1)
    await Promise.all(runs.map((each, n) => each.finish(1, 2_000 + n)))
    assert.equal((await runs[0]!.begin(3_000)).id, 2)
    await destroy()
  })
})

describe('messages between nodes', () => {
  test('listeners receive events, and null after a reconnect so that they look again', async () => {
    const { pool, destroy } = await createDatabase()
    const events = createPostgresEvents({ pool })
    const words: (string | null)[] = []
    let told = Promise.withResolvers<void>()
    const next = async (): Promise<string | null> => {
      while (words.length === 0) {
        await told.promise
        told = Promise.withResolvers()
      }
      return words.shift()!
    }
    const stop = events.listen('one', (payload) => {
      words.push(payload)
      told.resolve()
    })
    assert.equal(await next(), null)
    await events.notify('one', 'first')
    await events.notify('other', 'not for us')
    await events.notify('one', 'second')
    assert.equal(await next(), 'first')
    assert.equal(await next(), 'second')
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    )
    assert.equal(await next(), null)
    await events.notify('one', 'third')
    assert.equal(await next(), 'third')
    stop()
    assert.throws(() => events.listen('one; DROP TABLE queue', () => {}))
    await events.close()
    await destroy()
  })

  test('check results reach the leader once and in order, and are refused to others', async () => {
    const { pool, destroy } = await createDatabase()
    const results = createPostgresCheckResults(pool)
    const resultsOf = (watch: number): CheckResult => ({
      watch,
      queued: -1,
      changed: 1,
      unchanged: 0,
      failed: 0,
      source: { status: 200, outcome: 'stored' },
      landed: null,
    })
    const leader = createLeaderLease({ pool, name: schedulerRole, holder: 'a', clock: createManualClock() })
    const beat = await leader.beat()
    assert.equal(beat.kind, 'leads')
    await Promise.all([results.put([resultsOf(1), resultsOf(2)]), results.put([])])
    await results.put([resultsOf(3)])
    assert.deepEqual(await results.take(1, 2), [resultsOf(1), resultsOf(2)])
    await assert.rejects(results.take(7, 9), (error) => isAppError(error, 'lease-lost'))
    assert.deepEqual(await results.take(1, 9), [resultsOf(3)])
    assert.deepEqual(await results.take(1, 9), [])
    assert.deepEqual(await results.queued([1]), new Map())
    await destroy()
  })
})
