import type { ErrandOrder, WatchNews, WatchReach } from '../core/check-order.ts'

/**
 * The part that speaks one family of protocols. It is handed checks of sources, fetches what they lead to, keeps it in
 * the object cache, and tells how far it has come. What it has taken on survives its end.
 */
export type AgentProxy = {
  /** URI schemes, without the colon. */
  readonly protocols: readonly string[]
  /** Goes on with what was under way, of which these watches may be part. Returns how many requests each still has. */
  start(underWay: readonly WatchReach[]): Promise<Map<number, number>>
  /** Begins checks. Returns how many requests each watch has by it. */
  check(orders: readonly ErrandOrder[]): Promise<Map<number, number>>
  /** A watch goes farther, or less far, from now on. */
  reach(reaches: readonly WatchReach[]): Promise<void>
  /** Nobody wants these any more. */
  forget(watches: readonly number[]): Promise<void>
  /** Takes nothing on for the time being, since the annotation engine can't follow. */
  hold(held: boolean): void
  onNews(listener: (news: readonly WatchNews[]) => void): void
  /** Finishes what is in hand and keeps it. */
  stop(): Promise<void>
  /** Rejects when the proxy can't go on. */
  readonly failed: Promise<never>
}
