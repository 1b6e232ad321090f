import { createManualClock, type ManualClock } from '../../core/clock.ts'
import { createPolicy, type PolicyName } from './queues/policy.ts'
import type { Budget } from './queues/throttles.ts'
import { type Budgets, createScheduler, type Dispatch, type Scheduler } from './scheduler.ts'
import type { Timing } from './timing.ts'
import type { Watch } from './watch.ts'

export type Random = {
  /** An integer in [0, n). */
  below(n: number): number
  chance(p: number): boolean
  of<T>(values: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let h = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97)
    return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (n: number): number => Math.floor(next() * n)
  return { below, chance: (p) => next() < p, of: (values) => values[below(values.length)]! }
}

export const MINUTE = 60_000
export const HOUR = 3_600_000
export const DAY = 86_400_000

export const unlimited: Budget = {
  perSecond: Number.POSITIVE_INFINITY,
  burst: Number.POSITIVE_INFINITY,
  maxInFlight: Number.POSITIVE_INFINITY,
}
const noBudgets: Budgets = { ...unlimited, perUser: null, perHost: null }

export function watchOf(id: number, values: Partial<Watch> = {}): Watch {
  const everyMs = values.everyMs ?? 10 * MINUTE
  return {
    id,
    level: 'silver',
    host: 'example.org',
    payers: ['ann'],
    everyMs,
    everyMaxMs: everyMs,
    urgency: 1,
    windows: null,
    paused: false,
    ...values,
  }
}

export type Setting = {
  scheduler: Scheduler
  clock: ManualClock
  /** Reports a check done, with nothing new. */
  finish(id: number, outcome?: { changed?: boolean; failed?: boolean }): boolean
  takeIds(max?: number): number[]
  /** Checks that `runFor` took and has not reported yet, with the time at which it will. */
  pending: { at: number; id: number }[]
}

export type SettingOptions = {
  policy?: PolicyName
  budgets?: Partial<Budgets>
  timing?: Partial<Timing>
  clock?: ManualClock
}

/** A scheduler that by default has no limits, no jitter and no shortest interval. */
export function openScheduler({ policy = 'earliest-deadline', budgets, timing, clock }: SettingOptions = {}): Setting {
  const hands = clock ?? createManualClock()
  const scheduler = createScheduler({
    clock: hands,
    policy: createPolicy(policy),
    budgets: { ...noBudgets, ...budgets },
    timing: { minEveryMs: 1, jitter: 0, ...timing },
  })
  return {
    scheduler,
    clock: hands,
    finish: (id, { changed = false, failed = false } = {}) => scheduler.done(id, { changed, failed, at: hands.now() }),
    takeIds: (max = 1_000_000) => scheduler.take(max).map(({ id }) => id),
    pending: [],
  }
}

/**
 * Runs a scheduler as its owner would for `lengthMs`: waits until something is due, takes it, and reports each check done
 * some time later.
 */
export function runFor(setting: Setting, lengthMs: number, onCheck: RunOptions): void {
  const { scheduler, clock, pending: out } = setting
  const endAt = clock.monotonic() + lengthMs
  for (;;) {
    const next = Math.min(scheduler.nextDueAt() ?? Number.POSITIVE_INFINITY, out[0]?.at ?? Number.POSITIVE_INFINITY)
    if (next > endAt) break
    // Like timers: never early, and in whole milliseconds.
    clock.advance(Math.max(0, Math.ceil(next - clock.monotonic())))
    while (out.length > 0 && out[0]!.at <= clock.monotonic()) {
      const { id } = out.shift()!
      const { changed = false, failed = false } = onCheck.outcome?.(id) ?? {}
      scheduler.done(id, { changed, failed, at: clock.now() })
    }
    for (const dispatch of scheduler.take(onCheck.max ?? 1_000)) {
      onCheck.taken?.(dispatch)
      out.push({ at: clock.monotonic() + onCheck.durationMs, id: dispatch.id })
    }
  }
  clock.advance(endAt - clock.monotonic())
}

export type RunOptions = {
  durationMs: number
  max?: number
  taken?(dispatch: Dispatch): void
  outcome?(id: number): { changed?: boolean; failed?: boolean }
}
