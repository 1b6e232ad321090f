import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openWatching, profileWith, sourceAt, type Watching, type WatchingOptions } from './watching.testkit.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const a = 'http://a.example/'
const b = 'http://b.example/'

/** Three levels deep, with a link back. */
const deepWeb = {
  [a]: { words: 'start', links: [`${a}one`, `${a}two`, 'http://other.example/'] },
  [`${a}one`]: { words: 'one', links: [`${a}deep`, a] },
  [`${a}two`]: { words: 'two' },
  [`${a}deep`]: { words: 'deep' },
  [b]: { words: 'b' },
}

function withWatching(options: WatchingOptions, work: (watching: Watching) => Promise<void>): () => Promise<void> {
  return async () => {
    const watching = await openWatching(options)
    try {
      await work(watching)
    } finally {
      watching.close()
    }
  }
}

describe('checks', () => {
  test(
    'run in the order of their deadlines',
    withWatching({ budgets: { maxInFlight: 1 } }, async ({ put, turn, takeOrders, clock }) => {
      const uris = ['calm', 'urgent', 'usual'].map((name) => `http://${name}.example/`)
      const urgencies = [0.1, 10, 1]
      await put(...uris.map((uri, n) => profileWith(`p${n}`, 'ann', [sourceAt(uri)], { urgency: urgencies[n]! })))
      for (let n = 0; n < 4; n++) await turn()
      takeOrders()
      clock.advance(11 * MINUTE)
      for (let n = 0; n < 4; n++) await turn()
      assert.deepEqual(takeOrders(), ['http://urgent.example/', 'http://usual.example/', 'http://calm.example/'])
    }),
  )

  test(
    'are shared by all owners of a source, with the shortest interval and the widest scope',
    withWatching({ pages: deepWeb }, async ({ put, runFor, turn, fetcher, takeOrders, isVisited }) => {
      const ann = sourceAt(a, { everyMs: 10 * MINUTE, scope: { kind: 'page' } })
      const bob = sourceAt('http://A.example:80/', { everyMs: 60 * MINUTE, depth: 2 })
      await put(profileWith('ann', 'ann', [ann]), profileWith('bob', 'bob', [bob]))
      await turn()
      const [order] = fetcher.orders
      assert.deepEqual([order?.url, order?.depth, order?.check.first], [a, 2, true])
      assert.deepEqual(order?.crawlScope.sources.map(({ scope }) => scope.kind).sort(), ['host', 'page'])
      assert.deepEqual(fetcher.fetched.sort(), [a, `${a}deep`, `${a}one`, `${a}two`])
      assert.ok((await isVisited('ann')) && (await isVisited('bob')))
      takeOrders()
      await runFor(61 * MINUTE)
      assert.equal(fetcher.orders.length, 6)
      assert.ok(fetcher.orders.every(({ check }) => !check.first))
    }),
  )

  test(
    'on request go first, regardless of the rate limit',
    withWatching(
      { budgets: { perSecond: 1, burst: 1 } },
      async ({ put, turn, service, takeOrders, fetcher, rowOf }) => {
        const uris = Array.from({ length: 10 }, (_, n) => `http://h${n}.example/`)
        await put(...uris.map((uri, n) => profileWith(`p${n}`, 'ann', [sourceAt(uri)], { urgency: 50 - n })))
        await turn()
        assert.deepEqual(takeOrders(), [uris[0]])
        let stirred = 0
        service.onResults(() => stirred++)
        assert.equal(service.checkNow((await rowOf(uris[9]!)).id), 'asked')
        assert.equal(stirred, 1)
        await turn()
        const [{ url, urgency, check }] = fetcher.orders as [(typeof fetcher.orders)[number]]
        assert.deepEqual([url, urgency, check.freshFrom], [uris[9], 100, check.round])
        assert.equal(service.checkNow(999), 'unknown')
      },
    ),
  )

  test(
    'run once each, within the rate limit, after three days of downtime',
    withWatching({ budgets: { perSecond: 10, burst: 10 } }, async (watching) => {
      const { put, runFor, clock, takeOrders, restart, turn } = watching
      const uris = Array.from({ length: 200 }, (_, n) => `http://h${n}.example/`)
      await put(...uris.map((uri, n) => profileWith(`p${n}`, `user${n % 7}`, [sourceAt(uri)])))
      await runFor(MINUTE)
      assert.deepEqual(takeOrders().sort(), uris.toSorted())
      clock.advance(3 * DAY)
      await restart()
      await turn()
      assert.equal(takeOrders().length, 10)
      await runFor(5_000)
      assert.ok(takeOrders().length <= 50)
      await runFor(55_000)
      const late = takeOrders()
      assert.equal(new Set(late).size, late.length)
      assert.ok(late.length >= 140)
      await runFor(4 * MINUTE)
      assert.deepEqual(takeOrders(), [])
    }),
  )

  test(
    'run within the time window of the source, or at any time if another owner has no window',
    withWatching({}, async ({ put, runFor, fetcher, clock }) => {
      const window = { zone: 'Europe/Nicosia', days: [1, 2, 3, 4, 5], fromMinute: 9 * 60, toMinute: 10 * 60 }
      await put(
        profileWith('ann', 'ann', [sourceAt(a, { window })]),
        profileWith('bob', 'bob', [sourceAt(b, { window })]),
      )
      await put(profileWith('eve', 'eve', [sourceAt(b, { everyMs: 60 * MINUTE })]))
      const startedAt = clock.now()
      await runFor(4 * DAY)
      const times = (uri: string): number[] =>
        fetcher.orders.flatMap(({ url, check }) => (url === uri ? [check.round] : []))
      // From Thursday, 1 January 2026; the UTC offset in winter is two hours.
      const hours = new Set(times(a).map((at) => `${new Date(at).getUTCDay()} ${new Date(at).getUTCHours()}`))
      assert.deepEqual([...hours], ['4 7', '5 7'])
      assert.equal(times(a).length, 2 * 6)
      assert.equal(times(b)[0], startedAt)
      assert.ok(times(b).length > 24 * 4)
    }),
  )

  test(
    'slow down while nothing changes, up to the maximum interval, and speed up again',
    withWatching({ pages: { [a]: { words: 'start' } } }, async ({ put, runFor, takeOrders, web }) => {
      const source = sourceAt(a, { everyMs: 10 * MINUTE, everyMaxMs: 80 * MINUTE })
      await put(profileWith('ann', 'ann', [source]))
      await runFor(4 * DAY)
      takeOrders()
      await runFor(DAY)
      const calm = takeOrders().length
      assert.equal(calm, (24 * 60) / 80)
      for (let n = 0; n < 24 * 12; n++) {
        web.pages.set(a, { words: `again ${n}` })
        await runFor(10 * MINUTE)
      }
      takeOrders()
      for (let n = 0; n < 24 * 6; n++) {
        web.pages.set(a, { words: `and again ${n}` })
        await runFor(10 * MINUTE)
      }
      assert.ok(takeOrders().length > 3 * calm)
    }),
  )
})

describe('the end of a check', () => {
  for (const isHasty of [false, true])
    test(
      `comes when the queue is empty${isHasty ? ', also if all results came before the acknowledgement' : ''}`,
      withWatching({ pages: deepWeb, isHasty }, async ({ put, service, fetcher, rowOf, isVisited, scheduler }) => {
        await put(profileWith('ann', 'ann', [sourceAt(a, { depth: 5 })]))
        await service.tick()
        if (!isHasty) {
          for (let left = 4; left > 0; left--) {
            const row = await rowOf(a)
            assert.ok(row.round > row.checkedAt, `${left} left`)
            assert.equal(await isVisited('ann'), false)
            assert.ok(fetcher.step())
            await service.tick()
          }
          assert.equal(fetcher.step(), false)
        }
        const row = await rowOf(a)
        assert.ok(row.checkedAt >= row.round)
        assert.deepEqual([row.outcome, row.status], ['changed', 200])
        assert.ok(await isVisited('ann'))
        assert.equal(scheduler.stats().states.out, 0)
      }),
    )

  test(
    'records the outcome: failed, unchanged, or changed on a linked page',
    withWatching({ pages: deepWeb }, async ({ put, turn, rowOf, web, clock, scheduler }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a, { depth: 2 })]))
      const outcomes: string[] = []
      const again = async (): Promise<void> => {
        clock.advance(DAY)
        await turn()
        outcomes.push((await rowOf(a)).outcome)
      }
      await turn()
      await again()
      web.pages.set(`${a}deep`, { words: 'deeper' })
      await again()
      web.pages.set(a, { words: '', fails: true })
      await again()
      assert.equal(scheduler.snapshot((await rowOf(a)).id)?.failures, 1)
      web.pages.set(a, { ...deepWeb[a]!, words: 'back' })
      await again()
      assert.deepEqual(outcomes, ['unchanged', 'changed', 'failed', 'changed'])
    }),
  )

  test(
    'records where the source redirects to',
    withWatching({ pages: { [a]: { words: '', redirect: b }, [b]: { words: 'b' } } }, async ({ put, turn, rowOf }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await turn()
      assert.equal((await rowOf(a)).landed, b)
    }),
  )

  test(
    'comes early when the check reaches its page limit',
    withWatching({ pages: deepWeb, maxPages: 2 }, async ({ put, service, fetcher, rowOf, problems }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a, { depth: 5 })]))
      await service.tick()
      fetcher.step()
      await service.tick()
      fetcher.run()
      await service.tick()
      assert.deepEqual(fetcher.fetched.sort(), [a, `${a}one`, `${a}two`])
      assert.ok((await rowOf(a)).checkedAt > 0)
      assert.deepEqual(problems, ['a check reached its page limit'])
    }),
  )
})

describe('a restart', () => {
  for (const isHasty of [false, true])
    test(
      `continues a check in progress${isHasty ? ', also if it is done before the acknowledgement' : ''}`,
      withWatching({ pages: deepWeb }, async (watching) => {
        const { put, service, fetcher, restart, rowOf, web } = watching
        await put(profileWith('ann', 'ann', [sourceAt(a, { depth: 5 })]))
        await service.tick()
        fetcher.step()
        assert.equal(web.queue.length, 2)
        const { round } = await rowOf(a)
        await restart({ isHasty })
        assert.deepEqual([...watching.fetcher.crawlScopes.keys()], [(await rowOf(a)).id])
        watching.fetcher.run()
        await watching.service.tick()
        watching.fetcher.run()
        await watching.service.tick()
        const row = await rowOf(a)
        assert.ok(row.checkedAt >= round && row.checkedAt >= row.round)
        assert.equal(watching.fetcher.fetched.filter((url) => url === `${a}deep`).length > 0, true)
        // The next one ends as well.
        watching.clock.advance(DAY)
        await watching.turn()
        assert.ok((await rowOf(a)).checkedAt >= (await rowOf(a)).round)
        assert.ok((await rowOf(a)).round > row.round)
      }),
    )

  test(
    'does not start a second check of a watch in progress',
    withWatching({}, async (watching) => {
      const { put, service, restart, rowOf, turn, clock } = watching
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await turn()
      clock.advance(11 * MINUTE)
      await service.tick()
      const { id, round } = await rowOf(a)
      await restart()
      await watching.service.tick()
      assert.deepEqual(watching.takeOrders(), [])
      assert.equal(watching.scheduler.snapshot(id)?.state, 'out')
      watching.fetcher.run()
      await watching.service.tick()
      assert.ok((await rowOf(a)).checkedAt >= round)
      assert.equal(watching.scheduler.snapshot(id)?.state, 'waiting')
    }),
  )

  test(
    'during a first check keeps it the first visit only for owners who were active when it began',
    withWatching({ pages: deepWeb }, async (watching) => {
      const { put, service, fetcher, restart, runFor, isVisited, profiles } = watching
      await put(profileWith('ann', 'ann', [sourceAt(a, { depth: 5, everyMs: DAY })]))
      await put(profileWith('cat', 'cat', [sourceAt(a, { depth: 5, everyMs: DAY })]))
      const [paused] = await profiles.urdsOf('cat')
      await profiles.setUrds([paused!.id], { paused: true })
      await service.tick()
      fetcher.step()
      await restart()
      await put(profileWith('bob', 'bob', [sourceAt(a, { depth: 5, everyMs: DAY })]))
      watching.fetcher.run()
      await watching.service.tick()
      assert.deepEqual([await isVisited('ann'), await isVisited('bob'), await isVisited('cat')], [true, false, false])
      // Bob joined too late, so it is checked again for him, once.
      await runFor(DAY / 2)
      assert.deepEqual(watching.takeOrders(), [a])
      assert.deepEqual([await isVisited('bob'), await isVisited('cat')], [true, false])
    }),
  )

  test(
    'during a first check does not repeat it',
    withWatching({ pages: deepWeb }, async (watching) => {
      const { put, service, fetcher, restart, runFor, isVisited } = watching
      await put(profileWith('ann', 'ann', [sourceAt(a, { depth: 5, everyMs: DAY })]))
      await service.tick()
      fetcher.step()
      await restart()
      await runFor(DAY / 2)
      assert.deepEqual(watching.takeOrders(), [])
      assert.equal(await isVisited('ann'), true)
    }),
  )

  test(
    'remembers when each source was last checked, and what the scheduler learnt',
    withWatching({ pages: { [a]: { words: 'start' } } }, async (watching) => {
      const { put, turn, runFor, restart, rowOf, clock, takeOrders } = watching
      await put(profileWith('ann', 'ann', [sourceAt(a, { everyMaxMs: 80 * MINUTE })]))
      await runFor(4 * DAY)
      clock.advance(80 * MINUTE)
      await turn()
      takeOrders()
      const { id } = await rowOf(a)
      const learnt = watching.scheduler.state(id)
      assert.equal(learnt?.intervalMs, 80 * MINUTE)
      clock.advance(70 * MINUTE)
      await restart()
      await turn()
      assert.deepEqual(takeOrders(), [])
      assert.deepEqual(watching.scheduler.state(id), learnt)
      clock.advance(11 * MINUTE)
      await turn()
      assert.deepEqual(takeOrders(), [a])
    }),
  )
})
