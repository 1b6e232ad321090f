import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { postgresStores } from '../app/engines/postgres-stores.ts'
import { openField, requestsByUrl } from '../app/threads/postgres-shards.testkit.ts'
import { createProfileKeys } from '../services/profiles/keyed-profile.ts'
import { profileWith, sourceAt } from '../services/watching/watching.testkit.ts'
import { readSeed } from '../store/postgres/schema/migrate.ts'
import { cutConnections, postgres, usePostgres } from '../store/postgres/testkit/postgres.testkit.ts'
import { openCluster, startSchedule, until } from './scheduling.testkit.ts'

usePostgres({ own: true })

const home = 'http://a.example/'
const pages = { [home]: { words: 'home', links: [`${home}one`] }, [`${home}one`]: { words: 'one' } }
const daily = { everyMs: 86_400_000, depth: 1 }

describe('cluster schedule', () => {
  test('is run by one process, while the others mirror it and request checks', async () => {
    const cluster = await openCluster(pages)
    const { put, rowOf, start, worker } = cluster
    await put(profileWith('ann', 'ann@example.org', [sourceAt(home, daily)]))
    const leader = await start('leader')
    const other = await start('other')
    assert.deepEqual([leader.isLeader(), other.isLeader()], [true, false])
    const { id } = await rowOf(home)
    await until('the first check has begun', () => leader.notified.includes(`${id} begun`))
    await until('the other shows it', () => other.scheduler.snapshot(id)?.state === 'out')
    assert.equal(other.watching.checkNow(id), 'out-already')
    assert.deepEqual(other.checks.urdsOf(id), leader.checks.urdsOf(id))
    await until('a request is queued', async () => (await worker.queued()).length > 0)
    await worker.run()
    await until('both are notified', () => [leader, other].every(({ notified }) => notified.includes(`${id} ended`)))
    const row = await rowOf(home)
    assert.deepEqual([row.outcome, row.status], ['changed', 200])
    const [mine, theirs] = [leader, other].map(({ scheduler }) => scheduler.snapshot(id)!)
    assert.deepEqual([theirs!.state, theirs!.why, theirs!.lastAt], ['waiting', 'interval', mine!.lastAt])
    assert.ok(Math.abs(theirs!.nextAt! - mine!.nextAt!) < 60_000)
    await until('figures are shown', () => other.scheduler.stats().states.waiting === 1)

    assert.equal(other.watching.checkNow(id), 'asked')
    await until('it is checked again', async () => (await rowOf(home)).round > row.round)
    assert.equal(other.healthError() ?? leader.healthError(), null)
    await cluster.close()
  })

  test('moves to another process when its leader ends, with the checks in progress', async () => {
    const cluster = await openCluster(pages)
    const { put, rowOf, start, worker } = cluster
    await put(profileWith('ann', 'ann@example.org', [sourceAt(home, daily)]))
    const first = await start('first')
    const second = await start('second')
    await until('a request is queued', async () => (await worker.queued()).length > 0)
    const { round } = await rowOf(home)
    await first.end()
    await until('the second leads', second.isLeader)
    assert.equal(second.scheduler.snapshot((await rowOf(home)).id)?.state, 'out')
    await worker.run()
    await until('the check is over', async () => (await rowOf(home)).checkedAt >= round)
    assert.deepEqual(worker.fetched, [home, `${home}one`])
    await cluster.close()
  })
})

describe('a leader that sleeps past its lease', () => {
  test('is rejected when it continues a check that a new leader has started', async () => {
    const cluster = await openCluster(pages)
    const { put, rowOf, start, worker, pool } = cluster
    const first = await start('first')
    // It has recorded the start of the check, and is about to offer the request.
    first.gate.closeAt('frontier_offer')
    await put(profileWith('ann', 'ann@example.org', [sourceAt(home, daily)]))
    await first.gate.reached
    const { round } = await rowOf(home)
    const second = await start('second')
    await until('the second leads', second.isLeader)
    await until('a request is queued', async () => (await worker.queued()).length > 0)
    first.gate.open()
    await until('the first is refused', () => first.refused() > 0)
    assert.equal(first.isLeader(), false)
    const rounds = (await worker.queued()).map(({ check }) => check.round)
    assert.equal(rounds.length, 1)
    assert.ok(rounds[0]! > round)
    await worker.run()
    await until('the check is over', async () => (await rowOf(home)).checkedAt >= rounds[0]!)
    assert.deepEqual(worker.fetched, [home, `${home}one`])
    const leaders = await pool.query<{ holder: string }>('SELECT holder FROM leaders')
    assert.deepEqual(leaders, [{ holder: 'second' }])
    const { id } = await rowOf(home)
    await until('the first follows', () => first.scheduler.snapshot(id)?.state === 'waiting')
    assert.equal(first.healthError(), null)
    await cluster.close()
  })

  test('writes nothing if it falls asleep while it records the end of a check', async () => {
    const cluster = await openCluster(pages)
    const { put, rowOf, start, worker } = cluster
    await put(profileWith('ann', 'ann@example.org', [sourceAt(home, daily)]))
    const first = await start('first')
    const second = await start('second')
    await until('a request is queued', async () => (await worker.queued()).length > 0)
    for (const { gate } of [first, second]) gate.closeAt('finished_mark = w.mark')
    await worker.run()
    await first.gate.reached
    // It leads now, and is about to record the end itself.
    await second.gate.reached
    await first.end()
    const { id } = await rowOf(home)
    assert.deepEqual(await cluster.watches.checks(id, 10), [])
    second.gate.open()
    await until('the check is over', async () => (await rowOf(home)).outcome === 'changed')
    assert.equal((await cluster.watches.checks(id, 10)).length, 1)
    assert.deepEqual(worker.fetched, [home, `${home}one`])
    await cluster.close()
  })
})

describe('a leader whose heartbeat times out', () => {
  test('regains leadership and counts the pages that workers fetched in the meantime', async () => {
    const cluster = await openCluster(pages)
    const { start, worker, pool, crawls } = cluster
    const schedule = await start('slow')
    const draft = { askedBy: 'ada', askedAt: 1, seeds: [home], depth: null, restrict: null, maxPages: null }
    const id = (await crawls.add(draft, 1))!
    await until('the crawl runs', async () => (await crawls.find(id))?.queued === 1)
    await pool.transaction(async (tx) => {
      // Heartbeats wait for this row; the leader's other transactions don't.
      await tx.query('SELECT FROM leaders FOR NO KEY UPDATE')
      await until('it leads no more', () => !schedule.isLeader())
      await worker.run()
    })
    await until('the crawl is over', async () => (await crawls.find(id))?.endedAt !== 0)
    assert.equal(schedule.isLeader(), true)
    const { state, counts } = (await crawls.find(id))!
    assert.deepEqual([state, counts], ['finished', { fetched: 2, done: 2 }])
    assert.deepEqual(worker.fetched, [home, `${home}one`])
    await cluster.close()
  })
})

describe('database outage', () => {
  test('the leader reconnects after its connections are cut, and the check completes', async () => {
    const cluster = await openCluster(pages)
    const { put, rowOf, start, worker, pool } = cluster
    await put(profileWith('ann', 'ann@example.org', [sourceAt(home, daily)]))
    const schedule = await start('cut off')
    await until('a request is queued', async () => (await worker.queued()).length > 0)
    for (let times = 0; times < 5; times++) await cutConnections(pool, 'cut off')
    await worker.run()
    await until('the check is over', async () => (await rowOf(home)).outcome === 'changed')
    await until('all is well', () => schedule.isLeader() && schedule.healthError() === null)
    assert.deepEqual(worker.fetched, [home, `${home}one`])
    await cluster.close()
  })

  test('leader and follower recover when the server restarts', async () => {
    const cluster = await openCluster(pages)
    const { put, rowOf, start, worker } = cluster
    await put(profileWith('ann', 'ann@example.org', [sourceAt(home, daily)]))
    const both = [await start('one'), await start('other')]
    await until('a request is queued', async () => (await worker.queued()).length > 0)
    const server = await postgres()
    await server.stop()
    await until('both say so', () => both.every((schedule) => schedule.healthError() !== null))
    await until('nobody leads', () => !both.some((schedule) => schedule.isLeader()))
    await server.start()
    await until('one leads', () => both.filter((schedule) => schedule.isLeader()).length === 1)
    await worker.run()
    await until('the check is over', async () => (await rowOf(home)).outcome === 'changed')
    await until('all is well', () => both.every((schedule) => schedule.healthError() === null))
    assert.deepEqual(worker.fetched, [home, `${home}one`])
    await cluster.close()
  })

  test('an outage longer than a lease is a health error until it ends', async () => {
    const cluster = await openCluster(pages)
    const { start } = cluster
    const schedule = await start('asleep')
    schedule.gate.closeAt('leaders')
    await schedule.gate.reached
    await until('it leads no more', () => !schedule.isLeader())
    await until('it says so', () => schedule.healthError() !== null)
    schedule.gate.open()
    await until('it leads again', schedule.isLeader)
    assert.equal(schedule.healthError(), null)
    await cluster.close()
  })
})

describe('real workers', { timeout: 120_000 }, () => {
  test('complete a check although a worker is killed and another process takes over the schedule', async () => {
    const field = await openField({
      hosts: 1,
      pages: 40,
      values: { 'crawl.delay': '20ms', 'network.allow': ['127.0.0.0/8'] },
    })
    const { database, site } = field
    const stores = postgresStores(database.pool, await readSeed(database.pool))
    const source = sourceAt(`${site.origin(0)}/`, { ...daily, depth: 50 })
    await stores.profiles.put([createProfileKeys({})(profileWith('ann', 'ann@example.org', [source]))])
    await database.pool.query('UPDATE urds SET visited_at = 1')
    const killed = await field.startWorker('killed')
    const first = await startSchedule(database.address, 'first', stores.seed)
    await field.answered(10)
    await killed.shards.end()
    await field.startWorker('worker')
    const second = await startSchedule(database.address, 'second', stores.seed)
    await first.end()
    const row = async () => (await stores.watches.all())[0]!
    await until('the check is over', async () => (await row()).checkedAt > 0)
    assert.equal((await row()).outcome, 'changed')
    assert.equal(requestsByUrl(site).size, 40)
    assert.equal((await stores.watches.checks((await row()).id, 10)).length, 1)
    await second.end()
    await field.destroy()
  })
})
