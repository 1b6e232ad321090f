import type { Logger } from 'pino'
import type { ClusterScheduleDeps } from '../cluster/scheduling.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Retries } from '../core/work/retries.ts'
import { createSeedOffers } from '../crawl/worker/links/seed-offers.ts'
import { createClusterFetcher } from '../fetchers/cluster/cluster-fetcher.ts'
import type { ListenTo } from '../services/watching/listening.ts'
import type { ClusterEvents } from '../store/contracts/cluster/events.ts'
import { createPostgresCrawlScopes } from '../store/postgres/cluster/crawl-scopes.ts'
import { createPostgresCrawls } from '../store/postgres/cluster/crawls.ts'
import { createPostgresNodes } from '../store/postgres/cluster/nodes.ts'
import {
  countTasksUpTo,
  createPostgresAsked,
  createPostgresCheckResults,
  createPostgresChecks,
  createScheduleStats,
  schedulerRole,
} from '../store/postgres/cluster/schedule.ts'
import { createPostgresWatches } from '../store/postgres/cluster/watches.ts'
import { createLeaderLease } from '../store/postgres/leases/leader.ts'
import type { PostgresStores } from './engines/postgres-stores.ts'
import { watchableSchemes } from './protocols.ts'
import { holdRetention } from './retention.ts'

export type ScheduleParts = {
  stores: PostgresStores
  clock: Clock
  config: Config
  log: Logger
  retries: Retries
  /** Unique per process. */
  holder: string
  /** postgres://… */
  address: string
  events: ClusterEvents
  /** Omitted if no source is listened to. */
  listenTo?: ListenTo
}

/** The schedule of a cluster on PostgreSQL. */
export function scheduleDeps({
  stores,
  clock,
  config,
  log,
  retries,
  holder,
  events,
  address,
  listenTo,
}: ScheduleParts): ClusterScheduleDeps {
  const { pool, seed } = stores
  const { ofChecks } = createSeedOffers({ crawl: config.crawl, hostRules: null, seed })
  const fencedWatches = (epoch: number) => createPostgresWatches(pool, { epoch })
  return {
    ...{ events, clock, config, log, retries, schemes: watchableSchemes() },
    stores: {
      ...stores,
      asked: createPostgresAsked(pool),
      stats: createScheduleStats(pool),
      countTasks: (limit) => countTasksUpTo(pool, limit),
      fencedWatches,
      fencedCrawls: (epoch) => createPostgresCrawls(pool, { epoch }),
    },
    lease: createLeaderLease({ pool, name: schedulerRole, holder, clock, leaseMs: config.cluster.leaseMs }),
    startRetention: () => holdRetention({ dataDir: '', store: address, config }, stores, clock, log),
    ...(listenTo && { listenTo }),
    createFetcher: (epoch) =>
      createClusterFetcher({
        schemes: watchableSchemes(),
        ...{ epoch, events, clock, offersOf: ofChecks, watches: fencedWatches(epoch) },
        crawlScopes: createPostgresCrawlScopes(pool),
        checks: createPostgresChecks(pool),
        results: createPostgresCheckResults(pool),
        nodes: createPostgresNodes(pool),
      }),
  }
}
