import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServiceLevel } from '../../core/profile.ts'
import type { PolicyName } from './queues/policy.ts'
import {
  createRandom,
  DAY,
  HOUR,
  MINUTE,
  openScheduler,
  type Random,
  runFor,
  type Setting,
  unlimited,
  watchOf,
} from './scheduler.testkit.ts'
import { serviceLevels, type WatchState } from './watch.ts'

const second = 1_000

/** Equally many watches of each level, each every ten minutes, with capacity for only half of their checks. */
function overload(policy: PolicyName) {
  const each = 400
  const demandPerSecond = (3 * each) / 600
  const setting = openScheduler({
    policy,
    budgets: { perSecond: demandPerSecond / 2, burst: 5, maxInFlight: 64 },
    timing: { jitter: 0.05 },
  })
  const { scheduler, clock } = setting
  // Watches are added over the first interval, as if the system had been running.
  const waits: Record<ServiceLevel, number> = { gold: 0, silver: 0, bronze: 0 }
  const counts: Record<ServiceLevel, number> = { gold: 0, silver: 0, bronze: 0 }
  const run = (lengthMs: number): void =>
    runFor(setting, lengthMs, {
      durationMs: 2 * second,
      taken({ level, dueAt }) {
        waits[level] = Math.max(waits[level], clock.monotonic() - dueAt)
        counts[level]++
      },
    })
  for (let n = 0; n < each; n++) {
    serviceLevels.forEach((level, index) => {
      scheduler.set(watchOf(1 + n * 3 + index, { level, everyMs: 10 * MINUTE }))
    })
    run((10 * MINUTE) / each)
  }
  run(12 * HOUR)
  return { stats: scheduler.stats(), waits, counts, each, perSecond: demandPerSecond / 2 }
}

describe('overload', () => {
  test('at half the required capacity, gold meets its deadlines and bronze waits without starving', () => {
    const { stats, waits, counts, each, perSecond } = overload('weighted-fair')
    const { gold, silver, bronze } = stats.levels
    assert.ok(gold.met / (gold.met + gold.missed) >= 0.95, `gold met ${gold.met}, missed ${gold.missed}`)
    assert.ok(gold.overdue < each * 0.05)
    assert.ok(counts.silver > counts.bronze && counts.bronze > 0)
    assert.ok(silver.lateP95Ms < bronze.lateP95Ms)
    // 1/21 of the capacity is reserved for bronze: within this time each bronze watch has had a turn.
    const bound = (each / (perSecond / 21)) * second
    assert.ok(waits.bronze <= bound, `bronze waited ${waits.bronze / MINUTE} minutes of ${bound / MINUTE}`)
    assert.ok(bronze.missed > 0)
  })

  test('no policy leaves capacity unused or starves a level', () => {
    for (const policy of ['first-in', 'earliest-deadline', 'weighted-fair'] as const) {
      const { counts, perSecond } = overload(policy)
      const made = counts.gold + counts.silver + counts.bronze
      const possible = (perSecond * (12 * HOUR + 10 * MINUTE)) / second
      assert.ok(made > 0.98 * possible, `${policy}: ${made} of ${possible}`)
      for (const level of serviceLevels) assert.ok(counts[level] > 400, `${policy}: ${level} ${counts[level]}`)
    }
  })
})

function savedAt(id: number, lastAt: number, intervalMs: number): WatchState {
  return { id, lastAt, lastOutcome: 'unchanged', failures: 0, intervalMs, checks: 1, changes: 0, observedMs: 1 }
}

describe('after three days of downtime', () => {
  const perSecond = 50
  const burst = 20

  function restart(): Setting {
    const setting = openScheduler({
      policy: 'weighted-fair',
      budgets: { perSecond, burst, maxInFlight: 500 },
      timing: { jitter: 0.05 },
    })
    for (let id = 1; id <= 6_000; id++) {
      const level = serviceLevels[id % 3]!
      const watch = watchOf(id, { level, everyMs: 10 * MINUTE, urgency: id % 30 === 0 ? 10 : 1 })
      setting.scheduler.set(watch, savedAt(id, setting.clock.now() - 3 * DAY, 10 * MINUTE))
    }
    return setting
  }

  test('checks never exceed the budget, in the first round or later', () => {
    const setting = restart()
    const taken: number[] = []
    runFor(setting, HOUR, { durationMs: 500, taken: () => taken.push(setting.clock.monotonic()) })
    for (let from = 0, to = 0; to < taken.length; to++) {
      while (taken[from]! < taken[to]! - second) from++
      assert.ok(to - from + 1 <= perSecond + burst + 1, `${to - from + 1} checks within a second`)
    }
    assert.ok(taken.length > 6_000 * 5)
    // The budget spread the first round over two minutes; later rounds stay spread out, below the limit.
    const busiest = Math.max(...countsPerMinute(taken).slice(20))
    assert.ok(busiest < perSecond * 60, `${busiest}`)
  })

  test('"check now" requests go first, then the most urgent watches', () => {
    const { scheduler, clock } = restart()
    scheduler.checkNow(5_999)
    const [asked, ...first] = scheduler.take(1_000)
    assert.equal(asked?.id, 5_999)
    assert.ok(first.length <= burst)
    clock.advance(2 * second)
    const gold = [...first, ...scheduler.take(1_000)].filter(({ level }) => level === 'gold')
    assert.ok(gold.length > 20 && gold.every(({ id }) => id % 30 === 0))
  })

  test('a wall clock set back during downtime delays a check by at most one interval', () => {
    const setting = openScheduler()
    setting.scheduler.set(watchOf(1), savedAt(1, setting.clock.now() + DAY, 10 * MINUTE))
    setting.clock.advance(10 * MINUTE)
    assert.deepEqual(setting.takeIds(), [1])
  })
})

function countsPerMinute(times: readonly number[]): number[] {
  const counts = Array.from({ length: 60 }, () => 0)
  for (const at of times) counts[Math.floor(at / MINUTE)]!++
  return counts
}

test('a process that was suspended for an hour resumes at the rate of its budget', () => {
  const { scheduler, clock, finish } = openScheduler({ budgets: { perSecond: 10, burst: 5, maxInFlight: 1_000 } })
  for (let id = 1; id <= 500; id++) scheduler.set(watchOf(id), savedAt(id, clock.now(), 10 * MINUTE))
  clock.advance(HOUR)
  assert.equal(scheduler.take(1_000).length, 5)
  clock.advance(second)
  const taken = scheduler.take(1_000)
  assert.equal(taken.length, 5)
  for (const { id } of taken) finish(id)
})

describe('budgets', () => {
  test('cap the checks in flight per user and per host without blocking others', () => {
    const two = { ...unlimited, maxInFlight: 2 }
    const { scheduler, finish, takeIds } = openScheduler({ budgets: { perUser: two, perHost: two } })
    for (let id = 1; id <= 10; id++) scheduler.set(watchOf(id, { host: `h${id}`, payers: ['ann'] }))
    for (let id = 11; id <= 20; id++) scheduler.set(watchOf(id, { host: 'one', payers: [`u${id}`] }))
    scheduler.set(watchOf(99, { host: 'other', payers: ['bob'] }))
    assert.deepEqual(takeIds(), [1, 2, 11, 12, 99])
    assert.equal(scheduler.snapshot(3)?.why, 'user-budget')
    assert.equal(scheduler.snapshot(13)?.why, 'host-budget')
    finish(1)
    finish(12)
    assert.deepEqual(takeIds(), [3, 13])
  })

  test('let a shared source run as long as one of its users has budget left', () => {
    const one = { perSecond: 0.001, burst: 1, maxInFlight: 9 }
    const { scheduler, clock, takeIds } = openScheduler({ budgets: { perUser: one } })
    scheduler.set(watchOf(1, { payers: ['ann'] }))
    scheduler.set(watchOf(2, { payers: ['ann', 'bob'] }))
    scheduler.set(watchOf(3, { payers: ['ann', 'bob'] }))
    assert.deepEqual(takeIds(), [1, 2])
    assert.equal(scheduler.nextDueAt(), 1_000 * second)
    clock.advance(1_000 * second)
    assert.deepEqual(takeIds(), [3])
  })

  test('a gold watch waiting for its host goes before bronze watches of the same host', () => {
    const slow = { perSecond: 1, burst: 1, maxInFlight: 9 }
    const { scheduler, clock, takeIds } = openScheduler({ policy: 'weighted-fair', budgets: { perHost: slow } })
    for (let id = 1; id <= 50; id++) scheduler.set(watchOf(id, { level: 'bronze', everyMs: MINUTE }))
    assert.deepEqual(takeIds(), [1])
    scheduler.set(watchOf(100, { level: 'gold', everyMs: DAY }))
    assert.deepEqual(takeIds(), [])
    clock.advance(second)
    assert.deepEqual(takeIds(), [100])
  })

  test('a watch that competes for both a busy host and a busy user still gets its turn', () => {
    const rare = { perSecond: 0.05, burst: 1, maxInFlight: 9 }
    const setting = openScheduler({ policy: 'first-in', budgets: { perUser: rare, perHost: rare } })
    const { scheduler, clock } = setting
    const counts = new Map<number, number>()
    const check = { durationMs: 0, taken: ({ id }: { id: number }) => counts.set(id, (counts.get(id) ?? 0) + 1) }
    scheduler.set(watchOf(1, { everyMs: 5 * second, host: 'busy', payers: [] }))
    runFor(setting, 10 * second, check)
    // The tokens of host and user arrive ten seconds apart, and each has another watch waiting for it.
    scheduler.set(watchOf(2, { everyMs: 5 * second, host: '', payers: ['ann'] }))
    scheduler.set(watchOf(3, { everyMs: 5 * second, host: 'busy', payers: ['ann'] }))
    runFor(setting, HOUR, check)
    assert.equal(clock.monotonic(), HOUR + 10 * second)
    for (const id of [1, 2, 3]) assert.ok(counts.get(id)! >= 50, `${id}: ${counts.get(id)}`)
  })

  test('bronze gets its share of a host that gold alone would saturate', () => {
    const slow = { perSecond: 1, burst: 1, maxInFlight: 9 }
    const setting = openScheduler({ policy: 'weighted-fair', budgets: { perHost: slow } })
    for (let id = 1; id <= 20; id++) setting.scheduler.set(watchOf(id, { level: 'gold', everyMs: 5 * second }))
    setting.scheduler.set(watchOf(21, { level: 'bronze', everyMs: 5 * second }))
    for (let id = 22; id <= 40; id++)
      setting.scheduler.set(watchOf(id, { level: 'bronze', host: `h${id}`, everyMs: 5 * second }))
    let bronze = 0
    runFor(setting, HOUR, { durationMs: 0, taken: ({ id }) => (bronze += id === 21 ? 1 : 0) })
    // 1/17, as silver has nothing to check there.
    assert.ok(bronze > 180 && bronze < 240, `${bronze}`)
  })

  test('with random budgets, no watch is checked early, exceeds the limits or starves', () => {
    for (let seed = 1; seed <= 40; seed++) liveWithBudgets(createRandom(seed), `seed ${seed}`)
  })
})

function randomBudget(random: Random) {
  return {
    perSecond: random.of([0.05, 0.2, 1, Number.POSITIVE_INFINITY]),
    burst: 1 + random.below(4),
    maxInFlight: 1 + random.below(3),
  }
}

/** A random run in which watches are added, changed, paused and removed, with overlapping users and hosts; then it calms down. */
function liveWithBudgets(random: Random, name: string): void {
  const budgets = {
    perSecond: random.of([1, Number.POSITIVE_INFINITY]),
    burst: 3,
    maxInFlight: 1 + random.below(10),
    perUser: random.chance(0.8) ? randomBudget(random) : null,
    perHost: random.chance(0.8) ? randomBudget(random) : null,
  }
  const policy = random.of(['first-in', 'earliest-deadline', 'weighted-fair'] as const)
  const setting = openScheduler({ policy, budgets, timing: { jitter: 0.05 } })
  const { scheduler, clock } = setting
  const taken = new Map<number, number>()
  const everyOf = new Map<number, number>()
  const out = new Set<number>()
  const check = {
    durationMs: 3 * second,
    taken({ id, why }: { id: number; why: string }) {
      const since = clock.monotonic() - (taken.get(id) ?? Number.NEGATIVE_INFINITY)
      if (why === 'due') assert.ok(since >= everyOf.get(id)!, `${name}: ${id} after ${since} ms`)
      assert.ok(!out.has(id), `${name}: ${id} is out twice`)
      out.add(id)
      taken.set(id, clock.monotonic())
    },
    outcome(id: number) {
      out.delete(id)
      return { changed: random.chance(0.3), failed: random.chance(0.1) }
    },
  }
  for (let step = 0; step < 60; step++) {
    const id = 1 + random.below(25)
    const everyMs = random.of([5, 20, 60]) * second
    if (out.has(id)) continue
    const dice = random.below(10)
    if (dice === 0) scheduler.checkNow(id)
    else if (dice === 1) {
      scheduler.remove(id)
      taken.delete(id)
    } else {
      const payers = ['ann', 'bob', 'eve'].filter(() => random.chance(0.5))
      const host = random.of(['', 'a', 'b', 'c'])
      everyOf.set(id, everyMs)
      const paused = step < 40 && random.chance(0.2)
      scheduler.set(
        watchOf(id, { level: random.of(serviceLevels), everyMs, everyMaxMs: 2 * everyMs, host, payers, paused }),
      )
    }
    runFor(setting, random.below(40) * second, check)
    assert.ok(scheduler.stats().states.out <= budgets.maxInFlight)
  }
  const from = clock.monotonic()
  runFor(setting, 2 * HOUR, check)
  for (const id of taken.keys()) {
    const state = scheduler.snapshot(id)?.state
    if (state === undefined || state === 'paused') continue
    assert.ok(taken.get(id)! >= from, `${name}: ${id} is ${state} and was never taken again`)
  }
}
