import type { CrawlScope } from '../../../core/check-order.ts'

/**
 * Crawl scopes of watches, from the leader of the scheduler to all workers. A scope is written before the requests of its check are
 * offered: a worker that meets a request of a later check than it knows reads what is new.
 */
export type CrawlScopeStore = {
  /** By the leader alone: refused (`lease-lost`) once another process leads. */
  put(leaderEpoch: number, crawlScopes: readonly CheckRunScope[]): Promise<void>
  /** Requests of these watches have no owner any more. */
  forget(leaderEpoch: number, watches: readonly number[]): Promise<void>
  /** What was put or forgotten behind a version, in this order, and the version that is reached by it. */
  since(version: number): Promise<{ version: number; changes: CrawlScopeChange[] }>
}

export type CheckRunScope = { round: number; crawlScope: CrawlScope }

/** `crawlScope` is null where the watch is forgotten. */
export type CrawlScopeChange = { watch: number; round: number; crawlScope: CrawlScope | null }
