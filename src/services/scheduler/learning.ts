import type { SourceHints } from '../../core/check-order.ts'
import type { FeedSchedule } from '../../core/feed/feed.ts'
import { rateOf } from '../../core/time/change-belief.ts'
import { nextInterval, observe } from './change-rate.ts'
import { believeHinted, rhythmAfter } from './value/hints.ts'
import { rhythmOf } from './value/rhythm.ts'
import type { Valuation } from './value/valuation.ts'
import type { WatchState } from './watch.ts'
import type { WatchEntry } from './watch-entry.ts'

/** Learns from checks, and tracks which states are not stored yet. */
export type Learning = {
  /** Records the result of a check; `handedOutAt` is monotonic. */
  learn(entry: WatchEntry, outcome: CheckOutcome, handedOutAt: number): void
  /** Restores the state of an earlier run, as far as it is plausible. */
  restore(entry: WatchEntry, saved: WatchState, time: { now: number; monotonic: number }): void
  forget(entry: WatchEntry): void
  takeUnsaved(max: number): WatchState[]
}

export type CheckOutcome = {
  changed: boolean
  failed: boolean
  /** Wall time of the check. */
  at: number
  /** When the source asks to be polled; omitted if it said nothing new, as with "not modified". */
  schedule?: FeedSchedule | undefined
  /** Requests made; one by default. */
  requests?: number | undefined
  hints?: SourceHints | undefined
  /** Nothing was fetched: a new owner was shown what the last check found. */
  isVisit?: boolean
}

const MAX_FAILURES = 30
/** Weight of the last check in the moving average of requests per check. */
const LAST_COST = 0.3

/** `value`: null unless that is the policy. */
export function createLearning(value: Valuation | null): Learning {
  const unsaved = new Set<WatchEntry>()
  return {
    learn(entry, { changed, failed, at, schedule = entry.schedule, requests = 1, hints = {} }, handedOutAt) {
      const isFirst = entry.checkedAt === Number.NEGATIVE_INFINITY
      // A gap longer than the longest interval counts as that interval.
      const elapsedMs = Math.min(handedOutAt - entry.checkedAt, entry.everyMaxMs)
      entry.failures = failed ? Math.min(entry.failures + 1, MAX_FAILURES) : 0
      if (!isFirst && failed) entry.observedMs += elapsedMs
      else if (!isFirst) {
        const seen = observe(entry, elapsedMs, changed)
        entry.checks = seen.checks
        entry.changes = seen.changes
        entry.observedMs = seen.observedMs
        if (value === null) entry.intervalMs = nextInterval(entry.intervalMs, entry, seen)
      }
      if (value !== null && !failed) {
        const beforeAt = isFirst ? null : entry.lastAt
        const observed = { at, beforeAt, elapsedMs: handedOutAt - entry.checkedAt, changed, hints }
        value.learn(entry, believeHinted(value.beliefOf(entry), observed))
        entry.rhythm = rhythmAfter(entry.rhythm, observed, rateOf(entry.belief!))
      }
      entry.cost += LAST_COST * (Math.max(1, requests) - entry.cost)
      value?.plan(entry)
      entry.asked = false
      entry.lost = false
      entry.checkedAt = handedOutAt
      entry.lastAt = at
      entry.schedule = schedule
      entry.outcome = failed ? 'failed' : changed ? 'changed' : 'unchanged'
      unsaved.add(entry)
    },
    restore(entry, saved, { now, monotonic }) {
      if (saved.lastOutcome === 'none' || !Number.isFinite(saved.lastAt)) return
      entry.outcome = saved.lastOutcome
      entry.lastAt = saved.lastAt
      // A check in the future means that the clock was wrong, then or now: treat it as just made.
      entry.checkedAt = monotonic - Math.max(0, now - saved.lastAt)
      entry.failures = Math.min(Math.max(0, saved.failures), MAX_FAILURES)
      entry.intervalMs = positive(saved.intervalMs)
      entry.checks = positive(saved.checks)
      entry.changes = positive(saved.changes)
      entry.observedMs = positive(saved.observedMs)
      entry.schedule = saved.schedule ?? null
      entry.cost = Math.max(1, positive(saved.cost ?? 1))
      entry.rhythm = rhythmOf(saved.rhythm)
      const { shape = 0, spanMs = 0 } = saved.belief ?? {}
      if (!(shape > 0 && spanMs > 0 && Number.isFinite(shape / spanMs))) return
      if (value === null) entry.belief = { shape, spanMs }
      else value.learn(entry, { shape, spanMs })
    },
    forget: (entry) => unsaved.delete(entry),
    takeUnsaved(max) {
      const taken: WatchState[] = []
      for (const entry of unsaved) {
        if (taken.length >= max) break
        unsaved.delete(entry)
        taken.push(stateOf(entry))
      }
      return taken
    },
  }
}

export function stateOf(entry: WatchEntry): WatchState {
  const { id, lastAt, outcome, failures, intervalMs, checks, changes, observedMs, schedule, belief, cost, rhythm } =
    entry
  return {
    ...{ id, lastAt, lastOutcome: outcome, failures, intervalMs, checks, changes, observedMs },
    ...(schedule !== null && { schedule }),
    ...(belief !== null && { belief }),
    ...(cost !== 1 && { cost }),
    ...(rhythm !== null && { rhythm }),
  }
}

function positive(value: number): number {
  return Number.isFinite(value) ? Math.max(0, value) : 0
}
