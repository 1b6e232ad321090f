import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { believeCount } from '../../../core/time/change-belief.ts'
import { createPolicy, defaultShares } from '../queues/policy.ts'
import { DAY, HOUR, MINUTE, unlimited, watchOf } from '../scheduler.testkit.ts'
import { type Budgets, createScheduler } from '../scheduler.ts'
import { serviceLevels } from '../watch.ts'
import { believeHinted } from './hints.ts'
import { createPriors, groupsOf } from './priors.ts'
import { dueIn, noteWatched, type Rhythm } from './rhythm.ts'
import { type Claim, frequencyOf, shareOut } from './share-out.ts'
import type { ValueOptions } from './valuation.ts'

const none = Number.POSITIVE_INFINITY

function openValue(value: Partial<ValueOptions> = {}, budgets: Partial<Budgets> = {}) {
  const clock = createManualClock()
  const scheduler = createScheduler({
    clock,
    policy: createPolicy('value'),
    budgets: { ...unlimited, perUser: null, perHost: null, ...budgets },
    timing: { minEveryMs: 1, jitter: 0 },
    value: { budget: none, shares: defaultShares, hostLimit: none, userLimit: () => none, ...value },
  })
  /** Runs for `lengthMs`; returns the number of checks of each watch. */
  function run(lengthMs: number, changed: (id: number) => boolean = () => false): Map<number, number> {
    const counts = new Map<number, number>()
    for (const endAt = clock.monotonic() + lengthMs; clock.monotonic() < endAt; ) {
      clock.advance(MINUTE)
      for (const { id } of scheduler.take(none)) {
        counts.set(id, (counts.get(id) ?? 0) + 1)
        scheduler.done(id, { changed: changed(id), failed: false, at: clock.now() })
      }
    }
    return counts
  }
  return { clock, scheduler, run }
}

const claimOf = (rate: number, demand: number, parts: Partial<Claim> = {}): Claim => ({
  ...{ weight: Math.sqrt(rate * demand), rate, cost: 1, least: 1e-6, most: 1e6, level: 1, ...parts },
})

describe('a budget', () => {
  test('is shared by the square root of rate times demand, within bounds, and fully used', () => {
    const claims = [claimOf(1, 1), claimOf(4, 1), claimOf(1, 9), claimOf(1, 100, { most: 2 })]
    const shared = shareOut(claims, 14, [16, 4, 1])
    const frequencies = claims.map((claim) => frequencyOf(claim, shared))
    assert.deepEqual(
      frequencies.map((each) => Math.round(each * 100) / 100),
      [2, 4, 6, 2],
    )
    assert.equal(shared.holds, true)
  })

  test('that is too small for all promises is shared by level, then by value', () => {
    const promised = { least: 1, most: 1 }
    const claims = [
      claimOf(1, 1, { ...promised, level: 0 }),
      claimOf(1, 1, { ...promised, level: 1 }),
      claimOf(0.04, 1, { ...promised, level: 1 }),
    ]
    const shared = shareOut(claims, 1.6, [16, 4, 1])
    assert.equal(shared.holds, false)
    const [gold, often, rarely] = claims.map((claim) => frequencyOf(claim, shared))
    assert.equal(gold, 1)
    assert.ok(Math.abs(often! - 0.5) < 0.001 && Math.abs(rarely! - 0.1) < 0.001)
  })

  test('is spent on sources that change and are in demand, and never left unused', () => {
    const { scheduler, run } = openValue({ budget: 100 / DAY })
    const bounds = { everyMs: 10 * MINUTE, everyMaxMs: 30 * DAY, host: '' }
    for (let id = 0; id < 100; id++) scheduler.set(watchOf(id, { ...bounds, demand: id === 1 ? 25 : 1 }))
    // Two of them change with every check.
    run(5 * DAY, (id) => id <= 1)
    const counts = run(10 * DAY, (id) => id <= 1)
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    assert.ok(total > 950 && total <= 1010, `${total}`)
    const of = (id: number): number => counts.get(id) ?? 0
    assert.ok(of(0) > 5 * of(50), `${of(0)} ${of(50)}`)
    assert.ok(of(1) > 2 * of(0), `${of(1)} ${of(0)}`)
    const { value } = scheduler.stats()
    // The bucket holds ten requests, so one day may have ten fewer, and the next ten more.
    assert.ok(value!.usedPerDay > 85 && value!.doubled.delayMs < value!.now.delayMs)
    assert.equal(value!.holds, true)
  })

  test('for half of the promised checks still keeps every promise to gold', () => {
    const { scheduler, run } = openValue({}, { perSecond: 300 / 600 / 2, burst: 30 })
    for (let id = 0; id < 300; id++) scheduler.set(watchOf(id, { level: serviceLevels[id % 3]!, host: '' }))
    run(2 * HOUR)
    const before = scheduler.stats().levels.gold
    run(12 * HOUR)
    const { levels, value } = scheduler.stats()
    assert.equal(levels.gold.missed - before.missed, 0)
    assert.ok(levels.gold.met - before.met > 6_000)
    assert.equal(value?.holds, false)
    assert.equal(scheduler.snapshot(0)?.basis, 'every')
    assert.equal(scheduler.snapshot(1)?.basis, 'budget')
    assert.ok(levels.bronze.missed > 0)
  })

  test('counts every request of sources with many pages', () => {
    const { scheduler, clock } = openValue({ budget: 1000 / DAY })
    for (const id of [1, 2]) scheduler.set(watchOf(id, { everyMs: HOUR, everyMaxMs: 30 * DAY, host: '' }))
    let requests = 0
    for (let minute = 0; minute < 20 * 24 * 60; minute++) {
      clock.advance(MINUTE)
      for (const { id } of scheduler.take(none)) {
        const made = id === 1 ? 500 : 1
        requests += made
        scheduler.done(id, { changed: false, failed: false, at: clock.now(), requests: made })
      }
    }
    assert.ok(requests < 21_500, `${requests}`)
    assert.ok(scheduler.pace(1) > 0)
  })

  test('of a host or a user applies to all its sources together', () => {
    const perUser = unlimited
    const { scheduler, run } = openValue(
      { hostLimit: 100 / DAY, userLimit: (owner) => (owner === 'bob' ? 50 / DAY : none) },
      { perHost: unlimited, perUser },
    )
    for (let id = 0; id < 20; id++)
      scheduler.set(
        watchOf(id, { everyMs: HOUR, host: id < 10 ? 'slow.example' : '', payers: [id < 10 ? 'ann' : 'bob'] }),
      )
    run(5 * DAY)
    const counts = run(4 * DAY)
    const sum = (from: number): number =>
      Array.from({ length: 10 }, (_, n) => counts.get(from + n) ?? 0).reduce((a, b) => a + b, 0)
    assert.ok(sum(0) > 300 && sum(0) < 480, `${sum(0)}`)
    assert.ok(sum(10) > 150 && sum(10) < 240, `${sum(10)}`)
    assert.deepEqual([scheduler.snapshot(0)?.basis, scheduler.snapshot(10)?.basis], ['host', 'user'])
  })
})

describe('knowledge about a source', () => {
  test('survives a restart', () => {
    const { scheduler, run } = openValue({ budget: 200 / DAY })
    for (const id of [1, 2]) scheduler.set(watchOf(id, { everyMs: MINUTE, everyMaxMs: 30 * DAY, host: '' }))
    run(3 * DAY, (id) => id === 1)
    const saved = JSON.parse(JSON.stringify(scheduler.state(1)))
    const again = openValue({ budget: 200 / DAY })
    again.scheduler.set(watchOf(1, { everyMs: MINUTE, everyMaxMs: 30 * DAY }), saved)
    assert.equal(again.scheduler.snapshot(1)?.changesPerDay, scheduler.snapshot(1)?.changesPerDay)
    assert.deepEqual(again.scheduler.state(1)?.rhythm, saved.rhythm)
  })

  test('informs the expected change rate of other sources of the same site and folder', () => {
    const priors = createPriors()
    const groups = (path: string) => groupsOf(`https://news.example${path}`)
    for (let n = 0; n < 10; n++) priors.move(groups(`/live/${n}`), 0, 10 / DAY)
    for (let n = 0; n < 10; n++) priors.move(groups(`/about/${n}`), 0, 0.01 / DAY)
    const [live, about] = [priors.expect(groups('/live/x')), priors.expect(groups('/about/x'))]
    assert.ok(live > 10 * about)
    const [site, other] = [priors.expect(groups('/more/x')), priors.expect(groupsOf('https://other.example/'))]
    assert.ok(site < live && site > about && other > about)
  })

  test('includes the dates and lifetimes that the source publishes, from the first check on', () => {
    const prior = { shape: 0.25, spanMs: 25 * DAY }
    const at = 100 * DAY
    const rate = (hints: object): number => {
      const { shape, spanMs } = believeHinted(prior, { at, beforeAt: null, elapsedMs: none, changed: true, hints })
      return (shape / spanMs) * DAY
    }
    assert.ok(rate({ dates: Array.from({ length: 30 }, (_, n) => at - n * HOUR) }) > 0.5)
    assert.ok(rate({ modifiedAt: at - HOUR }) > 2 * rate({ modifiedAt: at - 60 * DAY }))
    assert.ok(rate({ freshForMs: MINUTE }) > rate({}) && rate({ freshForMs: 90 * DAY }) < rate({ freshForMs: MINUTE }))
    const later = { at, beforeAt: at - DAY, elapsedMs: DAY, changed: true }
    const counted = believeHinted(prior, { ...later, hints: { dates: [1, 2, 3, 4].map((n) => at - n * HOUR) } })
    assert.ok(counted.shape > 4)
  })

  test('counts many entries with the same date as one change', () => {
    const prior = { shape: 0.25, spanMs: 25 * DAY }
    const at = 100 * DAY
    const first = { at, beforeAt: null, elapsedMs: none, changed: true }
    const dates = Array.from({ length: 20 }, () => at - MINUTE)
    assert.deepEqual(believeHinted(prior, { ...first, hints: { dates } }), prior)
    const later = { at, beforeAt: at - DAY, elapsedMs: DAY, changed: true }
    assert.deepEqual(believeHinted(prior, { ...later, hints: { dates } }), believeCount(prior, 1, DAY))
  })

  test('concentrates checks on the hours and weekdays at which the source changes', () => {
    const { clock, scheduler } = openValue({ budget: 12 / DAY })
    scheduler.set(watchOf(1, { everyMs: 20 * MINUTE, everyMaxMs: 30 * DAY, host: '' }))
    const isOpen = (at: number): boolean => new Date(at).getUTCHours() === 9 && new Date(at).getUTCDay() % 6 !== 0
    let changedAt = 0
    let [inTime, after] = [0, 0]
    for (let minute = 0; minute < 120 * 24 * 60; minute++) {
      clock.advance(MINUTE)
      // Twice within the hour, on weekdays.
      if (isOpen(clock.now()) && minute % 30 === 0) changedAt = clock.now()
      for (const { id } of scheduler.take(none)) {
        const changed = changedAt > 0
        scheduler.done(id, { changed, failed: false, at: clock.now(), hints: changed ? { modifiedAt: changedAt } : {} })
        changedAt = 0
        if (minute < 90 * 24 * 60) continue
        after++
        if (isOpen(clock.now()) || isOpen(clock.now() - HOUR)) inTime++
      }
    }
    // Two hours on five days are 6 % of a week.
    assert.ok(inTime / after > 0.18, `${inTime} of ${after}`)
  })

  test('places the next check at the hour at which the source usually changes', () => {
    let rhythm: Rhythm | null = null
    const monday = Date.UTC(2026, 0, 5)
    for (let from = monday; from < monday + 60 * DAY; from += HOUR) {
      const isNine = new Date(from).getUTCHours() === 9 && new Date(from).getUTCDay() % 6 !== 0
      rhythm = noteWatched(rhythm, { from, to: from + HOUR, changed: isNine ? { from, to: from + HOUR } : null })
    }
    const bounds = { leastMs: HOUR, mostMs: 30 * DAY }
    const evening = dueIn(rhythm, monday + 18 * HOUR, 6 * HOUR, bounds)
    assert.ok(evening > monday + DAY + 6 * HOUR && evening < monday + DAY + 11 * HOUR, new Date(evening).toISOString())
    const nine = dueIn(rhythm, monday + 9 * HOUR, 6 * HOUR, bounds)
    assert.ok(nine === monday + 10 * HOUR, new Date(nine).toISOString())
    assert.equal(dueIn(null, monday, 6 * HOUR, bounds), monday + 6 * HOUR)
    assert.equal(
      noteWatched(null, { from: monday, to: monday + DAY, changed: { from: monday, to: monday + DAY } }),
      null,
    )
  })
})
