import type { FeedSchedule } from './feed/feed.ts'
import type { Aspect, Scope } from './profile.ts'
import type { Check } from './request.ts'

/** The scope of a watch: the union of its owners' sources. */
export type CrawlScope = {
  watch: number
  /** `owner` is set for expressions: the work of matching them counts against that owner's budget. */
  sources: readonly { uri: string; scope: Scope; owner?: string }[]
  /** Set if a crawl has a page limit: the key under which all shards of a process count its pages. */
  budget?: number
  /** Aspects other than text and links that make a new version, if an owner asks for them. */
  aspects?: readonly Aspect[]
  /**
   * Sets how long to wait before checking pages below the source again, in √ms: a page that changes at rate r waits pace / √r. Absent: no
   * wait.
   */
  pace?: number
}

/** One check of a watched source, as passed to the crawler. */
export type CheckOrder = {
  url: string
  depth: number
  /** Higher ones go first among those queued for the same host. */
  urgency: number
  check: Check
  crawlScope: CrawlScope
}

/** Hints of a source about its changes; each is absent unless the source gives it. */
export type SourceHints = {
  /** Last-Modified. */
  modifiedAt?: number
  /** Cache-Control or Expires. */
  freshForMs?: number
  /** Dates of the newest feed entries, or of the newest changes listed in a sitemap. */
  dates?: readonly number[]
}

/** Outcome of a watch's requests since the previous report. */
export type CheckResult = {
  watch: number
  /** Net change of the number of queued requests, over all shards. */
  queued: number
  /** New versions, including documents that are gone. */
  changed: number
  unchanged: number
  failed: number
  /** Outcome of the source itself, once known. `schedule` is set if a feed was read that states one. */
  source: { status: number; outcome: string; schedule?: FeedSchedule; hints?: SourceHints } | null
  /** Where the source redirected to. */
  landed: string | null
  /** Expressions that took too much work, with the page where that happened; they are skipped for the rest of this check. */
  tooExpensive?: { expression: string; url: string }[]
  /** Of a crawl: the shards' counters by name, and some of its own; see `crawlCountsOf`. */
  counts?: Record<string, number>
  /** The numbers are totals since the check began, parts of which may have been reported before. */
  isSum?: true
}

export function addedCounts(
  counts: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = new Map(Object.entries(counts))
  for (const [name, n] of Object.entries(more)) sums.set(name, (sums.get(name) ?? 0) + n)
  return Object.fromEntries(sums)
}
