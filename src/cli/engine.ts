import type { Logger } from 'pino'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { CrawlResult, CrawlSnapshot } from '../core/crawl-report.ts'
import type { VerifyProgress, VerifyReport } from '../core/verify-report.ts'

/** What the commands need of the rest of the program. The composition root supplies it. */
export type Engine = {
  crawl(settings: CrawlSettings, hooks: CrawlHooks): Promise<CrawlResult>
  status(dataDir: string): Promise<StatusReport>
  verify(dataDir: string, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport>
}

export type CrawlHooks = {
  /** About five times a second. */
  onProgress(snapshot: CrawlSnapshot): void
  /** Aborted when the crawl shall finish what is in flight, save and return. */
  signal: AbortSignal
  log: Logger
}

export type StatusReport = {
  frontier: { queued: number; seen: number; hosts: number; hostsResting: number; hostsGivenUp: number }
  documents: { documents: number; versions: number; bodies: number }
  disk: { archiveFiles: number; archiveBytes: number; databaseBytes: number; freeBytes: number }
  /** Times are ISO 8601 UTC. */
  lastRun: { id: number; startedAt: string; finishedAt: string | null } | null
  lastOutcomes: { url: string; outcome: string; at: string }[]
}
