import type { CheckOrder, CheckResult, CrawlScope } from '../core/check-order.ts'

/**
 * Speaks one family of protocols. It takes checks of sources, fetches their pages and the links in their scope, keeps them in the
 * archive, and reports its progress. A check that it has accepted survives a restart.
 */
export type Fetcher = {
  /** URI schemes it serves, in lower case and without the colon. */
  readonly schemes: readonly string[]
  /** Continues the checks in progress, which these watches may belong to. Returns how many requests each still has. */
  start(underWay: readonly CrawlScope[]): Promise<Map<number, number>>
  /** Starts checks. Returns how many requests each watch has through them. Results may arrive before this resolves. */
  check(orders: readonly CheckOrder[]): Promise<Map<number, number>>
  /** Changes the scope of watches in progress. Without sources, a watch follows no more links. */
  crawlScope(crawlScopes: readonly CrawlScope[]): Promise<void>
  /** These watches no longer exist: their requests are dropped. Unknown ones are ignored. */
  forget(watches: readonly number[]): Promise<void>
  /** While throttled it starts no request, because the annotation engine is behind. */
  throttle(throttled: boolean): void
  onResults(listener: (results: readonly CheckResult[]) => void): void
  /** Finishes and keeps what is in flight. */
  stop(): Promise<void>
  /** Rejects when the fetcher can't go on. */
  readonly failed: Promise<never>
}

/** The scheme of a URI in lower case; '' where it has none. */
export function schemeOf(uri: string): string {
  return /^[a-z][a-z0-9+.-]{0,40}(?=:)/i.exec(uri)?.[0].toLowerCase() ?? ''
}
