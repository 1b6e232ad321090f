import type { CheckOrder, CheckResult, CrawlScope } from '../core/check-order.ts'

/**
 * Speaks one family of protocols. It takes checks of sources, fetches their pages and the links in their scope, keeps them in the
 * archive, and reports its progress. A check that it has accepted survives a restart.
 */
export type Fetcher = {
  /** URI schemes it serves, in lower case and without the colon. */
  readonly schemes: readonly string[]
  /**
   * Continues the checks in progress, which these watches may belong to. Returns how many requests each still has. What is known of them
   * from before is reported as sums.
   */
  start(underWay: readonly CrawlScope[]): Promise<Map<number, number>>
  /**
   * Starts checks. `onBegun` is called for each watch when all its requests are accepted, with how many they are; results may arrive
   * before. A part of the fetcher that is busy keeps only its own watches waiting, not this call: what fails later is in `failed`.
   */
  check(orders: readonly CheckOrder[], onBegun: (watch: number, queued: number) => void): Promise<void>
  /** Changes the scope of watches in progress, for requests that are started from now on. Without sources, a watch follows no more links. */
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
