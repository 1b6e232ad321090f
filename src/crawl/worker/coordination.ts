import type { CheckResult } from '../../core/check-order.ts'
import type { Check } from '../../core/request.ts'
import { createPermanentLeases, type Leases } from '../frontier/partition-lease.ts'
import type { Watches } from './results/check-results.ts'
import type { CheckChannel, CrawlPages, WritingLimits } from './shard.ts'
import type { SharedCounters } from './shared-counters.ts'

/** The difference between a shard that has its hosts to itself and one that shares them with other workers. */
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
  /** Resolves when this shard has heard everything about watches that it was sent so far. */
  heardAll(): Promise<void>
  onResults(results: readonly CheckResult[]): void
}

/** Writes to a store of our own take our own time, so they are made often and a fetcher waits for its write. */
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
  /** How many partitions are written for at a time. */
  parallel: number
  watches: Watches
  /** Reads the watch of a check if it is newer than the one known here. */
  learn(check: Check, watches: Watches): Promise<void>
  /** Stores results that the scheduler must find when their requests are done, and waits for those that are being stored. */
  sendResults(results: readonly CheckResult[]): Promise<void>
  onResults(results: readonly CheckResult[]): void
  pages: CrawlPages
}

/**
 * Writes to a shared store are made for one partition at a time and are expensive when they are small: they are gathered while hosts
 * continue. How much is outstanding in the whole cluster is known to the store alone.
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
      // Also without results: those of this batch may have left with another, and not have arrived.
      beforeCommit: () => deps.sendResults(watches.takeResults()),
      publish() {
        const results = watches.takeResults()
        if (results.length > 0) deps.onResults(results)
      },
    },
  }
}
