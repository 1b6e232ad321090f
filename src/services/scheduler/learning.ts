import { nextInterval, observe } from './change-rate.ts'
import type { SlotTable } from './slot-table.ts'
import type { WatchState } from './watch.ts'
import { flags, outcomes, type WatchColumns } from './watch-columns.ts'

/** What checks taught about their sources, and what of it the store does not have yet. */
export type Learning = {
  /** What a check told; `handedOutAt` is monotonic. */
  learn(slot: number, outcome: CheckOutcome, handedOutAt: number): void
  /** A watch that nothing is known of: to be checked as soon as possible, then at its shortest interval. */
  begin(slot: number): void
  /** Fills in what an earlier run knew, as far as it can be true. */
  restore(slot: number, saved: WatchState, time: { now: number; monotonic: number }): void
  stateOf(slot: number): WatchState
  takeUnsaved(max: number): WatchState[]
}

export type CheckOutcome = {
  changed: boolean
  failed: boolean
  /** Wall time of the check. */
  at: number
}

const MAX_FAILURES = 30

export function createLearning(columns: WatchColumns, slots: SlotTable): Learning {
  /** Slots by the flag `unsaved`; those whose flag is gone are passed over. */
  let unsaved: number[] = []

  function adapt(slot: number, elapsedMs: number, changed: boolean): void {
    const record = {
      checks: columns.checks[slot]!,
      changes: columns.changes[slot]!,
      observedMs: columns.observedMs[slot]!,
    }
    const bounds = { everyMs: columns.everyMs[slot]!, everyMaxMs: columns.everyMaxMs[slot]! }
    const seen = observe(record, elapsedMs, changed)
    columns.checks[slot] = seen.checks
    columns.changes[slot] = seen.changes
    columns.observedMs[slot] = seen.observedMs
    columns.intervalMs[slot] = nextInterval(columns.intervalMs[slot]!, bounds, seen)
  }

  function markUnsaved(slot: number): void {
    if ((columns.flags[slot]! & flags.unsaved) !== 0) return
    columns.flags[slot] = columns.flags[slot]! | flags.unsaved
    unsaved.push(slot)
  }

  function stateOf(slot: number): WatchState {
    return {
      id: slots.idOf(slot),
      lastAt: columns.lastAt[slot]!,
      lastOutcome: outcomes[columns.outcome[slot]!]!,
      failures: columns.failures[slot]!,
      intervalMs: columns.intervalMs[slot]!,
      checks: columns.checks[slot]!,
      changes: columns.changes[slot]!,
      observedMs: columns.observedMs[slot]!,
    }
  }

  return {
    learn(slot, { changed, failed, at }, handedOutAt) {
      const isFirst = columns.checkedAt[slot] === Number.NEGATIVE_INFINITY
      // A gap longer than the source's own interval says no more about it than that interval.
      const elapsedMs = Math.min(handedOutAt - columns.checkedAt[slot]!, columns.everyMaxMs[slot]!)
      if (failed) {
        columns.failures[slot] = Math.min(columns.failures[slot]! + 1, MAX_FAILURES)
        if (!isFirst) columns.observedMs[slot] = columns.observedMs[slot]! + elapsedMs
      } else {
        columns.failures[slot] = 0
        if (!isFirst) adapt(slot, elapsedMs, changed)
      }
      columns.flags[slot] = columns.flags[slot]! & ~(flags.asked | flags.lost)
      columns.checkedAt[slot] = handedOutAt
      columns.lastAt[slot] = at
      columns.outcome[slot] = outcomes.indexOf(failed ? 'failed' : changed ? 'changed' : 'unchanged')
      markUnsaved(slot)
    },
    begin(slot) {
      columns.flags[slot] = 0
      columns.outcome[slot] = 0
      columns.failures[slot] = 0
      columns.intervalMs[slot] = 0
      columns.checks[slot] = 0
      columns.changes[slot] = 0
      columns.observedMs[slot] = 0
      columns.dueAt[slot] = 0
      columns.checkedAt[slot] = Number.NEGATIVE_INFINITY
      columns.lastAt[slot] = 0
    },
    restore(slot, saved, { now, monotonic }) {
      if (saved.lastOutcome === 'none' || !Number.isFinite(saved.lastAt)) return
      columns.outcome[slot] = Math.max(0, outcomes.indexOf(saved.lastOutcome))
      columns.lastAt[slot] = saved.lastAt
      // A check in the future was made by a clock that was wrong, then or now: it counts as made just now.
      columns.checkedAt[slot] = monotonic - Math.max(0, now - saved.lastAt)
      columns.failures[slot] = Math.min(Math.max(0, saved.failures), MAX_FAILURES)
      columns.intervalMs[slot] = positive(saved.intervalMs)
      columns.checks[slot] = positive(saved.checks)
      columns.changes[slot] = positive(saved.changes)
      columns.observedMs[slot] = positive(saved.observedMs)
    },
    stateOf,
    takeUnsaved(max) {
      const taken: WatchState[] = []
      let at = 0
      for (; at < unsaved.length && taken.length < max; at++) {
        const slot = unsaved[at]!
        if ((columns.flags[slot]! & flags.unsaved) === 0) continue
        columns.flags[slot] = columns.flags[slot]! & ~flags.unsaved
        taken.push(stateOf(slot))
      }
      unsaved = at === unsaved.length ? [] : unsaved.slice(at)
      return taken
    },
  }
}

function positive(value: number): number {
  return Number.isFinite(value) ? Math.max(0, value) : 0
}
