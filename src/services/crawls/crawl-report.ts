import { type CrawlResult, type SkipReason, skipReasons } from '../../core/reports/crawl-report.ts'
import type { CrawlRow, CrawlState } from '../../store/contracts/crawls.ts'

/** Results of a crawl so far: the fields of `erace crawl --json` that are known for a crawl in the service. */
export type CrawlCounts = Omit<CrawlResult, 'peakRssBytes' | 'interrupted' | 'details'>

export type CrawlReport = CrawlCounts & {
  id: number
  state: CrawlState
  /** Why it was refused; otherwise empty. */
  reason: string
  seeds: readonly string[]
  /** Seeds that are not listed. */
  moreSeeds: number
  depth: number | null
  restrict: string | null
  maxPages: number | null
  askedBy: string
  askedAt: string
  startedAt: string | null
  endedAt: string | null
  /** A stop was requested, and it is still running. */
  stopping: boolean
}

const MAX_SEEDS_SHOWN = 20

export function crawlReportOf(row: CrawlRow, now: number): CrawlReport {
  const { id, state, reason, seeds, depth, restrict, maxPages, askedBy } = row
  return {
    ...{ id, state, reason, seeds: seeds.slice(0, MAX_SEEDS_SHOWN), depth, restrict, maxPages, askedBy },
    moreSeeds: Math.max(0, seeds.length - MAX_SEEDS_SHOWN),
    askedAt: new Date(row.askedAt).toISOString(),
    startedAt: timeOf(row.startedAt),
    endedAt: timeOf(row.endedAt),
    stopping: row.stopAsked && row.endedAt === 0,
    ...crawlCountsOf(row, now),
  }
}

function timeOf(at: number): string | null {
  return at === 0 ? null : new Date(at).toISOString()
}

/** Sums by the names of the shards' counters; `done` counts the requests that left the queue. */
export function crawlCountsOf({ counts, queued, state, startedAt, endedAt }: CrawlRow, now: number): CrawlCounts {
  const count = (name: string): number => counts[name] ?? 0
  const seconds = startedAt === 0 ? 0 : Math.max(0, (endedAt === 0 ? now : endedAt) - startedAt) / 1000
  const skipped = Object.fromEntries(skipReasons.map((reason) => [reason, count(`skipped.${reason}`)]))
  const fetched = count('fetched')
  return {
    fetched,
    stored: count('stored'),
    unchanged: count('unchanged'),
    duplicates: count('duplicates'),
    failed: count('failed'),
    redirects: count('redirects'),
    skipped: skipped as Record<SkipReason, number>,
    links: count('links'),
    seen: count('done') + queued,
    queued,
    bytes: count('bytes'),
    seconds: Math.round(seconds * 1000) / 1000,
    perSecond: seconds === 0 ? 0 : Math.round((fetched / seconds) * 10) / 10,
    finished: state === 'finished',
  }
}
