import { hostname } from 'node:os'
import type { Clock } from '../../core/clock.ts'
import { partitionCount } from '../../core/url/partition.ts'
import { createMetrics } from '../../server/metrics.ts'
import { type CrawlCounters, createActivity, storeHealthErrors } from '../../services/activity/activity.ts'
import { createThisNode, type NodeList } from '../../services/activity/this-node.ts'
import type { DeliveryWatch } from '../../services/channels/delivery-watch.ts'
import type { EventHub } from '../../services/events/event-hub.ts'
import type { Scheduler } from '../../services/scheduler/scheduler.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

export type ActivityPartDeps = {
  stores: StoreSet
  clock: Clock
  scheduler: Pick<Scheduler, 'stats'>
  hub: EventHub
  /** Stats of the crawl; all zero without a crawl. */
  counters?: CrawlCounters
  /** The processes that share the work; if omitted, this one does it alone. */
  nodes?: NodeList
  /** Number of crawling threads in this process. */
  threads?: number
  /** Why the rest of the process can't work; empty when it can. */
  healthErrors?(): readonly string[]
  deliveryWatch?: Pick<DeliveryWatch, 'counts'>
}

const noCrawl: CrawlCounters = { total: () => 0, isThrottled: () => false }

/** Stats, nodes, metrics and health. */
export function createActivityParts({ stores, clock, scheduler, hub, ...deps }: ActivityPartDeps) {
  const startedAtMs = clock.now()
  const activity = createActivity({
    clock,
    counters: deps.counters ?? noCrawl,
    stats: scheduler.stats,
    store: {
      countTasks: stores.annotations.countTasks,
      setAside: stores.annotations.setAside,
      retrySetAside: stores.annotations.retrySetAside,
      countKept: stores.countKept,
      readDisk: stores.readDisk,
      lastCollection: stores.collectionRuns.last,
      channelFigures: stores.channels.figures,
    },
    publish: (data) => hub.publishToAdministrators({ name: 'crawl', data }),
  })
  const thisNode = { host: hostname(), pid: process.pid, startedAtMs, threads: deps.threads ?? 0 }
  return {
    activity,
    graph: stores.graph,
    hosts: stores.hosts,
    nodes:
      deps.nodes ??
      createThisNode({
        ...{ ...thisNode, activity, partitions: partitionCount },
        rssBytes: () => process.memoryUsage.rss(),
      }),
    metrics: createMetrics({
      ...{ meters: activity.meters, streams: hub.count, channels: activity.channelFigures },
      messages: () => deps.deliveryWatch?.counts() ?? [],
    }),
    health: { healthErrors: async () => [...(await storeHealthErrors(stores)), ...(deps.healthErrors?.() ?? [])] },
  }
}
