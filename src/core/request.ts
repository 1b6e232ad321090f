/** Remaining depth of a crawl without a limit: it does not shrink from link to link. */
export const UNLIMITED_DEPTH = 0x7fffffff

/** The depth that a page's links inherit; `null` when they are not to be followed. */
export function linkDepth(depth: number): number | null {
  if (depth === UNLIMITED_DEPTH) return UNLIMITED_DEPTH
  return depth > 0 ? depth - 1 : null
}

/**
 * The check a request belongs to: one check of a watched source, on behalf of all its owners. A crawl that was
 * started by hand has none.
 */
export type Check = {
  /** Number of the watch; 0 for none. */
  watch: number
  /** The moment the check began: what was checked since need not be asked again. */
  round: number
  /** What another watch checked since this moment is fresh enough too. */
  freshFrom: number
  /** The newest version when the last check of this watch began that came to its end: what others found later is news. */
  since: number
  /** Some owner has seen nothing of this source yet: unchanged pages are reported too. */
  first: boolean
}

/**
 * A crawl that an administrator starts in the running service is checked like a watch. It has a number of its own: this one and
 * the crawl's, so that it is never the number of a watch.
 */
export const FIRST_CRAWL = 2 ** 40

/** Whether a watch is a crawl of the service. */
export const isCrawl = (watch: number): boolean => watch >= FIRST_CRAWL

/** Whether a request is made for everybody: by a crawl, in the service or by itself, and not by the watch of somebody's source. */
export const isForAll = ({ watch }: Check): boolean => watch === 0 || isCrawl(watch)

export const noCheck: Check = { watch: 0, round: 0, freshFrom: 0, since: 0, first: false }

/**
 * A link on its way to the frontier: the papers' `[link, parentLink, depth, owners]`.
 * `fp` is the fingerprint of the comparison key; with `host` it names the document, whatever its spelling.
 */
export type Offer = {
  url: string
  host: string
  fp: bigint
  /** The page with the link; empty for a seed. */
  parent: string
  depth: number
  /** Links followed since the seed. */
  hops: number
  /** Redirects followed in a row to get here. */
  redirects: number
  /** Smaller goes first within a host; equal ones keep their order of arrival. */
  priority: number
  /**
   * What another link does to a URL that still waits: its priority is added to the one there is, or counts if it is better.
   * Absent for nothing.
   */
  rises?: 'sum' | 'best'
  /** The step of a random walk (`walker` and `step` in one number): a URL is queued once for each. Absent outside of walks. */
  visit?: number
  check: Check
}

/**
 * Tables of a host, such as its sitemaps, are asked for ahead of all its pages. The priority is also what tells a request for a table
 * from one for a page: priorities of pages end at 2^50 (`store/rules/offers.ts`).
 */
export const TABLE_PRIORITY = -(2 ** 51)

/** Whether a request is for a table of its host. A redirect or a nested table goes a little further ahead. */
export const isTable = ({ priority }: Pick<Offer, 'priority'>): boolean => priority < TABLE_PRIORITY / 2

/**
 * What a sitemap says of a page that was visited before is added to its priority: one that has changed since goes ahead of all pages of
 * its host, one that has not goes behind them. No other priority comes near (`store/rules/offers.ts`), so the request tells later what
 * was said.
 */
export const SAID_CHANGED = -(2 ** 40)
export const SAID_UNCHANGED = 2 ** 40

export const isSaidChanged = (request: Pick<Offer, 'priority'>): boolean =>
  request.priority < SAID_CHANGED / 2 && !isTable(request)
export const isSaidUnchanged = ({ priority }: Pick<Offer, 'priority'>): boolean => priority > SAID_UNCHANGED / 2

/** What a request is worth among pages, whatever a sitemap says; a table is none. */
export function pagePriority(request: Pick<Offer, 'priority'>): number {
  if (isTable(request)) return 0
  if (isSaidChanged(request)) return request.priority - SAID_CHANGED
  return isSaidUnchanged(request) ? request.priority - SAID_UNCHANGED : request.priority
}

/** An accepted offer: it stays in its host's queue until it is completed. */
export type QueuedRequest = Offer & {
  hostId: number
  seq: number
  /** Fetches tried so far. */
  attempts: number
}
