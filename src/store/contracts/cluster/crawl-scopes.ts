import type { CrawlScope } from '../../../core/check-order.ts'

/**
 * Crawl scopes of watches, from the leader of the scheduler to all workers. A scope is written before the requests of its check are
 * offered: a worker that gets a request of a later check than it knows reads the changes.
 */
export type CrawlScopeStore = {
  /** For the leader only: refused (`lease-lost`) once another process leads. */
  put(leaderEpoch: number, crawlScopes: readonly CheckRunScope[]): Promise<void>
  /** Requests of these watches no longer have an owner. */
  forget(leaderEpoch: number, watches: readonly number[]): Promise<void>
  /** Changes (`put` and `forget`) after a version, in order, and the version they lead to. */
  since(version: number): Promise<{ version: number; changes: CrawlScopeChange[] }>
}

export type CheckRunScope = { round: number; crawlScope: CrawlScope }

/** `crawlScope` is null if the watch was forgotten. */
export type CrawlScopeChange = { watch: number; round: number; crawlScope: CrawlScope | null }
