/** Remaining depth of an unlimited crawl: links inherit it unchanged. */
export const UNLIMITED_DEPTH = 0x7fffffff

/** The depth that a page's links inherit; `null` if they are not followed. */
export function linkDepth(depth: number): number | null {
  if (depth === UNLIMITED_DEPTH) return UNLIMITED_DEPTH
  return depth > 0 ? depth - 1 : null
}

/** The check a request belongs to: one check of a watched source, on behalf of all its owners. A crawl started by hand has none. */
export type Check = {
  /** Number of the watch; 0 for none. */
  watch: number
  /** When the check began: documents checked since then need not be fetched again. */
  round: number
  /** Documents that another watch checked since this time are fresh enough too. */
  freshFrom: number
  /** The newest version when this watch's last completed check began: versions that others stored later are news. */
  since: number
  /** Some owner has not seen anything of this source yet: unchanged pages are reported too. */
  first: boolean
}

/**
 * A crawl that an administrator starts in the running service is checked like a watch. Its watch number is this plus the crawl's own
 * number, so it never equals that of a watch.
 */
export const FIRST_CRAWL = 2 ** 40

/** Whether this is the number of a crawl of the service, not of a watch. */
export const isCrawl = (watch: number): boolean => watch >= FIRST_CRAWL

/** Whether a request belongs to a crawl, in the service or stand-alone, and not to the watch of a user's source. */
export const isForAll = ({ watch }: Check): boolean => watch === 0 || isCrawl(watch)

export const noCheck: Check = { watch: 0, round: 0, freshFrom: 0, since: 0, first: false }

/**
 * A link on its way to the frontier: the papers' `[link, parentLink, depth, owners]`.
 * `fp` is the fingerprint of the comparison key; together with `host` it identifies the document regardless of how its URL is spelled.
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
  /** How a further link changes the priority of a URL that is still queued: adds to it, or replaces it if better. Absent: no change. */
  rises?: 'sum' | 'best'
  /** The step of a random walk (`walker` and `step` in one number): a URL is queued once per step. Absent outside of walks. */
  visit?: number
  check: Check
}

/**
 * Tables of a host, such as its sitemaps, are requested before all its pages. The priority also distinguishes a request for a table from
 * one for a page: priorities of pages stay far below (`store/rules/offers.ts`).
 */
export const TABLE_PRIORITY = -(2 ** 51)

/** Whether a request is for a table of its host. Redirects and nested tables get slightly smaller priorities, so they go first. */
export const isTable = ({ priority }: Pick<Offer, 'priority'>): boolean => priority < TABLE_PRIORITY / 2

/**
 * Added to the priority of a page visited before, according to its sitemap: a changed page goes ahead of all pages of its host, an
 * unchanged one behind them. No other priority comes near (`store/rules/offers.ts`), so the sitemap's statement can be read back from the
 * request.
 */
export const SAID_CHANGED = -(2 ** 40)
export const SAID_UNCHANGED = 2 ** 40

export const isSaidChanged = (request: Pick<Offer, 'priority'>): boolean =>
  request.priority < SAID_CHANGED / 2 && !isTable(request)
export const isSaidUnchanged = ({ priority }: Pick<Offer, 'priority'>): boolean => priority > SAID_UNCHANGED / 2

/** A page's priority without what a sitemap added; 0 for a table. */
export function pagePriority(request: Pick<Offer, 'priority'>): number {
  if (isTable(request)) return 0
  if (isSaidChanged(request)) return request.priority - SAID_CHANGED
  return isSaidUnchanged(request) ? request.priority - SAID_UNCHANGED : request.priority
}

/** An accepted offer. It stays in its host's queue until completed. */
export type QueuedRequest = Offer & {
  hostId: number
  seq: number
  /** Number of fetch attempts so far. */
  attempts: number
}

/**
 * Queued requests are made here alone, with their properties in one order: the runtime compiles code for the layouts of the objects it
 * has met, and copies with others (spread, read from a row, received from another thread) make it compile all of a visit again.
 */
export function queuedRequest(
  { url, host, fp, parent, depth, hops, redirects, priority, rises, visit, check }: Offer,
  { hostId, seq, attempts }: Pick<QueuedRequest, 'hostId' | 'seq' | 'attempts'>,
): QueuedRequest {
  const request: QueuedRequest = {
    url,
    host,
    fp,
    parent,
    depth,
    hops,
    redirects,
    priority,
    check,
    hostId,
    seq,
    attempts,
  }
  if (rises !== undefined) request.rises = rises
  if (visit !== undefined) request.visit = visit
  return request
}
