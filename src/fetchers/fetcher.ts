import type { CheckOrder, CheckResult, CrawlScope } from '../core/check-order.ts'

/**
 * Speaks one family of protocols. It accepts checks of sources, fetches their pages and the links in their scope, stores them in the
 * archive, and reports its progress. An accepted check survives a restart.
 */
export type Fetcher = {
  /** URI schemes it serves, in lower case and without the colon. */
  readonly schemes: readonly string[]
  /**
   * Resumes the checks in progress, which these watches may belong to. Resolves to the number of requests that each still has. Their
   * earlier progress is reported as sums.
   */
  start(underWay: readonly CrawlScope[]): Promise<Map<number, number>>
  /**
   * Starts checks. `onBegun` is called for each watch once all its requests are accepted, with their number; results may arrive
   * earlier. A busy part of the fetcher delays only its own watches, not this call: later failures reject `failed`.
   */
  check(orders: readonly CheckOrder[], onBegun: (watch: number, queued: number) => void): Promise<void>
  /** Changes the scope of watches in progress, for requests started from now on. Without sources, a watch follows no more links. */
  crawlScope(crawlScopes: readonly CrawlScope[]): Promise<void>
  /** These watches no longer exist: their requests are dropped. Unknown ones are ignored. */
  forget(watches: readonly number[]): Promise<void>
  /** While throttled, it starts no requests, because the annotation engine is behind. */
  throttle(throttled: boolean): void
  onResults(listener: (results: readonly CheckResult[]) => void): void
  /** Finishes and stores what is in flight. */
  stop(): Promise<void>
  /** Rejects when the fetcher can't go on. */
  readonly failed: Promise<never>
}

/** The scheme of a URI in lower case; '' if it has none. */
export function schemeOf(uri: string): string {
  return /^[a-z][a-z0-9+.-]{0,40}(?=:)/i.exec(uri)?.[0].toLowerCase() ?? ''
}
