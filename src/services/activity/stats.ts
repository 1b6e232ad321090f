import type { ServiceLevel } from '../../core/profile.ts'
import type { LastCollection } from '../../core/reports/gc-report.ts'
import type { StatusReport } from '../../core/reports/status-report.ts'
import type { DiskUse, KeptCounts } from '../../store/contracts/store-set.ts'
import type { ValueReport } from '../scheduler/value/value-report.ts'

/** Snapshot of the crawl. Rates are over the last five seconds. */
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
  /** Versions waiting for the annotation engine. */
  tasks: number
}

/** Since the process started. */
export type CrawlTotals = { fetched: number; stored: number; unchanged: number; failed: number; bytes: number }

export type LevelStats = { level: ServiceLevel; met: number; missed: number; queued: number; overdue: number }

export type CrawlReport = {
  now: Stats
  /** Oldest first. */
  series: Stats[]
  totals: CrawlTotals & KeptCounts
  levels: LevelStats[]
  /** How the budget of checks is spent; null unless the policy is `value`. */
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
