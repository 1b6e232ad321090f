import type { CrawlDraft, CrawlProgress, CrawlRow } from '../contracts/crawls.ts'

/** How many crawls that are over are remembered. */
export const MAX_OVER = 50

/** Who asks for the crawl of `crawl.seeds`; no account has such a name. */
export const CONFIGURATION = 'configuration'

/** SQL: may be forgotten when it is old. */
export const isForgettableSql = `id <> coalesce((SELECT max(id) FROM crawls WHERE asked_by = '${CONFIGURATION}'), 0)`

/** SQL: not over yet. */
export const isOpenSql = `state IN ('waiting', 'running')`

/** A row as engines keep it. */
export type KeptCrawl = Omit<CrawlProgress, 'counts'> & { askedBy: string; askedAt: number } & {
  request: string
  counts: string
  stopAsked: boolean | number
  pagesLeft: number | null
}

/** What of a draft is kept as JSON: it is never searched. */
export const requestOf = ({ seeds, depth, restrict, maxPages }: CrawlDraft): string =>
  JSON.stringify({ seeds, depth, restrict, maxPages })

export function crawlOf({ request, counts, stopAsked, ...row }: KeptCrawl): CrawlRow {
  const asked = JSON.parse(request) as Omit<CrawlDraft, 'askedBy' | 'askedAt'>
  return { ...row, ...asked, counts: JSON.parse(counts) as Record<string, number>, stopAsked: Boolean(stopAsked) }
}
