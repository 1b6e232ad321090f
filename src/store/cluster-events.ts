import type { WatchNews } from '../core/errand-order.ts'

/** Wakes others. A word may get lost on its way, never what it is about: that is in the tables. */
export type ClusterEvents = {
  /** `payload` is null when words may have been missed: look again. Returns how to stop listening. */
  listen(channel: string, handler: (payload: string | null) => void): () => void
  notify(channel: string, payload?: string): Promise<void>
  close(): Promise<void>
}

/** What workers tell the leader of the scheduler about watches. */
export type NewsStore = {
  put(news: readonly WatchNews[]): Promise<void>
  /** The oldest ones, which are gone then. Refused (`lease-lost`) for whoever leads no more. */
  take(leaderEpoch: number, limit: number): Promise<WatchNews[]>
  /** Requests that these watches have queued, over all partitions: what holds when news got lost with a worker. */
  queued(watches: readonly number[]): Promise<Map<number, number>>
}
