import type { CrawlDraft, CrawlProgress, CrawlRow } from '../contracts/crawls.ts'

/** Number of crawls kept after they are over. */
export const MAX_OVER = 50

/** `askedBy` of the crawl of `crawl.seeds`; no account has this name. */
export const CONFIGURATION = 'configuration'

/** SQL: may be deleted when it is old. */
export const isForgettableSql = `id <> coalesce((SELECT max(id) FROM crawls WHERE asked_by = '${CONFIGURATION}'), 0)`

/** SQL: not over yet. */
export const isOpenSql = `state IN ('waiting', 'running')`

/** A row as engines store it. */
export type KeptCrawl = Omit<CrawlProgress, 'counts'> & { askedBy: string; askedAt: number } & {
  request: string
  counts: string
  stopAsked: boolean | number
  pagesLeft: number | null
}

/** The part of a draft that is stored as JSON, since it is never searched. */
export const requestOf = ({ seeds, depth, restrict, maxPages }: CrawlDraft): string =>
  JSON.stringify({ seeds, depth, restrict, maxPages })

export function crawlOf({ request, counts, stopAsked, ...row }: KeptCrawl): CrawlRow {
  const asked = JSON.parse(request) as Omit<CrawlDraft, 'askedBy' | 'askedAt'>
  return { ...row, ...asked, counts: JSON.parse(counts) as Record<string, number>, stopAsked: Boolean(stopAsked) }
}
