import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { changeRate } from './change-rate.ts'
import type { Queues } from './queues/queues.ts'
import type { LevelRecord, ServiceRecord } from './service-record.ts'
import type { WatchTiming } from './timing.ts'
import { type Outcome, serviceLevels } from './watch.ts'
import { type StateName, stateNames, type WatchEntry } from './watch-entry.ts'

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
  /** Wall time; in the past for overdue watches, null for those out, paused or never open. */
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
  entries: ReadonlyMap<number, WatchEntry>
  queues: Queues
  timing: WatchTiming
  record: ServiceRecord
}

const DAY_MS = 86_400_000

export function createReport({ clock, entries, queues, timing, record }: ReportOptions) {
  function countOverdue(): Map<ServiceLevel, number> {
    const now = clock.monotonic()
    const overdue = new Map<ServiceLevel, number>()
    for (const entry of entries.values()) {
      if (entry.state !== 'ready' && entry.state !== 'held' && entry.state !== 'out') continue
      if (timing.deadlineAt(entry) < now) overdue.set(entry.level, (overdue.get(entry.level) ?? 0) + 1)
    }
    return overdue
  }

  return {
    snapshot(entry: WatchEntry): WatchSnapshot {
      const { id, level, state, outcome, failures, intervalMs } = entry
      const isTimed = state !== 'out' && state !== 'paused' && state !== 'shut'
      return {
        id,
        level,
        state,
        why: whyOf(entry),
        lastAt: outcome === 'none' ? null : entry.lastAt,
        lastOutcome: outcome,
        failures,
        intervalMs,
        nextAt: isTimed ? Math.round(clock.now() + entry.dueAt - clock.monotonic()) : null,
        changesPerDay: changeRate(entry) * DAY_MS,
      }
    },
    stats(lost: number): SchedulerStats {
      const overdue = countOverdue()
      const levels = serviceLevels.map((level) => [
        level,
        {
          ...record.of(level),
          queued: queues.count(level, 'ready') + queues.count(level, 'held'),
          overdue: overdue.get(level) ?? 0,
        },
      ])
      return {
        watches: entries.size,
        states: Object.fromEntries(stateNames.map((name) => [name, queues.total(name)])) as Record<StateName, number>,
        lost,
        levels: Object.fromEntries(levels) as Record<ServiceLevel, LevelStats>,
      }
    },
  }
}

function whyOf({ state, failures, outcome, heldBy }: WatchEntry): Why {
  switch (state) {
    case 'waiting':
      if (failures > 0) return 'back-off'
      return outcome === 'none' ? 'first-check' : 'interval'
    case 'closed':
      return 'window-closed'
    case 'shut':
      return 'window-never-open'
    case 'ready':
      return 'queue'
    case 'held':
      return heldBy?.kind === 'user' ? 'user-budget' : 'host-budget'
    case 'asked':
      return 'asked'
    case 'out':
      return 'in-flight'
    case 'paused':
      return 'paused'
  }
}
