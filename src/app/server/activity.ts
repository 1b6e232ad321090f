import { hostname } from 'node:os'
import type { Clock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { partitionCount } from '../../core/partition.ts'
import { createMetrics } from '../../server/metrics.ts'
import { type CrawlCounters, createActivity } from '../../services/activity/activity.ts'
import type { Stats } from '../../services/activity/stats.ts'
import { createThisNode, type NodeList } from '../../services/activity/this-node.ts'
import type { Scheduler } from '../../services/scheduler/scheduler.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

export type ActivityDeps = {
  stores: Pick<StoreSet, 'annotations' | 'countKept' | 'readDisk' | 'graph' | 'hosts' | 'check'>
  clock: Clock
  scheduler: Pick<Scheduler, 'stats'>
  /** Figures of the crawl; without a crawl all of them are zero. */
  counters: CrawlCounters | null
  /** The processes that share the work; where it is left out, this one does it alone with so many threads. */
  nodes?: NodeList
  threads: number
  /** Why the rest of the process can't do its work; empty when it can. */
  healthErrors(): readonly string[]
  publish(stats: Stats): void
  /** Streams of events that are open. */
  streams(): number
}

const noCrawl: CrawlCounters = { total: () => 0, isHeld: () => false }

/** What is to be seen of the work. */
export function createActivityParts(deps: ActivityDeps) {
  const { stores, clock, scheduler } = deps
  const startedAtMs = clock.now()
  const activity = createActivity({
    clock,
    counters: deps.counters ?? noCrawl,
    stats: scheduler.stats,
    store: {
      countTasks: stores.annotations.countTasks,
      countKept: stores.countKept,
      readDisk: stores.readDisk,
    },
    publish: deps.publish,
  })
  return {
    activity,
    graph: stores.graph,
    hosts: stores.hosts,
    nodes:
      deps.nodes ??
      createThisNode({
        activity,
        host: hostname(),
        pid: process.pid,
        startedAtMs,
        threads: deps.threads,
        partitions: partitionCount,
        rssBytes: () => process.memoryUsage.rss(),
      }),
    metrics: createMetrics({ meters: activity.meters, streams: deps.streams }),
    health: { healthErrors: async () => [...(await storeHealthErrors(stores)), ...deps.healthErrors()] },
  }
}

/** Whoever asks for this process's health does not wait for as long as a request may. */
const MAX_CHECK_MS = 3_000

function late(): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new AppError('took-too-long', 'the store is too slow to answer'))
    setTimeout(fail, MAX_CHECK_MS).unref()
  })
}

async function storeHealthErrors(stores: Pick<StoreSet, 'check'>): Promise<string[]> {
  try {
    await Promise.race([stores.check(), late()])
    return []
  } catch (error) {
    return [`the store does not answer: ${isAppError(error) ? error.code : 'internal'}`]
  }
}
