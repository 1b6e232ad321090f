import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { TimeWindow } from '../../core/profile.ts'
import { DAY, HOUR, MINUTE, openScheduler, runFor, watchOf } from './scheduler.testkit.ts'

const officeHours: TimeWindow = { zone: 'Europe/Athens', days: [1, 2, 3, 4, 5], fromMinute: 540, toMinute: 1020 }

describe('a watch', () => {
  test('is checked at once when added, then once per interval', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    scheduler.set(watchOf(1))
    assert.deepEqual(takeIds(), [1])
    assert.deepEqual(takeIds(), [])
    clock.advance(MINUTE)
    assert.equal(finish(1), true)
    clock.advance(9 * MINUTE - 1)
    assert.deepEqual(takeIds(), [])
    clock.advance(1)
    assert.deepEqual(takeIds(), [1])
  })

  test('is checked again right after a check that took longer than its interval', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    scheduler.set(watchOf(1))
    takeIds()
    clock.advance(25 * MINUTE)
    assert.deepEqual(takeIds(), [])
    finish(1)
    assert.deepEqual(takeIds(), [1])
  })

  test('with too short an interval uses the minimum interval', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler({ timing: { minEveryMs: 30_000 } })
    scheduler.set(watchOf(1, { everyMs: 1_000 }))
    takeIds()
    finish(1)
    clock.advance(29_999)
    assert.deepEqual(takeIds(), [])
    clock.advance(1)
    assert.deepEqual(takeIds(), [1])
  })

  test('is checked less often while its source never changes, and as often as allowed while it does', () => {
    const { scheduler, finish, takeIds, clock } = openScheduler()
    scheduler.set(watchOf(1, { everyMs: MINUTE, everyMaxMs: HOUR }))
    scheduler.set(watchOf(2, { everyMs: MINUTE, everyMaxMs: HOUR }))
    for (let check = 0; check < 300; check++) {
      for (const id of takeIds()) finish(id, { changed: id === 2 })
      clock.advance(MINUTE)
    }
    assert.equal(scheduler.snapshot(1)?.intervalMs, HOUR)
    assert.equal(scheduler.snapshot(2)?.intervalMs, MINUTE)
    assert.ok(scheduler.snapshot(2)!.changesPerDay > 1_440)
  })

  test('backs off after each failure and returns to its interval after a success', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    scheduler.set(watchOf(1, { everyMs: 10 * MINUTE, everyMaxMs: HOUR }))
    takeIds()
    const waits = [1, 2, 3, 4, 5].map((failure) => {
      finish(1, { failed: failure < 5 })
      const from = clock.monotonic()
      const snapshot = scheduler.snapshot(1)!
      assert.equal(snapshot.why, failure < 5 ? 'back-off' : 'interval')
      while (takeIds().length === 0) clock.advance(MINUTE)
      return (clock.monotonic() - from) / MINUTE
    })
    assert.deepEqual(waits, [20, 40, 60, 60, 15])
  })

  test('follows the schedule published by its feed, up to the maximum interval', () => {
    const clock = createManualClock(Date.UTC(2026, 0, 5, 8))
    const { scheduler, takeIds } = openScheduler({ clock })
    const done = (id: number, schedule?: FeedSchedule) =>
      scheduler.done(id, { changed: true, failed: false, at: clock.now(), schedule })
    const waitOf = (id: number) => (scheduler.snapshot(id)!.nextAt! - clock.now()) / MINUTE
    scheduler.set(watchOf(1, { everyMs: 10 * MINUTE, everyMaxMs: DAY }))
    scheduler.set(watchOf(2, { everyMs: 10 * MINUTE, everyMaxMs: 10 * MINUTE }))
    scheduler.set(watchOf(3, { everyMs: 10 * MINUTE, everyMaxMs: 2 * HOUR }))
    const quiet = { ttlMinutes: 90, skipHours: [9, 10, 11], skipDays: [] }
    for (const id of takeIds()) done(id, quiet)
    assert.deepEqual([1, 2, 3].map(waitOf), [240, 10, 120])
    clock.advance(4 * HOUR)
    takeIds()
    // Not modified: the schedule of the feed still holds, even after a restart.
    done(1)
    assert.equal(waitOf(1), 90)
    const later = openScheduler({ clock })
    later.scheduler.set(watchOf(1, { everyMs: 10 * MINUTE, everyMaxMs: DAY }), scheduler.state(1))
    assert.equal((later.scheduler.snapshot(1)!.nextAt! - clock.now()) / MINUTE, 90)
    clock.advance(90 * MINUTE)
    takeIds()
    done(1, { ttlMinutes: null, skipHours: [], skipDays: [] })
    assert.equal(waitOf(1), scheduler.snapshot(1)!.intervalMs / MINUTE)
  })

  test('is never checked while paused, and keeps what was learnt for when it is resumed', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    const watch = watchOf(1, { everyMs: MINUTE, everyMaxMs: HOUR })
    scheduler.set(watch)
    for (let check = 0; check < 3; check++) {
      for (const id of takeIds()) finish(id)
      clock.advance(10 * MINUTE)
    }
    takeIds()
    scheduler.set({ ...watch, paused: true })
    finish(1)
    const learnt = scheduler.state(1)
    assert.equal(learnt?.intervalMs, 3.375 * MINUTE)
    clock.advance(DAY)
    assert.deepEqual(takeIds(), [])
    assert.equal(scheduler.checkNow(1), 'paused')
    assert.equal(scheduler.nextDueAt(), undefined)
    scheduler.set(watch)
    assert.deepEqual(scheduler.state(1), learnt)
    assert.deepEqual(takeIds(), [1])
  })

  test('can be removed in any state', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler({ budgets: { maxInFlight: 1 } })
    for (const id of [1, 2, 3]) scheduler.set(watchOf(id))
    assert.deepEqual(takeIds(), [1])
    scheduler.remove(1)
    scheduler.remove(2)
    scheduler.remove(77)
    assert.equal(finish(1), false)
    assert.deepEqual(takeIds(), [3])
    finish(3)
    scheduler.remove(3)
    clock.advance(DAY)
    assert.deepEqual(takeIds(), [])
    assert.equal(scheduler.stats().watches, 0)
  })

  test('is checked sooner as soon as its interval is shortened', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    scheduler.set(watchOf(1, { everyMs: HOUR, everyMaxMs: DAY }))
    takeIds()
    finish(1)
    clock.advance(5 * MINUTE)
    scheduler.set(watchOf(1, { everyMs: MINUTE, everyMaxMs: DAY }))
    assert.deepEqual(takeIds(), [1])
    finish(1)
    assert.equal(scheduler.snapshot(1)?.intervalMs, 1.5 * MINUTE)
  })

  test('with an invalid id, interval or time zone is rejected and does not replace the existing one', () => {
    const { scheduler, takeIds } = openScheduler()
    scheduler.set(watchOf(1))
    const nowhere: TimeWindow = { ...officeHours, zone: 'Nowhere/City' }
    assert.throws(
      () => scheduler.set(watchOf(1, { everyMs: Number.NaN })),
      (error) => isAppError(error, 'internal'),
    )
    assert.throws(
      () => scheduler.set(watchOf(1, { windows: [nowhere] })),
      (error) => isAppError(error, 'usage-wrong'),
    )
    for (const wrong of [-1, 1.5, Number.NaN, 2 ** 53]) {
      assert.throws(
        () => scheduler.set(watchOf(wrong)),
        (error) => isAppError(error, 'internal'),
      )
    }
    assert.deepEqual(takeIds(), [1])
  })
})

describe('check now', () => {
  test('goes before everything else and restarts the interval', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    for (const id of [1, 2, 3]) scheduler.set(watchOf(id))
    for (const id of takeIds()) finish(id)
    clock.advance(DAY)
    assert.equal(scheduler.checkNow(3), 'asked')
    assert.deepEqual(takeIds(1), [3])
    assert.equal(scheduler.checkNow(3), 'out-already')
    finish(3)
    assert.deepEqual(takeIds(), [1, 2])
    assert.equal(scheduler.checkNow(4), 'unknown')
  })

  test('ignores windows, back-off, rate limit and budgets, but not the limit on checks in flight', () => {
    const none = { perSecond: 0, burst: 0, maxInFlight: 0 }
    const { scheduler, finish, takeIds } = openScheduler({
      budgets: { perSecond: 0, burst: 0, maxInFlight: 1, perUser: none, perHost: none },
    })
    // The manual clock starts on a Thursday at two in the morning in Athens.
    scheduler.set(watchOf(1, { windows: [officeHours] }))
    scheduler.set(watchOf(2))
    assert.deepEqual(takeIds(), [])
    assert.equal(scheduler.snapshot(1)?.why, 'window-closed')
    scheduler.checkNow(1)
    scheduler.checkNow(2)
    assert.equal(scheduler.snapshot(1)?.why, 'asked')
    assert.deepEqual(takeIds(), [1])
    assert.deepEqual(takeIds(), [])
    finish(1)
    assert.deepEqual(takeIds(), [2])
    finish(2, { failed: true })
    assert.equal(scheduler.snapshot(2)?.why, 'back-off')
    scheduler.checkNow(2)
    assert.deepEqual(takeIds(), [2])
  })

  test('does not count towards deadlines unless the watch was due anyway', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    scheduler.set(watchOf(1))
    takeIds()
    finish(1)
    const met = scheduler.stats().levels.silver.met
    scheduler.checkNow(1)
    takeIds()
    finish(1)
    assert.equal(scheduler.stats().levels.silver.met, met)
    clock.advance(DAY)
    scheduler.checkNow(1)
    takeIds()
    finish(1)
    assert.equal(scheduler.stats().levels.silver.missed, 1)
  })
})

describe('clock changes and time windows', () => {
  test('a wall-clock jump of a day makes no check early or late', () => {
    for (const jump of [DAY, -DAY]) {
      const { scheduler, clock, finish, takeIds } = openScheduler()
      for (const id of [1, 2, 3]) scheduler.set(watchOf(id))
      for (const id of takeIds()) finish(id)
      clock.advance(MINUTE)
      clock.jump(jump)
      assert.deepEqual(takeIds(), [])
      clock.advance(9 * MINUTE)
      assert.deepEqual(takeIds(), [1, 2, 3])
    }
  })

  test('a wall-clock jump into or out of a window takes effect at once', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler()
    scheduler.set(watchOf(1, { windows: [officeHours] }))
    assert.deepEqual(takeIds(), [])
    clock.jump(8 * HOUR)
    assert.deepEqual(takeIds(), [1])
    finish(1)
    clock.advance(10 * MINUTE)
    clock.jump(-8 * HOUR)
    assert.deepEqual(takeIds(), [])
    assert.equal(scheduler.snapshot(1)?.why, 'window-closed')
    clock.advance(8 * HOUR)
    assert.deepEqual(takeIds(), [1])
  })

  test('windows are respected across both DST changes in Athens and New York', () => {
    for (const zone of ['Europe/Athens', 'America/New_York']) {
      for (const start of ['2026-03-05T00:00Z', '2026-03-27T00:00Z', '2026-10-23T00:00Z', '2026-10-30T00:00Z']) {
        const window: TimeWindow = { zone, days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 90, toMinute: 240 }
        const setting = openScheduler({ clock: createManualClock(Date.parse(start)), timing: { jitter: 0.05 } })
        const hour = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })
        for (let id = 1; id <= 20; id++) setting.scheduler.set(watchOf(id, { everyMs: HOUR, windows: [window] }))
        const nights = new Map<string, Set<number>>()
        runFor(setting, 5 * DAY, {
          durationMs: 1_000,
          taken({ id }) {
            const shown = hour.format(setting.clock.now())
            assert.ok(shown >= '01:30' && shown < '04:00', shown)
            const night = new Date(setting.clock.now()).toISOString().slice(0, 10)
            nights.set(night, (nights.get(night) ?? new Set()).add(id))
          },
        })
        assert.deepEqual(
          [...nights.values()].map((ids) => ids.size),
          [20, 20, 20, 20, 20],
        )
      }
    }
  })

  test('a window that closes before the check starts counts as a missed deadline', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler({ budgets: { maxInFlight: 1 } })
    clock.advance(8 * HOUR)
    scheduler.set(watchOf(1))
    takeIds()
    scheduler.set(watchOf(2, { level: 'gold', windows: [officeHours] }))
    assert.deepEqual(takeIds(), [])
    clock.advance(10 * HOUR)
    finish(1)
    assert.deepEqual(takeIds(), [1])
    finish(1)
    assert.deepEqual(takeIds(), [])
    assert.equal(scheduler.stats().levels.gold.missed, 1)
    assert.equal(scheduler.snapshot(2)?.nextAt, Date.parse('2026-01-02T07:00Z'))
  })

  test('a window that never opens is reported', () => {
    const { scheduler } = openScheduler()
    scheduler.set(watchOf(1, { windows: [{ ...officeHours, days: [] }] }))
    assert.equal(scheduler.snapshot(1)?.why, 'window-never-open')
    assert.equal(scheduler.nextDueAt(), undefined)
  })

  test('jitter is deterministic and spreads watches with the same interval', () => {
    const times = [1, 2].map(() => {
      const setting = openScheduler({ timing: { jitter: 0.05 } })
      for (let id = 1; id <= 50; id++) setting.scheduler.set(watchOf(id, { everyMs: HOUR }))
      const taken: number[] = []
      runFor(setting, 2 * HOUR, { durationMs: 0, taken: () => taken.push(setting.clock.monotonic()) })
      return taken.slice(50)
    })
    assert.deepEqual(times[0], times[1])
    assert.ok(new Set(times[0]).size > 45)
    for (const at of times[0]!) assert.ok(at >= HOUR && at <= 1.05 * HOUR)
  })
})

describe('checks in flight', () => {
  test('are limited in number and retried once when lost', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler({
      budgets: { maxInFlight: 2 },
      timing: { lostAfterMs: HOUR },
    })
    for (const id of [1, 2, 3]) scheduler.set(watchOf(id))
    assert.deepEqual(takeIds(), [1, 2])
    assert.equal(scheduler.nextDueAt(), HOUR - (HOUR % 500))
    clock.advance(HOUR - 1)
    assert.deepEqual(takeIds(), [])
    clock.advance(1)
    assert.deepEqual(
      scheduler.take(9).map(({ id, why }) => [id, why]),
      [
        [1, 'lost'],
        [2, 'lost'],
      ],
    )
    assert.equal(scheduler.stats().lost, 2)
    finish(1)
    assert.deepEqual(takeIds(), [3])
    finish(3)
    clock.advance(HOUR)
    assert.equal(takeIds().includes(2), false)
    assert.equal(scheduler.snapshot(2)?.lastOutcome, 'failed')
  })

  test('are counted once, even if a lost one reports late', () => {
    const { scheduler, clock, finish, takeIds } = openScheduler({ timing: { lostAfterMs: HOUR } })
    scheduler.set(watchOf(1))
    takeIds()
    clock.advance(HOUR)
    assert.deepEqual(takeIds(0), [])
    assert.equal(scheduler.stats().states.ready, 1)
    assert.equal(finish(1), true)
    assert.equal(finish(1), false)
    assert.deepEqual(takeIds(), [])
    assert.equal(scheduler.stats().levels.silver.missed, 1)
  })
})

describe('saved state', () => {
  test('lets a restarted scheduler continue where the last run ended', () => {
    const first = openScheduler()
    first.scheduler.set(watchOf(1, { everyMs: MINUTE, everyMaxMs: HOUR }))
    for (let check = 0; check < 4; check++) {
      for (const id of first.takeIds()) first.finish(id)
      first.clock.advance(10 * MINUTE)
    }
    const [saved, ...others] = first.scheduler.takeUnsaved(10)
    assert.deepEqual(others, [])
    assert.deepEqual(first.scheduler.takeUnsaved(10), [])
    assert.equal(saved?.intervalMs, 3.375 * MINUTE)

    const clock = createManualClock(saved!.lastAt + MINUTE)
    const second = openScheduler({ clock })
    second.scheduler.set(watchOf(1, { everyMs: MINUTE, everyMaxMs: HOUR }), saved)
    assert.deepEqual(second.takeIds(), [])
    assert.deepEqual(second.scheduler.state(1), saved)
    clock.advance(3 * MINUTE)
    assert.deepEqual(second.takeIds(), [1])
  })

  test('with a check time in the future counts as just checked, and invalid numbers are ignored', () => {
    const { scheduler, clock, takeIds } = openScheduler()
    const nonsense = { failures: 0, intervalMs: Number.NaN, checks: -1, changes: Number.NaN, observedMs: 0 }
    scheduler.set(watchOf(1), { id: 1, lastAt: clock.now() + 3 * DAY, lastOutcome: 'unchanged', ...nonsense })
    assert.deepEqual(takeIds(), [])
    clock.advance(10 * MINUTE)
    assert.deepEqual(takeIds(), [1])
  })
})
