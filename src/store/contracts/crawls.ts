/**
 * Crawls that an administrator requested from the running service. Any process may request or stop one; the scheduling process carries
 * them out and saves their progress. A crawl is `waiting`, `running`, or over (all other states).
 */
export type CrawlStore = {
  /** Returns its id, which is never reused; null if `maxOpen` others are not over yet. */
  add(draft: CrawlDraft, maxOpen: number): Promise<number | null>
  find(id: number): Promise<CrawlRow | null>
  /** Newest first: ids below `before`. Of those that are over, a few dozen are kept. */
  list(page: { before: number; limit: number }): Promise<CrawlRow[]>
  /** The newest crawl requested by `askedBy`. That of the configuration is never removed, so that it isn't crawled again. */
  newestOf(askedBy: string): Promise<CrawlRow | null>
  /** All waiting or running crawls, oldest first. */
  open(): Promise<CrawlRow[]>
  /** False if it is unknown or over. */
  askStop(id: number): Promise<boolean>
  /** Saves progress. Crawls that are over stay unchanged. On a shared store, refused (`lease-lost`) once another process leads. */
  save(progress: readonly CrawlProgress[]): Promise<void>
}

export type CrawlDraft = {
  askedBy: string
  askedAt: number
  /** Absolute http(s) URLs. */
  seeds: readonly string[]
  /** Links followed from a seed; null for no limit. */
  depth: number | null
  /** Regular expression that URLs must match; null limits the crawl to the hosts of the seeds. */
  restrict: string | null
  maxPages: number | null
}

/**
 * - `finished`: nothing was left to fetch;
 * - `limit`: it reached its page limit, and the rest was dropped;
 * - `stopped`: on request;
 * - `refused`: it can't be carried out; `reason` says why.
 */
export type CrawlState = 'waiting' | 'running' | 'finished' | 'limit' | 'stopped' | 'refused'

export type CrawlProgress = {
  id: number
  state: CrawlState
  /** When it began; 0 before that. Its requests carry it as their `round`. */
  startedAt: number
  /** 0 until it is over. */
  endedAt: number
  queued: number
  /** Keyed by the names of the shards' counters. */
  counts: Readonly<Record<string, number>>
  reason: string
}

export type CrawlRow = CrawlDraft &
  CrawlProgress & {
    stopAsked: boolean
    /** Pages not yet taken by a worker; null if there is no limit, or the process counts them itself. */
    pagesLeft: number | null
  }
