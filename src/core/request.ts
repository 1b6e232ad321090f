/** Remaining depth of a crawl without a limit: it does not shrink from link to link. */
export const UNLIMITED_DEPTH = 0x7fffffff

/** The depth that a page's links inherit; `null` when they are not to be followed. */
export function linkDepth(depth: number): number | null {
  if (depth === UNLIMITED_DEPTH) return UNLIMITED_DEPTH
  return depth > 0 ? depth - 1 : null
}

/**
 * A link on its way to the frontier: the papers' `[link, parentLink, depth, owners]`.
 * `fp` is the fingerprint of the comparison key; with `host` it names the document, whatever its spelling.
 */
export type Offer = {
  url: string
  host: string
  fp: bigint
  /** The page that the link stood on; empty for a seed. */
  parent: string
  depth: number
  /** Links followed since the seed. */
  hops: number
  /** Redirects followed in a row to get here. */
  redirects: number
  /** Smaller goes first within a host; equal ones keep their order of arrival. */
  priority: number
}

/** An offer that was accepted: it stands in its host's queue until it is settled. */
export type QueuedRequest = Offer & {
  hostId: number
  seq: number
  /** Fetches tried so far. */
  attempts: number
}
