import type { CheckResult } from '../../core/check-order.ts'
import type { Check } from '../../core/request.ts'
import { createPermanentLeases, type Leases } from '../frontier/partition-lease.ts'
import type { Watches } from './results/check-results.ts'
import type { CheckChannel, CrawlPages, WritingLimits } from './shard.ts'
import type { SharedCounters } from './shared-counters.ts'

/** Everything that differs between a shard that has its hosts to itself and one that shares them with other workers. */
export type Coordination = {
  leases: Leases
  writing: WritingLimits
  /** Counts requests that are queued or in flight. */
  addOutstanding(requests: number): void
  checks: CheckChannel
  pages: CrawlPages
}

export type LocalDeps = {
  fetchers: number
  counters: SharedCounters
  watches: Watches
  /** Resolves when this shard has received every message about watches sent to it so far. */
  heardAll(): Promise<void>
  onResults(results: readonly CheckResult[]): void
}

/** Writes to a local store use this thread's time, so they are made often, and a fetcher waits for its write. */
export function createLocalCoordination({ fetchers, counters, watches, heardAll, onResults }: LocalDeps): Coordination {
  const maxItems = Math.max(1, Math.min(128, Math.floor(fetchers / 2)))
  return {
    leases: createPermanentLeases(),
    writing: { maxItems, maxWaitMs: 20, waitMsForEach: 0, parallel: 1, unwritten: null },
    addOutstanding: counters.addOutstanding,
    checks: {
      learn: heardAll,
      async beforeCommit() {},
      publish() {
        const results = watches.takeResults()
        if (results.length > 0) onResults(results)
      },
    },
    pages: {
      take: (_, budget) => counters.takeCrawlPage(budget),
      giveBack: (_, budget) => void counters.returnCrawlPage(budget),
    },
  }
}

export type ClusterDeps = {
  fetchers: number
  leases: Leases
  /** Number of partitions written concurrently. */
  parallel: number
  watches: Watches
  /** Reads the watch of a check if it is newer than the one known here. */
  learn(check: Check, watches: Watches): Promise<void>
  /** Stores results that the scheduler must find once their requests are done; also waits for those being stored. */
  sendResults(results: readonly CheckResult[]): Promise<void>
  onResults(results: readonly CheckResult[]): void
  pages: CrawlPages
}

/**
 * Each write to a shared store covers one partition, and small writes are expensive: results are batched while hosts continue. Only the
 * store knows how much is outstanding in the whole cluster.
 */
export function createClusterCoordination(deps: ClusterDeps): Coordination {
  const { fetchers, leases, parallel, watches } = deps
  const unwritten = { maxItems: 8 * fetchers, maxBytes: 64 << 20 }
  return {
    leases,
    pages: deps.pages,
    writing: { maxItems: 128, maxWaitMs: 100, waitMsForEach: 12, parallel, unwritten },
    addOutstanding() {},
    checks: {
      learn: (check) => deps.learn(check, watches),
      // Called even without results: those of this batch may have been sent with another batch and not be stored yet.
      beforeCommit: () => deps.sendResults(watches.takeResults()),
      publish() {
        const results = watches.takeResults()
        if (results.length > 0) deps.onResults(results)
      },
    },
  }
}
