import type { ServiceLevel } from '../../core/profile.ts'
import type { LastCollection } from '../../core/reports/gc-report.ts'
import type { StatusReport } from '../../core/reports/status-report.ts'
import type { DiskUse, KeptCounts } from '../../store/contracts/store-set.ts'
import type { ValueReport } from '../scheduler/value/value-report.ts'

/** One moment of the crawl. Rates are those of the last five seconds. */
export type Stats = {
  /** ISO 8601, UTC. */
  at: string
  pagesPerSecond: number
  bytesPerSecond: number
  errorsPerSecond: number
  queued: number
  inFlight: number
  activeHosts: number
  restingHosts: number
  /** Versions that wait for the annotation engine. */
  tasks: number
}

/** Since the process began. */
export type CrawlTotals = { fetched: number; stored: number; unchanged: number; failed: number; bytes: number }

export type LevelStats = { level: ServiceLevel; met: number; missed: number; queued: number; overdue: number }

export type CrawlReport = {
  now: Stats
  /** Oldest first. */
  series: Stats[]
  totals: CrawlTotals & KeptCounts
  levels: LevelStats[]
  /** How the budget of checks is spent; null where the policy isn't `value`. */
  freshness: ValueReport | null
  paused: string | null
  /** Versions that could not be processed. */
  setAside: StatusReport['setAside']
  channels: StatusReport['channels']
  disk: Omit<DiskUse, 'archiveFiles'>
  lastCollection: LastCollection | null
}

/** For external monitoring: totals since the start, and current values. */
export type Meters = CrawlTotals & {
  queued: number
  inFlight: number
  tasks: number
  annotations: number
  levels: LevelStats[]
}
