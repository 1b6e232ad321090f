import type { CrawlScope } from '../../core/check-order.ts'

/**
 * How far watches go, as the leader of the scheduler tells all workers. A reach is written before the requests of its check are
 * offered: whoever meets a request of a later round than it knows of reads what is new and knows then.
 */
export type CrawlScopeStore = {
  /** By the leader alone: refused (`lease-lost`) for whoever leads no more. */
  put(leaderEpoch: number, crawlScopes: readonly CheckRunScope[]): Promise<void>
  /** Requests of these watches belong to nobody any more. */
  forget(leaderEpoch: number, watches: readonly number[]): Promise<void>
  /** What was put or forgotten behind a version, in this order, and the version that is reached by it. */
  since(version: number): Promise<{ version: number; changes: CrawlScopeChange[] }>
}

export type CheckRunScope = { round: number; crawlScope: CrawlScope }

/** `reach` is null where the watch is forgotten. */
export type CrawlScopeChange = { watch: number; round: number; crawlScope: CrawlScope | null }
