/**
 * Crawls that an administrator has asked the running service for. Any process may ask for one or ask to stop it; the one that schedules
 * carries them out and says how far they are. A crawl is `waiting`, `running`, or over: all other states.
 */
export type CrawlStore = {
  /** Returns its number, which is never used again; null where `maxOpen` others are not over yet. */
  add(draft: CrawlDraft, maxOpen: number): Promise<number | null>
  find(id: number): Promise<CrawlRow | null>
  /** The newest first: those with a number below `before`. Of those that are over, some dozens are kept. */
  list(page: { before: number; limit: number }): Promise<CrawlRow[]>
  /** The newest that one asked for. That of the configuration is kept for good, so that it isn't crawled again. */
  newestOf(askedBy: string): Promise<CrawlRow | null>
  /** All that wait or run, the oldest first. */
  open(): Promise<CrawlRow[]>
  /** False where it is unknown or over. */
  askStop(id: number): Promise<boolean>
  /** How far crawls are. What is over stays as it is. On a shared store it is refused (`lease-lost`) once another process leads. */
  save(progress: readonly CrawlProgress[]): Promise<void>
}

export type CrawlDraft = {
  askedBy: string
  askedAt: number
  /** Absolute http(s) URLs. */
  seeds: readonly string[]
  /** Links followed from a seed; null for no limit. */
  depth: number | null
  /** Regular expression for the URLs of the crawl; null means the hosts of the seeds. */
  restrict: string | null
  maxPages: number | null
}

/**
 * - `finished`: nothing was left to fetch;
 * - `limit`: it reached its number of pages, and the rest was dropped;
 * - `stopped`: somebody wanted that;
 * - `refused`: it can't be carried out; `reason` says why.
 */
export type CrawlState = 'waiting' | 'running' | 'finished' | 'limit' | 'stopped' | 'refused'

export type CrawlProgress = {
  id: number
  state: CrawlState
  /** When it began; 0 before. Its requests carry it as their round. */
  startedAt: number
  /** 0 until it is over. */
  endedAt: number
  queued: number
  /** By the names of the shards' counters. */
  counts: Readonly<Record<string, number>>
  reason: string
}

export type CrawlRow = CrawlDraft &
  CrawlProgress & {
    stopAsked: boolean
    /** Pages that no worker has taken yet; null where there is no limit, or the process counts them itself. */
    pagesLeft: number | null
  }
