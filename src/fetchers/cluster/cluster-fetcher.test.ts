import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configOf } from '../../config/load-config.ts'
import type { CheckOrder } from '../../core/check-order.ts'
import { createManualClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { createCrawlJobs } from '../../services/crawls/crawl-jobs.ts'
import { createCheckRuns } from '../../services/watching/check-runs.ts'
import { createPostgresCrawlScopes } from '../../store/postgres/cluster/crawl-scopes.ts'
import { createPostgresCrawls } from '../../store/postgres/cluster/crawls.ts'
import { createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import {
  createPostgresCheckResults,
  createPostgresChecks,
  schedulerRole,
} from '../../store/postgres/cluster/schedule.ts'
import { createPostgresWatches } from '../../store/postgres/cluster/watches.ts'
import type { PostgresPool } from '../../store/postgres/connection/pool.ts'
import { createLeaderLease } from '../../store/postgres/leases/leader.ts'
import { createDatabase, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { begunBy, testFetcher } from '../fetcher-suite.testkit.ts'
import { createClusterFetcher } from './cluster-fetcher.ts'
import { openTestWorker, seeds, type TestPage } from './store-worker.testkit.ts'

usePostgres()

testFetcher('the cluster fetcher', async (pages) => {
  const { pool, destroy } = await createDatabase()
  const [watch] = (await addWatches(pool, home)) as [number]
  const leader = await openLeader(pool, 'first')
  const worker = await openTestWorker(pool, pages)
  return {
    ...{ fetcher: leader.fetcher, pages, watch },
    async work() {
      await worker.run()
      await leader.fetcher.poll()
    },
    async restart() {
      const next = await openLeader(pool, 'next')
      return next.fetcher
    },
    async close() {
      await worker.close()
      await destroy()
    },
  }
})

const home = 'http://a.example/'
const web = new Map<string, TestPage>([
  [home, { words: 'home', links: [`${home}one`, `${home}two`, 'http://b.example/'] }],
  [`${home}one`, { words: 'one', links: [`${home}three`] }],
  [`${home}two`, { words: 'two' }],
  [`${home}three`, { words: 'three' }],
  ['http://b.example/', { words: 'other' }],
])

function orderOf(watch: number, url: string, round: number): CheckOrder {
  const check = { watch, round, freshFrom: round, since: 0, first: true }
  return { url, depth: 3, urgency: 1, check, crawlScope: { watch, sources: [{ uri: url, scope: { kind: 'host' } }] } }
}

async function addWatches(pool: PostgresPool, ...uris: string[]): Promise<number[]> {
  const rows = await pool.query<{ id: number }>(
    `INSERT INTO watches (key, uri) SELECT u, u FROM unnest($1::text[]) AS u RETURNING id`,
    [uris],
  )
  return rows.map(({ id }) => id)
}

/** The next leader: earlier ones are refused from now on. Its results are recorded in check runs, as in the watch service. */
async function openLeader(pool: PostgresPool, holder: string) {
  await pool.query(`UPDATE leaders SET until = now() - interval '1 s'`)
  const beat = await createLeaderLease({ pool, name: schedulerRole, holder, clock: createManualClock() }).beat()
  assert.ok(beat.kind === 'leads')
  const { epoch } = beat
  const watches = createPostgresWatches(pool, { epoch })
  const checkRuns = createCheckRuns()
  const fetcher = createClusterFetcher({
    schemes: ['http'],
    epoch,
    crawlScopes: createPostgresCrawlScopes(pool),
    checks: createPostgresChecks(pool),
    results: createPostgresCheckResults(pool),
    watches,
    nodes: createPostgresNodes(pool),
    offersOf: seeds.ofChecks,
    events: { listen: () => () => {} },
    clock: createManualClock(),
    pollEveryMs: 0,
  })
  fetcher.onResults((results) => {
    for (const each of results) checkRuns.note(each)
  })
  return {
    epoch,
    fetcher,
    watches,
    checkRuns,
    async begin(...orders: CheckOrder[]): Promise<void> {
      const mark = await watches.begin(orders.map(({ check: { watch, round } }) => ({ watch, round })))
      for (const { check } of orders) checkRuns.begin(check.watch, mark, [])
      await fetcher.check(orders, checkRuns.begun)
    },
    /** Outcomes of the checks that have ended by now. */
    async ended(): Promise<{ watch: number; outcome: string; changes: number }[]> {
      await fetcher.poll()
      const finished = checkRuns.takeFinished(1_000_000)
      await watches.finish(finished)
      return finished.map(({ watch, outcome, changes }) => ({ watch, outcome, changes }))
    },
    async resume(...given: number[]): Promise<Map<number, number>> {
      const queued = await fetcher.start(given.map((watch) => ({ watch, sources: [] })))
      for (const [watch, n] of queued) checkRuns.resume(watch, n, 0, [])
      return queued
    },
  }
}

/** Crawls of the service, under the same leader. */
function openCrawls(pool: PostgresPool, { epoch, fetcher }: Awaited<ReturnType<typeof openLeader>>) {
  const clock = createManualClock(1_000)
  const crawls = createPostgresCrawls(pool, { epoch })
  const onProblem = (message: string) => assert.fail(message)
  const jobs = createCrawlJobs({ crawls, fetcher, config: configOf(), clock, onProblem })
  fetcher.onResults((results) => {
    for (const each of results) jobs.note(each)
  })
  return {
    crawls,
    /** Advances the clock far enough to look for new crawls, save their progress and end them. */
    async tick(): Promise<void> {
      clock.advance(2_000)
      await jobs.tick()
    },
    async resume(): Promise<void> {
      await jobs.resume(await fetcher.start(await jobs.start()))
    },
  }
}

describe('a check by workers', () => {
  test('counts as under way if the previous leader queued its first request at the last moment', async () => {
    const { pool, destroy } = await createDatabase()
    const [watch] = (await addWatches(pool, home)) as [number]
    const next = await openLeader(pool, 'next')
    await next.resume(watch)
    // A statement of the last leader that completes only now.
    const order = orderOf(watch, home, 5)
    await createPostgresChecks(pool).offer(next.epoch, seeds.ofChecks([order]).offers)
    const begun: [number, number][] = []
    await next.fetcher.check([order], (each, queued) => void begun.push([each, queued]))
    assert.deepEqual(begun, [[watch, 1]])
    await destroy()
  })

  test('stores its scope before its first request, and ends when nothing is queued', async () => {
    const { pool, destroy } = await createDatabase()
    const [watch] = (await addWatches(pool, home)) as [number]
    const leader = await openLeader(pool, 'leader')
    assert.deepEqual(await leader.resume(), new Map())
    await leader.begin(orderOf(watch, home, 100))
    const scopes = await createPostgresCrawlScopes(pool).since(0)
    assert.deepEqual(scopes.changes, [{ watch, round: 100, crawlScope: orderOf(watch, home, 100).crawlScope }])
    const worker = await openTestWorker(pool, web)
    const [request] = await worker.queued()
    assert.equal(request?.check.round, 100)
    assert.deepEqual(await leader.ended(), [])
    await worker.step()
    assert.deepEqual(await leader.ended(), [])
    await worker.run()
    assert.deepEqual(await leader.ended(), [{ watch, outcome: 'changed', changes: 5 }])
    assert.equal(leader.checkRuns.size(), 0)
    await worker.close()
    await destroy()
  })

  test('ends exactly once if a worker dies after its reports, but before completing its requests', async () => {
    const { pool, destroy } = await createDatabase()
    const [watch] = (await addWatches(pool, home)) as [number]
    const leader = await openLeader(pool, 'leader')
    await leader.begin(orderOf(watch, home, 100))
    const killed = await openTestWorker(pool, web)
    await killed.step()
    // Three requests are reported as done, but their links aren't offered yet, and the next worker repeats them.
    await killed.step('reported')
    assert.deepEqual(await leader.ended(), [])
    const worker = await openTestWorker(pool, web)
    await worker.step()
    assert.deepEqual(await leader.ended(), [])
    await worker.step()
    const [end, ...more] = await leader.ended()
    assert.deepEqual(more, [])
    assert.deepEqual(end, { watch, outcome: 'changed', changes: 5 })
    assert.deepEqual(await leader.ended(), [])
    await killed.close()
    await worker.close()
    await destroy()
  })

  test('does not end if a worker dies before it reports anything', async () => {
    const { pool, destroy } = await createDatabase()
    const [watch] = (await addWatches(pool, `${home}two`)) as [number]
    const leader = await openLeader(pool, 'leader')
    await leader.begin(orderOf(watch, `${home}two`, 100))
    const killed = await openTestWorker(pool, web)
    await killed.step('recorded')
    assert.deepEqual(await leader.ended(), [])
    const worker = await openTestWorker(pool, web)
    await worker.run()
    // A recorded page isn't recorded twice.
    assert.deepEqual(await leader.ended(), [{ watch, outcome: 'unchanged', changes: 0 }])
    await killed.close()
    await worker.close()
    await destroy()
  })

  test('ends as failed if it cannot start', async () => {
    const { pool, destroy } = await createDatabase()
    const [watch, other] = (await addWatches(pool, 'http://', home)) as [number, number]
    const leader = await openLeader(pool, 'leader')
    await leader.begin(orderOf(watch, 'http://', 100), orderOf(other, home, 100))
    assert.deepEqual(await leader.ended(), [{ watch, outcome: 'failed: url-invalid', changes: 0 }])
    await destroy()
  })
})

describe('the next leader', () => {
  test('continues with the queued requests', async () => {
    const { pool, destroy } = await createDatabase()
    const [watch] = (await addWatches(pool, home)) as [number]
    const first = await openLeader(pool, 'first')
    await first.begin(orderOf(watch, home, 100))
    const worker = await openTestWorker(pool, web)
    await worker.step()
    const next = await openLeader(pool, 'next')
    assert.deepEqual(await next.resume(watch), new Map([[watch, 3]]))
    const { changes } = await createPostgresCrawlScopes(pool).since(0)
    assert.deepEqual(changes.find((each) => each.watch === watch)?.round, 100)
    await worker.run()
    assert.deepEqual(await next.ended(), [{ watch, outcome: 'changed', changes: 5 }])
    await worker.close()
    await destroy()
  })

  test('drops the scope of a watch that was removed while there was no leader', async () => {
    const { pool, destroy } = await createDatabase()
    const [gone] = (await addWatches(pool, home)) as [number]
    await (await openLeader(pool, 'first')).begin(orderOf(gone, home, 100))
    const next = await openLeader(pool, 'next')
    await next.resume()
    const { changes } = await createPostgresCrawlScopes(pool).since(0)
    assert.deepEqual(changes, [{ watch: gone, round: 100, crawlScope: null }])
    await destroy()
  })

  for (const taken of [false, true])
    test(`records the end of a check that the previous one did not record${taken ? ', though it had read the results' : ''}`, async () => {
      const { pool, destroy } = await createDatabase()
      const [watch] = (await addWatches(pool, home)) as [number]
      const first = await openLeader(pool, 'first')
      await first.begin(orderOf(watch, home, 100))
      const worker = await openTestWorker(pool, web)
      await worker.step()
      await first.fetcher.poll()
      await worker.run()
      if (taken) await first.fetcher.poll()
      const next = await openLeader(pool, 'next')
      assert.deepEqual(await next.resume(watch), new Map([[watch, 0]]))
      assert.deepEqual(await next.ended(), [{ watch, outcome: 'changed', changes: 5 }])
      assert.deepEqual(await createPostgresCheckResults(pool).progress(), [])
      await worker.close()
      await destroy()
    })

  for (const taken of [false, true])
    test(`completes the counts of a crawl whose results the last one ${taken ? 'had read and not saved' : 'had not read'}`, async () => {
      const { pool, destroy } = await createDatabase()
      const first = await openLeader(pool, 'first')
      const { crawls, tick } = openCrawls(pool, first)
      const draft = { askedBy: 'ada', askedAt: 1, seeds: [home], depth: null, restrict: null, maxPages: null }
      const id = (await crawls.add(draft, 1))!
      await tick()
      const worker = await openTestWorker(pool, web)
      await worker.step()
      await first.fetcher.poll()
      await tick()
      assert.deepEqual((await crawls.find(id))?.counts, { fetched: 1, done: 1 })
      await worker.run()
      if (taken) await first.fetcher.poll()
      const next = await openLeader(pool, 'next')
      const later = openCrawls(pool, next)
      await later.resume()
      await next.fetcher.poll()
      await later.tick()
      const { state, counts } = (await crawls.find(id))!
      assert.deepEqual([state, counts], ['finished', { fetched: 5, done: 5 }])
      assert.deepEqual(await createPostgresCheckResults(pool).progress(), [])
      await worker.close()
      await destroy()
    })

  test('restarts a check that was started but never queued, and the previous one is locked out', async () => {
    const { pool, destroy } = await createDatabase()
    const [watch] = (await addWatches(pool, home)) as [number]
    const first = await openLeader(pool, 'first')
    await first.watches.begin([{ watch, round: 100 }])
    const next = await openLeader(pool, 'next')
    assert.deepEqual(await next.resume(watch), new Map())
    await next.begin(orderOf(watch, home, 200))
    // The first leader resumes where it stopped.
    await assert.rejects(begunBy(first.fetcher, [orderOf(watch, home, 100)]), (error) =>
      isAppError(error, 'lease-lost'),
    )
    const { offers: stale } = seeds.ofChecks([orderOf(watch, home, 100)])
    await assert.rejects(createPostgresChecks(pool).offer(1, stale), (error) => isAppError(error, 'lease-lost'))
    await assert.rejects(first.watches.begin([{ watch, round: 300 }]), (error) => isAppError(error, 'lease-lost'))
    await assert.rejects(first.watches.finish([]), (error) => isAppError(error, 'lease-lost'))
    await assert.rejects(first.watches.saveStates([{ watch, state: 'x' }]), (error) => isAppError(error, 'lease-lost'))
    await assert.rejects(first.fetcher.poll(), (error) => isAppError(error, 'lease-lost'))
    const worker = await openTestWorker(pool, web)
    assert.deepEqual(
      (await worker.queued()).map(({ check }) => check.round),
      [200],
    )
    await worker.close()
    await destroy()
  })
})
