import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileWith, sourceAt, watchingOver } from './watching.testkit.ts'

const MINUTE = 60_000
const a = 'http://a.example/'
const b = 'http://b.example/'
const pages = { [a]: { words: 'a' }, [b]: { words: 'b' } }

const withWatching = watchingOver(pages)

describe('a source paused for one profile', () => {
  test(
    'is not checked, and continues when resumed',
    withWatching({}, async ({ put, profiles, turn, runFor, takeOrders }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a), sourceAt(b)]))
      await turn()
      assert.deepEqual(takeOrders().sort(), [a, b])
      const urds = await profiles.urdsOf('ann')
      await profiles.setUrds([urds[0]!.id], { paused: true })
      await runFor(11 * MINUTE)
      assert.deepEqual(takeOrders(), [b])
      await profiles.setUrds([urds[0]!.id], { paused: false })
      await turn()
      assert.deepEqual(takeOrders(), [a])
    }),
  )

  test(
    'is checked for others, and gets its own first visit when resumed',
    withWatching({}, async ({ put, profiles, turn, clock, fetcher, isVisited }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]), profileWith('bob', 'bob', [sourceAt(a)]))
      const [urd] = await profiles.urdsOf('bob')
      await profiles.setUrds([urd!.id], { paused: true })
      await turn()
      assert.deepEqual([await isVisited('ann'), await isVisited('bob')], [true, false])
      clock.advance(11 * MINUTE)
      await turn()
      await profiles.setUrds([urd!.id], { paused: false })
      clock.advance(11 * MINUTE)
      await turn()
      assert.equal(await isVisited('bob'), true)
      assert.deepEqual(
        fetcher.orders.map(({ check }) => check.first),
        [true, false, true],
      )
    }),
  )
})

describe('a source whose first check fails', () => {
  test(
    'is retried at its usual times, and its first success counts as the first visit',
    withWatching({}, async ({ put, turn, web, clock, fetcher, isVisited, runFor, takeOrders }) => {
      web.pages.set(a, { words: 'a', fails: true })
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      await turn()
      await turn()
      assert.equal(fetcher.orders.length, 1, 'not at once again')
      assert.equal(await isVisited('ann'), false)
      takeOrders()
      await runFor(60 * MINUTE)
      const tried = takeOrders().length
      assert.ok(tried > 0 && tried <= 6, `${tried} checks in an hour`)
      web.pages.set(a, { words: 'a' })
      clock.advance(600 * MINUTE)
      await turn()
      assert.equal(fetcher.orders.at(-1)!.check.first, true)
      assert.equal(await isVisited('ann'), true)
      clock.advance(11 * MINUTE)
      await turn()
      assert.equal(fetcher.orders.at(-1)!.check.first, false)
    }),
  )
})

describe('a scope pattern that is too expensive', () => {
  const evil = { kind: 'pattern', source: '.*a[ab]{450}c' } as const
  const kind = { kind: 'pattern', source: 'news' } as const

  test(
    'is set aside for its owners only, until the profile is saved again',
    withWatching({}, async ({ put, profiles, service, turn, tell, rowOf, fetcher, clock }) => {
      const eve = profileWith('eve', 'eve', [sourceAt(a, { scope: evil, depth: 3 })])
      await put(eve, profileWith('ann', 'ann', [sourceAt(a, { scope: kind, depth: 1 })]))
      await turn()
      const scopes = () => fetcher.orders.at(-1)!.crawlScope.sources.map(({ scope, owner }) => [scope, owner])
      assert.deepEqual(
        scopes().map(String).sort(),
        [
          [evil, 'eve'],
          [kind, 'ann'],
        ]
          .map(String)
          .sort(),
      )
      const { id } = await rowOf(a)
      const none = { queued: 0, changed: 0, unchanged: 0, failed: 0, source: null, landed: null }
      tell([{ ...none, watch: id, tooExpensive: [{ expression: evil.source, url: `${a}links` }] }])
      await service.tick()
      const asideOf = async (name: string) => (await profiles.urdsOf(name)).map((urd) => [urd.aside, urd.asideUrl])
      assert.deepEqual(await asideOf('eve'), [['scope', `${a}links`]])
      assert.deepEqual(await asideOf('ann'), [['', '']])
      clock.advance(11 * MINUTE)
      await turn()
      assert.equal(fetcher.orders.at(-1)!.depth, 1)
      assert.deepEqual(
        scopes().filter(([scope]) => scope !== undefined && (scope as { kind: string }).kind === 'pattern'),
        [[kind, 'ann']],
      )
      await put(eve)
      clock.advance(11 * MINUTE)
      await turn()
      assert.deepEqual(await asideOf('eve'), [['', '']])
      assert.equal(fetcher.orders.at(-1)!.depth, 3)
    }),
  )
})

describe('a check listener', () => {
  test(
    'is notified when a check starts and ends, and can look up the owners',
    withWatching({}, async ({ put, service, fetcher, rowOf }) => {
      const told: string[] = []
      service.onCheck((watch, phase) => told.push(`${watch} ${phase} ${service.isChecking(watch)}`))
      await put(profileWith('ann', 'ann', [sourceAt(a)]), profileWith('bob', 'bob', [sourceAt(a)]))
      await service.tick()
      const { id } = await rowOf(a)
      assert.deepEqual(told, [`${id} begun true`])
      assert.deepEqual(
        service
          .urdsOf(id)
          .map(({ owner }) => owner)
          .sort(),
        ['ann', 'bob'],
      )
      fetcher.run()
      assert.equal(service.isChecking(id), true)
      await service.tick()
      assert.deepEqual(told, [`${id} begun true`, `${id} ended false`])
    }),
  )
})

describe('the outcome of a check', () => {
  const results = { queued: -1, changed: 0, unchanged: 0, failed: 0, source: null, landed: null }

  test(
    'says why the source failed or was not fetched',
    withWatching({}, async ({ put, service, tell, rowOf, web, clock, scheduler }) => {
      await put(profileWith('ann', 'ann', [sourceAt(a)]))
      const cases = [
        [{ failed: 1, source: { status: 0, outcome: 'failed: dns-not-found' } }, 'failed: dns-not-found', 'failed'],
        [{ unchanged: 1, source: { status: 0, outcome: 'skipped: robots' } }, 'skipped: robots', 'unchanged'],
        [{ failed: 1 }, 'failed: host-given-up', 'failed'],
        [{ failed: 1, unchanged: 1, landed: b }, 'failed: host-given-up', 'failed'],
        [{ failed: 3, unchanged: 4, source: { status: 200, outcome: 'unchanged' } }, 'unchanged', 'unchanged'],
        [{ failed: 1, changed: 1, source: { status: 404, outcome: 'gone' } }, 'changed', 'changed'],
      ] as const
      for (const [parts, outcome, learnt] of cases) {
        await service.tick()
        const { id } = await rowOf(a)
        web.queue.length = 0
        tell([{ ...results, watch: id, ...parts }])
        await service.tick()
        assert.equal((await rowOf(a)).outcome, outcome)
        assert.equal(scheduler.snapshot(id)?.lastOutcome, learnt)
        clock.advance(24 * 60 * MINUTE)
      }
    }),
  )
})
