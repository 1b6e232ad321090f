import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backOff, nextInterval, observe } from './change-rate.ts'
import { createRandom, MINUTE, openScheduler, type Random, type Setting, watchOf } from './scheduler.testkit.ts'
import { phaseOf } from './timing.ts'
import { serviceLevels, type Watch } from './watch.ts'

/**
 * Compares the scheduler with a simple model: a list that is scanned and sorted at each step.
 * Random runs must agree to the last check.
 */
const LOST_MS = 40 * MINUTE
const JITTER = 0.05

type Plain = {
  watch: Watch
  state: 'waiting' | 'ready' | 'asked' | 'out' | 'paused'
  intervalMs: number
  failures: number
  record: { checks: number; changes: number; observedMs: number }
  checkedAt: number
  dueAt: number
  at: number
  wasAsked: boolean
  wasLost: boolean
}

function createPlainScheduler(now: () => number, maxInFlight: number) {
  const plains = new Map<number, Plain>()
  const all = (state: Plain['state']): Plain[] => [...plains.values()].filter((plain) => plain.state === state)

  function wait(plain: Plain): number {
    const { watch, intervalMs, failures } = plain
    return backOff(intervalMs, watch.everyMaxMs, failures) + intervalMs * JITTER * phaseOf(watch.id)
  }
  function plan(plain: Plain): void {
    plain.state = plain.watch.paused ? 'paused' : 'waiting'
    if (!plain.watch.paused) plain.dueAt = Math.max(plain.checkedAt + wait(plain), now())
  }
  const deadline = ({ dueAt, intervalMs, watch }: Plain): number =>
    dueAt + Math.min(Math.max((intervalMs * 0.5) / watch.urgency, 1_000), 6 * 60 * MINUTE)

  function learn(plain: Plain, { changed, failed }: { changed: boolean; failed: boolean }, handedOutAt: number): void {
    const elapsedMs = Math.min(handedOutAt - plain.checkedAt, plain.watch.everyMaxMs)
    const isFirst = plain.checkedAt === Number.NEGATIVE_INFINITY
    plain.failures = failed ? plain.failures + 1 : 0
    if (failed && !isFirst) plain.record.observedMs = plain.record.observedMs + elapsedMs
    if (!failed && !isFirst) {
      const seen = observe(plain.record, elapsedMs, changed)
      plain.intervalMs = nextInterval(plain.intervalMs, plain.watch, seen)
      plain.record = seen
    }
    plain.checkedAt = handedOutAt
    plain.wasAsked = false
    plain.wasLost = false
  }

  function wake(): void {
    for (const plain of all('out')) {
      if (plain.at + LOST_MS > now()) continue
      if (plain.wasLost) {
        learn(plain, { changed: false, failed: true }, now())
        plan(plain)
      } else {
        plain.wasLost = true
        plain.at = now()
        plain.state = plain.watch.paused ? 'paused' : plain.wasAsked ? 'asked' : 'ready'
      }
    }
    for (const plain of all('waiting')) if (plain.dueAt <= now()) plain.state = 'ready'
  }

  return {
    set(watch: Watch): void {
      const known = plains.get(watch.id)
      const record = { checks: 0, changes: 0, observedMs: 0 }
      const fresh = { failures: 0, record, checkedAt: Number.NEGATIVE_INFINITY, dueAt: 0, at: 0 }
      const plain = known ?? { watch, state: 'waiting', intervalMs: 0, ...fresh, wasAsked: false, wasLost: false }
      const interval = known !== undefined && watch.everyMs < known.watch.everyMs ? 0 : plain.intervalMs
      plain.intervalMs = Math.min(Math.max(interval, watch.everyMs), watch.everyMaxMs)
      plain.watch = watch
      plains.set(watch.id, plain)
      if (plain.state === 'out') return
      const keeps = plain.state === 'asked' || (plain.state === 'ready' && plain.checkedAt + wait(plain) <= now())
      if (plain.state === 'asked') plain.at = now()
      if (watch.paused || !keeps) plan(plain)
    },
    remove: (id: number): unknown => plains.delete(id),
    checkNow(id: number): void {
      const plain = plains.get(id)
      if (plain === undefined || plain.state === 'out' || plain.state === 'paused' || plain.state === 'asked') return
      plain.state = 'asked'
      plain.wasAsked = true
      plain.at = now()
    },
    take(max: number): number[] {
      wake()
      const asked = all('asked').sort((a, b) => a.at - b.at || a.watch.id - b.watch.id)
      const ready = all('ready').sort((a, b) => deadline(a) - deadline(b) || a.watch.id - b.watch.id)
      const room = Math.max(0, Math.min(max, maxInFlight - all('out').length))
      return [...asked, ...ready].slice(0, room).map((plain) => {
        plain.state = 'out'
        plain.at = now()
        return plain.watch.id
      })
    },
    done(id: number, outcome: { changed: boolean; failed: boolean }): boolean {
      const plain = plains.get(id)
      if (plain === undefined || (plain.state !== 'out' && !plain.wasLost)) return false
      learn(plain, outcome, plain.state === 'out' ? plain.at : now())
      plan(plain)
      return true
    },
  }
}

function randomWatch(random: Random, id: number): Watch {
  const everyMs = random.of([1, 5, 10, 60]) * MINUTE
  return watchOf(id, {
    level: random.of(serviceLevels),
    everyMs,
    everyMaxMs: everyMs * random.of([1, 4, 24]),
    urgency: random.of([1, 1, 2, 5]),
    paused: random.chance(0.1),
  })
}

describe('earliest-deadline-first scheduling', () => {
  test('makes the same checks at the same times as a sorted-list model', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = createRandom(seed)
      const maxInFlight = 1 + random.below(12)
      const { scheduler, clock }: Setting = openScheduler({
        budgets: { maxInFlight },
        timing: { jitter: JITTER, lostAfterMs: LOST_MS },
      })
      const plain = createPlainScheduler(clock.monotonic, maxInFlight)
      const out: number[] = []
      for (let step = 0; step < 800; step++) {
        const id = 1 + random.below(30)
        const kind = random.below(10)
        if (kind === 0) {
          const watch = randomWatch(random, id)
          scheduler.set(watch)
          plain.set(watch)
        } else if (kind === 1 && random.chance(0.2)) {
          scheduler.remove(id)
          plain.remove(id)
        } else if (kind === 2 && random.chance(0.5)) {
          scheduler.checkNow(id)
          plain.checkNow(id)
        } else if (kind < 6 && out.length > 0) {
          const [reported] = out.splice(random.below(out.length), 1)
          const outcome = { changed: random.chance(0.3), failed: random.chance(0.1) }
          assert.equal(
            scheduler.done(reported!, { ...outcome, at: clock.now() }),
            plain.done(reported!, outcome),
            `seed ${seed}, step ${step}, watch ${reported}`,
          )
        } else {
          clock.advance(random.below(random.of([1, 1_000, 5 * MINUTE])))
          const max = random.below(8)
          const taken = scheduler.take(max).map((dispatch) => dispatch.id)
          assert.deepEqual(taken, plain.take(max), `seed ${seed}, step ${step}`)
          // One in ten is lost.
          out.push(...taken.filter(() => random.chance(0.9)))
        }
      }
    }
  })
})
