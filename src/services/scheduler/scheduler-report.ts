import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { rateOf } from '../../core/time/change-belief.ts'
import { changeRate } from './change-rate.ts'
import type { Queues } from './queues/queues.ts'
import type { LevelRecord, ServiceRecord } from './service-record.ts'
import type { WatchTiming } from './timing.ts'
import type { Valuation } from './value/valuation.ts'
import type { ValueReport } from './value/value-report.ts'
import { type Outcome, serviceLevels } from './watch.ts'
import { type StateName, stateNames, type WatchEntry } from './watch-entry.ts'

export type WatchSnapshot = {
  id: number
  level: ServiceLevel
  state: StateName
  why: Why
  /** Wall time; null if never checked. */
  lastAt: number | null
  lastOutcome: Outcome
  failures: number
  intervalMs: number
  /** Wall time; in the past if overdue, null if out, paused or never open. */
  nextAt: number | null
  /** Estimated; 0 while no change was seen. */
  changesPerDay: number
  /** Mean delay from a change to the check that finds it. */
  expectedDelayMs: number
  /** What determines the interval. */
  basis: Basis
}

/**
 * `every`, `everyMax`: the owners' shortest or longest interval; `value`: its change rate and demand; `budget`: longer than promised
 * because the budget is exhausted; `host`, `user`: longer than promised because of the limit of its host or its users.
 */
export type Basis = 'every' | 'everyMax' | 'value' | 'budget' | 'host' | 'user'

/** Why a watch is, or is not, being checked right now. */
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
  /** Null unless the policy is `value`. */
  value: ValueReport | null
}

export type LevelStats = LevelRecord & {
  /** Due and not handed out: ready or held. */
  queued: number
  /** Queued or out, and already past their deadline; counted as missed when done. */
  overdue: number
}

export type ReportOptions = {
  clock: Clock
  entries: ReadonlyMap<number, WatchEntry>
  queues: Queues
  timing: WatchTiming
  record: ServiceRecord
  value: Valuation | null
}

const DAY_MS = 86_400_000

/** How long a report is cached: it recomputes the shares for a doubled budget. */
const REPORT_MS = 30_000

export function createReport({ clock, entries, queues, timing, record, value }: ReportOptions) {
  let reported: { at: number; report: ValueReport } | null = null

  function valueReport(): ValueReport | null {
    if (value === null) return null
    const at = clock.monotonic()
    if (reported === null || at - reported.at >= REPORT_MS) reported = { at, report: value.report(clock.now()) }
    return reported.report
  }

  function countOverdue(): Map<ServiceLevel, number> {
    const now = clock.monotonic()
    const overdue = new Map<ServiceLevel, number>()
    for (const entry of entries.values()) {
      if (entry.state !== 'ready' && entry.state !== 'held' && entry.state !== 'out') continue
      if (timing.promisedAt(entry) < now) overdue.set(entry.level, (overdue.get(entry.level) ?? 0) + 1)
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
        changesPerDay: (entry.belief === null ? changeRate(entry) : rateOf(entry.belief)) * DAY_MS,
        expectedDelayMs: timing.waitMs(entry) / 2,
        basis: basisOf(entry),
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
        value: valueReport(),
      }
    },
  }
}

function basisOf({ intervalMs, everyMs, everyMaxMs, host, payers }: WatchEntry): Basis {
  const near = (ms: number): boolean => Math.abs(intervalMs - ms) < 0.01 * ms
  if (near(everyMs)) return 'every'
  if (near(everyMaxMs)) return 'everyMax'
  if (intervalMs < everyMaxMs) return 'value'
  const user = payers.length === 0 ? 1 : Math.max(...payers.map(({ factor }) => factor))
  if (user === 1 && (host?.factor ?? 1) === 1) return 'budget'
  return user < (host?.factor ?? 1) ? 'user' : 'host'
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
