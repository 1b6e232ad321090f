import type { CheckOrder, CheckResult, CrawlScope } from '../core/check-order.ts'

/**
 * The part that speaks one family of protocols. It is handed checks of sources, fetches what they lead to, keeps it in
 * the object cache, and tells how far it has come. What it has taken on survives its end.
 */
export type AgentProxy = {
  /** URI schemes, without the colon. */
  readonly protocols: readonly string[]
  /** Goes on with what was under way, of which these watches may be part. Returns how many requests each still has. */
  start(underWay: readonly CrawlScope[]): Promise<Map<number, number>>
  /** Begins checks. Returns how many requests each watch has by it. */
  check(orders: readonly CheckOrder[]): Promise<Map<number, number>>
  /** A watch goes farther, or less far, from now on. */
  crawlScope(crawlScopes: readonly CrawlScope[]): Promise<void>
  /** Nobody wants these any more. */
  forget(watches: readonly number[]): Promise<void>
  /** Takes nothing on for the time being, since the annotation engine can't follow. */
  hold(held: boolean): void
  onResults(listener: (results: readonly CheckResult[]) => void): void
  /** Finishes what is in hand and keeps it. */
  stop(): Promise<void>
  /** Rejects when the proxy can't go on. */
  readonly failed: Promise<never>
}
