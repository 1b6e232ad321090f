import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openWatching, profileWith, sourceAt, watchingOver } from './watching.testkit.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const a = 'http://a.example/'
const b = 'http://b.example/'
const pages = {
  [a]: { words: 'start', links: [`${a}one`, `${a}two`] },
  [`${a}one`]: { words: 'one', links: [`${a}deep`] },
  [`${a}two`]: { words: 'two' },
  [`${a}deep`]: { words: 'deep' },
  [b]: { words: 'b' },
}

const withWatching = watchingOver(pages)

describe('a profile change', () => {
  test(
    'takes effect on the next turn if sources are added, changed, paused, resumed or removed',
    withWatching({}, async ({ put, remove, service, turn, runFor, takeOrders, scheduler, rowOf }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await turn()
      assert.deepEqual(takeOrders(), [a])
      await put(profileWith('ann', 'ann', [sourceAt(a, { everyMs: 2 * MINUTE }), sourceAt(b)]))
      await turn()
      assert.deepEqual(takeOrders(), [b])
      assert.equal(scheduler.snapshot((await rowOf(a)).id)?.intervalMs, 2 * MINUTE)
      await runFor(2 * MINUTE)
      assert.deepEqual(takeOrders(), [a])
      await put(profileWith('ann', 'ann', [sourceAt(a, { everyMs: 2 * MINUTE }), sourceAt(b)], { paused: true }))
      await service.tick()
      await runFor(DAY)
      assert.deepEqual(takeOrders(), [])
      assert.equal(scheduler.stats().states.paused, 2)
      await put(profileWith('ann', 'ann', [sourceAt(a, { everyMs: 2 * MINUTE }), sourceAt(b)]))
      await turn()
      assert.deepEqual(takeOrders().sort(), [a, b])
      await remove('ann')
      await service.tick()
      assert.equal(scheduler.stats().watches, 0)
      await runFor(DAY)
      assert.deepEqual(takeOrders(), [])
    }),
  )

  test(
    'by one owner keeps the interval and depth wanted by the others',
    withWatching({}, async ({ put, remove, turn, runFor, takeOrders, fetcher }) => {
      const often = profileWith('ann', 'ann', [sourceAt(a, { everyMs: 10 * MINUTE })])
      const deep = profileWith('bob', 'bob', [sourceAt(a, { everyMs: 60 * MINUTE, depth: 2 })])
      await put(often, deep)
      await turn()
      await put({ ...often, paused: true })
      await turn()
      takeOrders()
      await runFor(3 * 60 * MINUTE)
      assert.equal(takeOrders().length, 3)
      await put(often)
      await remove('bob')
      await turn()
      takeOrders()
      fetcher.fetched.length = 0
      await runFor(60 * MINUTE)
      assert.ok(takeOrders().length >= 5)
      assert.ok(fetcher.fetched.every((url) => url === a))
    }),
  )

  test(
    'that adds an owner makes only the next check a first visit',
    withWatching({}, async ({ put, turn, clock, fetcher, isVisited }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await turn()
      await put(profileWith('bob', 'bob', [sourceAt(a)]))
      clock.advance(11 * MINUTE)
      await turn()
      clock.advance(11 * MINUTE)
      await turn()
      assert.deepEqual(
        fetcher.orders.map(({ check }) => check.first),
        [true, true, false],
      )
      assert.ok(await isVisited('bob'))
    }),
  )

  test(
    'widens a check in progress',
    withWatching({}, async ({ put, service, fetcher, rowOf }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a, { depth: 2, scope: { kind: 'page' } })]))
      await service.tick()
      await put(profileWith('bob', 'bob', [sourceAt(a, { depth: 2 })]))
      await service.tick()
      fetcher.run()
      await service.tick()
      assert.deepEqual(fetcher.fetched.sort(), [a, `${a}deep`, `${a}one`, `${a}two`])
      assert.ok((await rowOf(a)).checkedAt > 0)
    }),
  )

  test(
    'that removes a watch in progress stops its requests, and the watch can be added again',
    withWatching({}, async ({ put, remove, service, turn, fetcher, rowOf, scheduler, takeOrders }) => {
      const ann = profileWith('ann', 'ann', [sourceAt(a, { depth: 5 })])
      await put(ann)
      await service.tick()
      fetcher.step()
      await remove('ann')
      await service.tick()
      fetcher.run()
      await service.tick()
      assert.deepEqual(fetcher.fetched, [a])
      assert.deepEqual(scheduler.stats().watches, 0)
      takeOrders()
      await put(ann)
      await turn()
      assert.deepEqual(takeOrders(), [a])
      const row = await rowOf(a)
      assert.ok(row.checkedAt >= row.round)
      assert.equal(scheduler.stats().states.out, 0)
    }),
  )

  test(
    'with a source that cannot be watched is reported and does not affect other sources',
    withWatching({}, async ({ put, turn, takeOrders, problems }) => {
      const wrong = sourceAt(b, { window: { zone: 'Nowhere/City', days: [1], fromMinute: 0, toMinute: 60 } })
      await put(profileWith('ann', 'ann', [wrong, sourceAt(a)]))
      await turn()
      assert.deepEqual(takeOrders(), [a])
      assert.deepEqual(problems, ['a source cannot be watched'])
    }),
  )
})

describe('sources with different URL schemes', () => {
  test('are watched alike, while unsupported schemes are reported and not watched', async () => {
    const memo = 'memo://notes/1'
    const web = { ...pages, [memo]: { words: 'one' } }
    const watching = await openWatching({ pages: web, schemes: ['http', 'https', 'memo'] })
    const { put, turn, takeOrders, rowOf, problems } = watching
    await put(profileWith('ann', 'ann', [sourceAt(a), sourceAt(memo), sourceAt('ftp://a.example/')]))
    await turn()
    assert.deepEqual(takeOrders().toSorted(), [a, memo])
    assert.deepEqual([(await rowOf(memo)).outcome, (await rowOf(memo)).status], ['changed', 200])
    assert.deepEqual(problems, ['a source cannot be watched'])
    watching.close()
  })
})

describe('an annotation engine that falls behind', () => {
  test(
    'stops new checks and requests until it has caught up, without busy waiting',
    withWatching({}, async ({ put, service, fetcher, turn, clock, waiting, takeOrders }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      waiting.tasks = 100
      const again = await service.tick()
      assert.deepEqual([takeOrders(), fetcher.isThrottled], [[], true])
      assert.ok(again >= clock.monotonic() + 100, 'it comes again after a while, though something is due')
      waiting.tasks = 99
      await turn()
      assert.deepEqual([takeOrders(), fetcher.isThrottled], [[a], false])
    }),
  )
})

describe('late results', () => {
  test(
    'of a finished check do not end another check',
    withWatching({}, async ({ put, turn, service, tell, rowOf, clock }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await turn()
      const before = await rowOf(a)
      const results = { watch: before.id, changed: 0, unchanged: 1, failed: 0, source: null, landed: null }
      clock.advance(MINUTE)
      tell([{ ...results, queued: 2 }])
      await service.tick()
      tell([{ ...results, queued: -2 }])
      await service.tick()
      assert.deepEqual(await rowOf(a), before)
      clock.advance(DAY)
      await turn()
      const after = await rowOf(a)
      assert.ok(after.checkedAt >= after.round && after.round > before.round)
    }),
  )

  test(
    'from another shard keep the check open until everything is counted',
    withWatching({}, async ({ put, service, tell, rowOf, web }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await service.tick()
      web.queue.length = 0
      const { id } = await rowOf(a)
      const results = { watch: id, changed: 0, unchanged: 1, failed: 0, source: null, landed: null }
      // Two pages handed to another shard are done before this one reports that there were two.
      tell([{ ...results, queued: -2 }])
      await service.tick()
      assert.equal((await rowOf(a)).checkedAt, 0)
      tell([{ ...results, queued: 1 }])
      await service.tick()
      assert.ok((await rowOf(a)).checkedAt > 0)
    }),
  )
})

describe('a new owner of a source', () => {
  test(
    'sees the pages of a recent check without fetching them again',
    withWatching({}, async ({ put, turn, fetcher, clock, scheduler, rowOf, isVisited }) => {
      const hourly = { everyMs: 60 * MINUTE, everyMaxMs: 60 * MINUTE }
      await put(profileWith('ann', 'ann', [sourceAt(a, hourly)]))
      await turn()
      const { id } = await rowOf(a)
      const before = scheduler.snapshot(id)!
      for (const owner of ['bob', 'cat', 'dan']) {
        clock.advance(MINUTE)
        await put(profileWith(owner, owner, [sourceAt(a, hourly)]))
        await turn()
        const { check } = fetcher.orders.at(-1)!
        // Pages seen by the last check need not be fetched.
        assert.ok(check.first && check.freshFrom <= before.lastAt!)
        assert.ok(await isVisited(owner))
      }
    }),
  )

  test(
    'gets a first visit soon and only once, even if the source is not due for a long time',
    withWatching({}, async ({ put, turn, takeOrders, clock }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a, { everyMs: DAY, everyMaxMs: DAY })]))
      await turn()
      assert.deepEqual(takeOrders(), [a])
      clock.advance(MINUTE)
      await turn()
      assert.deepEqual(takeOrders(), [])
      await put(profileWith('bob', 'bob', [sourceAt(a, { everyMs: DAY, everyMaxMs: DAY })]))
      await turn()
      assert.deepEqual(takeOrders(), [a])
      clock.advance(MINUTE)
      await turn()
      assert.deepEqual(takeOrders(), [])
    }),
  )
})
