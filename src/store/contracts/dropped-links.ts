/**
 * Links that the trap limits dropped. They were never requested, so they aren't documents. Per host (of the linking pages) and rule, the
 * store keeps their number and the first ones as examples. A later run that drops any starts over.
 */
export type DroppedLinks = {
  host: string
  rule: TrapRule
  /** A link on several pages, or found again by another check of a watch, may count more than once. */
  count: number
  /** The first ones, at most `maxDroppedExamples`. */
  examples: readonly DroppedLink[]
}

export type DroppedLink = {
  url: string
  /** The page with the link. */
  parent: string
  at: number
}

/**
 * Which limit dropped it: `crawl.maxDepth`; the form of its path or query (`crawl.maxPathSegments`, `crawl.maxRepeatedSegments`);
 * `crawl.maxUrlLength`; `crawl.maxQueryVariants`; or `crawl.maxRepeatedPages`.
 */
export const trapRules = ['depth', 'path', 'length', 'variants', 'repeated-pages'] as const
export type TrapRule = (typeof trapRules)[number]

export const maxDroppedExamples = 20

/** Cursor of a list ordered by host and rule. */
export type DroppedPosition = Pick<DroppedLinks, 'host' | 'rule'>
