import type { FeedSchedule } from './feed/feed.ts'
import type { Aspect, Scope } from './profile.ts'
import type { Check } from './request.ts'

/** How far a watch goes: what any of its owners covers. */
export type CrawlScope = {
  watch: number
  /** `owner` is there for expressions: whose work it is to match them. */
  sources: readonly { uri: string; scope: Scope; owner?: string }[]
  /** Set where the pages of a crawl are limited: by which number they are counted among all shards of a process. */
  budget?: number
  /** What makes a version beside text and links, where somebody asks for more. */
  aspects?: readonly Aspect[]
  /** How long pages below the source wait until they are asked again, in √ms: one that changes at rate r waits this by √r. Left out for no wait. */
  pace?: number
}

/** One check of a watched source, as it is handed to the crawler. */
export type CheckOrder = {
  url: string
  depth: number
  /** Higher goes before what is queued for the same host. */
  urgency: number
  check: Check
  crawlScope: CrawlScope
}

/** What a source says about its changes, where it says something. */
export type SourceHints = {
  /** Last-Modified. */
  modifiedAt?: number
  /** Cache-Control or Expires. */
  freshForMs?: number
  /** Of the newest entries of a feed, or the newest changes that a sitemap names. */
  dates?: readonly number[]
}

/** What came of requests of a watch since the last word about it. */
export type CheckResult = {
  watch: number
  /** Requests that came (or went) in the queues of all shards. */
  queued: number
  /** New versions, gone ones included. */
  changed: number
  unchanged: number
  failed: number
  /** What the source itself came to, once that is known. `schedule` is what a feed says, where it was read. */
  source: { status: number; outcome: string; schedule?: FeedSchedule; hints?: SourceHints } | null
  /** Where the source redirected to. */
  landed: string | null
  /** Expressions that took too much work, with the page on which that was found; they are not tried any more in this check. */
  tooExpensive?: { expression: string; url: string }[]
  /** Of a crawl, by the names of the shards' counters, and some of its own: see `crawlCountsOf`. */
  counts?: Record<string, number>
  /** These are sums since the check began, of which a part may have been told before. */
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
