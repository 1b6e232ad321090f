import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { changeRate } from './change-rate.ts'
import type { Queues } from './queues.ts'
import type { LevelRecord, ServiceRecord } from './service-record.ts'
import type { SlotTable } from './slot-table.ts'
import type { WatchTiming } from './timing.ts'
import { type Outcome, serviceLevels } from './watch.ts'
import { outcomes, type StateName, stateNames, states, type WatchColumns } from './watch-columns.ts'

export type WatchSnapshot = {
  id: number
  level: ServiceLevel
  state: StateName
  why: Why
  /** Wall time; null where it was never checked. */
  lastAt: number | null
  lastOutcome: Outcome
  failures: number
  intervalMs: number
  /** Wall time; in the past for what is overdue, null for what is out, paused or never open. */
  nextAt: number | null
  /** Estimated; 0 while no change was seen. */
  changesPerDay: number
}

/** Why a watch is not being checked this moment, or is. */
export type Why =
  | 'first-check'
  | 'interval'
  | 'back-off'
  | 'window-closed'
  | 'window-never-open'
  | 'queue'
  | 'user-budget'
  | 'host-budget'
  | 'asked'
  | 'in-flight'
  | 'paused'

export type SchedulerStats = {
  watches: number
  /** Watches in each state. */
  states: Record<StateName, number>
  /** Checks handed out that never came back. */
  lost: number
  levels: Record<ServiceLevel, LevelStats>
}

export type LevelStats = LevelRecord & {
  /** Due and not handed out: ready or held. */
  queued: number
  /** Of those that are queued or out, how many have missed their deadline already; counted as missed when done. */
  overdue: number
}

export type ReportOptions = {
  clock: Clock
  columns: WatchColumns
  slots: SlotTable
  queues: Queues
  timing: WatchTiming
  record: ServiceRecord
}

const DAY_MS = 86_400_000

export function createReport({ clock, columns, slots, queues, timing, record }: ReportOptions) {
  function whyOf(slot: number, state: StateName): Why {
    switch (state) {
      case 'waiting':
        if (columns.failures[slot]! > 0) return 'back-off'
        return columns.outcome[slot] === 0 ? 'first-check' : 'interval'
      case 'closed':
        return 'window-closed'
      case 'shut':
        return 'window-never-open'
      case 'ready':
        return 'queue'
      case 'held':
        return queues.holds.holderKind(slot) === 'user' ? 'user-budget' : 'host-budget'
      case 'asked':
        return 'asked'
      case 'out':
        return 'in-flight'
      case 'paused':
        return 'paused'
    }
  }

  function countOverdue(): number[] {
    const now = clock.monotonic()
    const overdue = serviceLevels.map(() => 0)
    for (let slot = 0; slot < slots.end(); slot++) {
      const state = columns.state[slot]
      if (state !== states.ready && state !== states.held && state !== states.out) continue
      if (timing.deadlineAt(slot) < now) overdue[columns.level[slot]!]!++
    }
    return overdue
  }

  return {
    snapshot(slot: number): WatchSnapshot {
      const state = stateNames[columns.state[slot]! - 1]!
      const isTimed = state !== 'out' && state !== 'paused' && state !== 'shut'
      const record = {
        checks: columns.checks[slot]!,
        changes: columns.changes[slot]!,
        observedMs: columns.observedMs[slot]!,
      }
      return {
        id: slots.idOf(slot),
        level: serviceLevels[columns.level[slot]!]!,
        state,
        why: whyOf(slot, state),
        lastAt: columns.outcome[slot] === 0 ? null : columns.lastAt[slot]!,
        lastOutcome: outcomes[columns.outcome[slot]!]!,
        failures: columns.failures[slot]!,
        intervalMs: columns.intervalMs[slot]!,
        nextAt: isTimed ? Math.round(clock.now() + columns.dueAt[slot]! - clock.monotonic()) : null,
        changesPerDay: changeRate(record) * DAY_MS,
      }
    },
    stats(lost: number): SchedulerStats {
      const overdue = countOverdue()
      const levels = serviceLevels.map((level, number) => [
        level,
        {
          ...record.of(level),
          queued: queues.count(number, 'ready') + queues.count(number, 'held'),
          overdue: overdue[number]!,
        },
      ])
      return {
        watches: slots.size(),
        states: Object.fromEntries(stateNames.map((name) => [name, queues.total(name)])) as Record<StateName, number>,
        lost,
        levels: Object.fromEntries(levels) as Record<ServiceLevel, LevelStats>,
      }
    },
  }
}
