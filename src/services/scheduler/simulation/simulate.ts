import { createManualClock } from '../../../core/clock.ts'
import { createPolicy, defaultShares } from '../queues/policy.ts'
import { createScheduler, type Scheduler } from '../scheduler.ts'
import { freshShare } from '../value/value-report.ts'
import type { Watch } from '../watch.ts'

/** A simulated page, which changes at random times. */
export type SimulatedPage = {
  /** Changes per millisecond. */
  rate: number
  demand: number
  everyMs: number
  everyMaxMs: number
  host?: string
  groups?: readonly string[]
}

/**
 * How intervals are set. `value`: by the scheduler, from the value of checks; `adaptive`: by the scheduler, for each page alone; `rule`:
 * from the last interval and whether the check found a change.
 */
export type SimulatedPolicy =
  | { name: string; kind: 'value' | 'adaptive' }
  | {
      name: string
      kind: 'rule'
      firstMs(page: SimulatedPage, at: number): number
      next(ms: number, changed: boolean, at: number): number
    }

export type Simulated = {
  /** Share of time that a page was unchanged since its last check, averaged over all pages. */
  fresh: number
  /** Mean delay from a change to the check that found it, weighted by demand. */
  delayMs: number
  /** Share of the budget used. */
  used: number
}

export type Simulation = {
  pages: readonly SimulatedPage[]
  policy: SimulatedPolicy
  /** Requests per millisecond. */
  budget: number
  lengthMs: number
  /** Seed of the changes, which are the same for every policy. */
  seed: number
}

const STEP_MS = 60_000
const DAY_MS = 86_400_000
const none = Number.POSITIVE_INFINITY

/** Pseudo-random numbers in [0, 1). */
export function createSeries(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let h = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    h = Math.imul(h ^ (h >>> 15), 0x735a2d97)
    return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32
  }
}

/** A page's changes, the same for every policy. */
function createChanges({ rate }: SimulatedPage, seed: number) {
  const series = createSeries(seed)
  const wait = (): number => -Math.log(1 - series()) / rate
  let nextAt = wait()
  return {
    /** Calls `each` for every change up to now. */
    upTo(now: number, each: (at: number) => void): void {
      for (; nextAt <= now; nextAt += wait()) each(nextAt)
    },
  }
}

/**
 * Runs the real scheduler in simulated time. At the start every page was checked within the last day, or its shortest interval if that
 * is longer, and nothing is known about its changes.
 */
export function simulate({ pages, policy, budget, lengthMs, seed }: Simulation): Simulated {
  const clock = createManualClock()
  const scheduler = schedulerOf(policy, budget, clock)
  const changes = pages.map((page, at) => createChanges(page, Math.imul(seed, 0x85ebca6b) + at))
  const intervals = pages.map((page, at) => (policy.kind === 'rule' ? policy.firstMs(page, at) : 0))
  for (const [at, page] of pages.entries())
    scheduler.set(watchOf(page, at, intervals[at]!), savedOf(at, page, clock.now()))
  const total = { waited: 0, waiting: 0, staleMs: 0, requests: 0 }

  function look(at: number, now: number): boolean {
    let first = none
    const { demand } = pages[at]!
    changes[at]!.upTo(now, (changedAt) => {
      first = Math.min(first, changedAt)
      total.waited += demand * (now - changedAt)
      total.waiting += demand
    })
    if (first !== none) total.staleMs += now - first
    return first !== none
  }

  while (clock.monotonic() < lengthMs) {
    clock.advance(STEP_MS)
    for (const { id } of scheduler.take(none)) {
      const changed = look(id, clock.monotonic())
      total.requests++
      if (policy.kind === 'rule') {
        const next = policy.next(intervals[id]!, changed, id)
        if (next !== intervals[id]) scheduler.set(watchOf(pages[id]!, id, next))
        intervals[id] = next
      }
      scheduler.done(id, { changed, failed: false, at: clock.now() })
    }
  }
  // Changes not found by the end have waited until then.
  for (const at of pages.keys()) look(at, lengthMs)
  return {
    fresh: 1 - total.staleMs / (pages.length * lengthMs),
    delayMs: total.waiting === 0 ? 0 : total.waited / total.waiting,
    used: total.requests / (budget * lengthMs),
  }
}

/** Expected result of polling every page equally often, computed without a simulation. */
export function uniform(pages: readonly SimulatedPage[], budget: number): Omit<Simulated, 'used'> {
  const everyMs = pages.length / budget
  return {
    fresh: pages.reduce((sum, { rate }) => sum + freshShare(rate * everyMs), 0) / pages.length,
    delayMs: everyMs / 2,
  }
}

function schedulerOf(policy: SimulatedPolicy, budget: number, clock: ReturnType<typeof createManualClock>): Scheduler {
  const isValue = policy.kind === 'value'
  const perSecond = isValue ? none : budget * 1000
  return createScheduler({
    clock,
    policy: createPolicy('weighted-fair'),
    // Rules get exactly the intervals they ask for.
    ...(policy.kind === 'rule' && { timing: { jitter: 0 } }),
    budgets: {
      perSecond,
      burst: Math.max(10, (perSecond * STEP_MS) / 500),
      maxInFlight: none,
      perUser: null,
      perHost: null,
    },
    ...(isValue && { value: { budget, shares: defaultShares, hostLimit: none, userLimit: () => none } }),
  })
}

function watchOf(
  { demand, everyMs, everyMaxMs, host = '', groups = [] }: SimulatedPage,
  id: number,
  ruleMs: number,
): Watch {
  const bounds = ruleMs > 0 ? { everyMs: ruleMs, everyMaxMs: ruleMs } : { everyMs, everyMaxMs }
  return { id, level: 'silver', host, payers: [], ...bounds, urgency: 1, windows: null, paused: false, demand, groups }
}

function savedOf(id: number, { everyMs }: SimulatedPage, now: number) {
  const lastAt = now - ((id * 0.618034) % 1) * Math.max(everyMs, DAY_MS)
  const zeros = { failures: 0, checks: 0, changes: 0, observedMs: 0 }
  return { id, lastAt, lastOutcome: 'unchanged' as const, intervalMs: everyMs, ...zeros }
}
