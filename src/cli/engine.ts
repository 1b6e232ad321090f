import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { SkipReason } from '../core/skip-reason.ts'

/** What the commands need of the rest of the program. The composition root supplies it. */
export type Engine = {
  crawl(settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult>
  status(dataDir: string): Promise<StatusReport>
  verify(dataDir: string, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport>
}

/** Everything that a crawl needs to know, as plain data. */
export type CrawlSettings = {
  /** The data folder, absolute. */
  folder: string
  config: Config
  /** Absolute http(s) URLs as they were written, without repetitions. */
  seeds: readonly string[]
  /** Links followed from a seed; null follows them as far as they lead. */
  depth: number | null
  /** Source of a regular expression that is known to compile; null means the hosts of the seeds. */
  restrict: string | null
  maxPages: number | null
  /** Contents of the files named on the command line; null stands for the built-in lists. */
  files: { mimeTypes: string | null; ignoreTypes: string | null; blockList: string | null; hostRules: string | null }
}

export type CrawlHooks = {
  /** About five times a second. */
  onProgress(snapshot: CrawlSnapshot): void
  /** Aborted when the crawl shall finish what is in flight, save and return. */
  signal: AbortSignal
  log: Logger
}

export type CrawlSnapshot = {
  fetched: number
  stored: number
  failed: number
  queued: number
  bytes: number
  hostsActive: number
  hostsResting: number
  /** Why the crawl stands still, such as a full disk. */
  paused?: string | undefined
}

/** All but `details` is promised to readers of `erace crawl --json`. */
export type CrawlResult = {
  fetched: number
  stored: number
  unchanged: number
  duplicates: number
  failed: number
  redirects: number
  skipped: Record<SkipReason, number>
  links: number
  seen: number
  queued: number
  bytes: number
  seconds: number
  perSecond: number
  peakRssBytes: number
  /** Nothing is left to be fetched. */
  finished: boolean
  interrupted: boolean
  details: CrawlDetails
}

export type CrawlDetails = {
  statusCodes: Record<string, number>
  mediaTypes: Record<string, number>
  failures: Partial<Record<ErrorCode, number>>
  slowestHosts: { host: string; fetches: number; meanMs: number }[]
  restingHosts: { host: string; failures: number; queued: number }[]
  givenUpHosts: { host: string; dropped: number }[]
}

export type StatusReport = {
  frontier: { queued: number; seen: number; hosts: number; hostsResting: number; hostsGivenUp: number }
  documents: { documents: number; versions: number; bodies: number }
  disk: { archiveFiles: number; archiveBytes: number; databaseBytes: number; freeBytes: number }
  /** Times are ISO 8601 UTC. */
  lastRun: { id: number; startedAt: string; finishedAt: string | null } | null
  lastOutcomes: { url: string; outcome: string; at: string }[]
}

export type VerifyProgress = { records: number; bytes: number; totalBytes: number }

export type VerifyReport = {
  files: number
  records: number
  bytes: number
  seconds: number
  /** All that is wrong, in words, with the file and offset where there is one. Bounded; `faultCount` is the whole number. */
  faults: { file: string; offset: number | null; url: string | null; message: string }[]
  faultCount: number
}
