import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { SchedulerStats } from '../scheduler/scheduler-report.ts'
import { serviceLevels } from '../scheduler/watch.ts'

export type ScheduleLogDeps = {
  clock: Clock
  stats(): SchedulerStats
  /** Versions waiting for the annotation engine. */
  countTasks(): Promise<number>
  write(fields: ScheduleReport): void
}

/** Performance of each level since the start, and what is waiting now. */
export type ScheduleReport = {
  watches: number
  underWay: number
  tasks: number
  /** Checks that never came back. */
  lost: number
} & Record<ServiceLevel, LevelStats>

type LevelStats = { met: number; missed: number; queued: number; overdue: number; lateP95Ms: number }

const EVERY_MS = 60_000

/** Logs once a minute how well the schedule is kept, if anything has happened since. */
export function createScheduleLog({ clock, stats, countTasks, write }: ScheduleLogDeps) {
  let loggedAt = clock.monotonic()
  /** Empty until something happened. */
  let logged = ''

  async function writeLog(): Promise<void> {
    loggedAt = clock.monotonic()
    const now = stats()
    const { met, missed } = totals(now)
    const tasks = await countTasks()
    const happened = JSON.stringify([met, missed, now.lost, tasks > 0])
    if (happened === logged || (logged === '' && met + missed + now.lost + tasks === 0)) return
    logged = happened
    write(reportOf(now, tasks))
  }

  return {
    async tick(): Promise<void> {
      if (clock.monotonic() - loggedAt >= EVERY_MS) await writeLog()
    },
    /** Logs for the last time. */
    end: writeLog,
  }
}

function totals({ levels }: SchedulerStats): { met: number; missed: number } {
  const all = serviceLevels.map((level) => levels[level])
  return {
    met: all.reduce((sum, { met }) => sum + met, 0),
    missed: all.reduce((sum, { missed }) => sum + missed, 0),
  }
}

function reportOf({ watches, states, lost, levels }: SchedulerStats, tasks: number): ScheduleReport {
  const level = (name: ServiceLevel): LevelStats => {
    const { met, missed, queued, overdue, lateP95Ms } = levels[name]
    return { met, missed, queued, overdue, lateP95Ms: Math.round(lateP95Ms) }
  }
  const each = { gold: level('gold'), silver: level('silver'), bronze: level('bronze') }
  return { watches, underWay: states.out, tasks, lost, ...each }
}
