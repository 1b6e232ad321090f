import { once } from 'node:events'
import type { Logger } from 'pino'
import type { Engine, Target } from '../../cli/engine.ts'
import { identifyNode, rememberWarnings, startHeartbeat } from '../../cluster/heartbeat.ts'
import { type ClusterScheduleDeps, startClusterSchedule } from '../../cluster/scheduling.ts'
import type { Config } from '../../config/config.ts'
import { type Clock, systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { describePublicly, describeWaiting, type Retries, startRetries } from '../../core/work/retries.ts'
import { settingsForWatching } from '../../crawl/crawl-settings.ts'
import { createSeedOffers } from '../../crawl/worker/links/seed-offers.ts'
import { createNodeCounters } from '../../services/activity/node-board.ts'
import { createNodeList } from '../../services/activity/node-list.ts'
import type { ListenTo } from '../../services/watching/listening.ts'
import type { ClusterEvents } from '../../store/contracts/cluster/events.ts'
import { annotationChannel, readAnnotationEvents } from '../../store/postgres/annotations/annotation-writes.ts'
import { createPostgresCrawlScopes } from '../../store/postgres/cluster/crawl-scopes.ts'
import { createPostgresCrawls } from '../../store/postgres/cluster/crawls.ts'
import { createPostgresEvents } from '../../store/postgres/cluster/events.ts'
import { createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import {
  countTasksUpTo,
  createPostgresAsked,
  createPostgresCheckResults,
  createPostgresChecks,
  createScheduleStats,
  schedulerRole,
} from '../../store/postgres/cluster/schedule.ts'
import { createPostgresWatches } from '../../store/postgres/cluster/watches.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { createPostgresHostView } from '../../store/postgres/frontier/host-view.ts'
import { createLeaderLease } from '../../store/postgres/leases/leader.ts'
import { openDelivery } from '../delivery.ts'
import { openUpToDate, type PostgresStores, untilAnswered } from '../engines/postgres-stores.ts'
import { createClusterFetchers, watchableSchemes } from '../fetchers.ts'
import { createEars } from '../listening.ts'
import { holdRetention } from '../retention.ts'
import { startArchive } from '../server/archive.ts'
import { type RunningServer, startServer } from '../server/server.ts'

type ServeHooks = Parameters<Engine['serve']>[1]

/** The connection that listens, in addition to those that work. */
const LISTENING = 1

/**
 * `erace serve`: the pages, the API and the scheduler of a cluster, until it is ended. Any number may run: all of them answer, and one
 * leads the scheduler. When the database goes away, requests fail and everything else waits for it.
 */
export async function serve(target: Target, hooks: ServeHooks): Promise<void> {
  const { signal, log } = hooks
  // Workers fetch by their own; this process explains by them.
  await settingsForWatching('', target.config)
  const warnings = rememberWarnings(log, systemClock)
  const retries = startRetries({ clock: systemClock, log: warnings.log })
  const running = await untilAnswered(() => begin(target, hooks, { retries, lastWarning: warnings.lastWarning }), {
    retries,
    signal,
  }).catch((error: unknown) => {
    retries.end()
    throw error
  })
  if (running === null) return retries.end()
  if (!signal.aborted) await once(signal, 'abort')
  await running.end()
  retries.end()
}

type Watched = { retries: Retries; lastWarning(): string }

async function begin(
  { store, config }: Target,
  hooks: ServeHooks,
  { retries, lastWarning }: Watched,
): Promise<{ end(): Promise<void> }> {
  if (store === null) throw new AppError('config-invalid', 'serve needs the address of the shared store')
  const { log } = hooks
  const ends: (() => Promise<void>)[] = []
  try {
    const maxConnections = config.cluster.connections + LISTENING
    const stores = await openUpToDate({ address: store, maxConnections, name: 'erace serve', log })
    ends.push(stores.close)
    const { pool } = stores
    const clock = await createDatabaseClock(pool, systemClock)
    const nodes = createPostgresNodes(pool)
    const node = identifyNode('serve', config)
    const heartbeat = startHeartbeat({
      ...{ node, nodes, clock },
      stats: () => ({
        ...{ threads: 0, perSecond: 0 },
        rssBytes: process.memoryUsage.rss(),
        lastError: lastWarning(),
        waiting: describeWaiting(retries.waiting()),
      }),
      track: retries.track('heartbeat'),
    })
    ends.push(heartbeat.end)
    const events = createPostgresEvents({ pool, track: retries.track('listening') })
    ends.push(events.close)
    const ears = createEars({ config, clock, stores })
    ends.push(ears.close)
    const { listenTo } = ears
    const schedule = await startClusterSchedule(
      scheduleDeps({ stores, clock, config, log, retries, holder: node.id, events, address: store, listenTo }),
    )
    ends.push(schedule.stop)
    let server: RunningServer | null = null
    const archive = startArchive({ address: store }, config)
    const address = () => config.server.url || (server?.url ?? '')
    const delivery = await openDelivery({ config, stores, archive, clock, log, address })
    ends.push(delivery.end)
    // Before any client can listen to this process, so that none misses an event.
    events.listen(annotationChannel, (payload) => {
      if (payload === null) server?.restartStreams()
      else server?.announce(readAnnotationEvents(payload))
      delivery.wake()
    })
    server = await startServer({
      ...{ config, log, clock },
      stores: { ...stores, hosts: createPostgresHostView({ pool, clock }) },
      ...{ archive, sending: delivery.sending, deliveryWatch: delivery.watch, webSub: ears.webSub },
      watching: schedule.watching,
      checks: schedule.checks,
      scheduler: schedule.scheduler,
      administrator: hooks.administrator,
      counters: createNodeCounters({ nodes, lostMs: config.cluster.leaseMs }),
      nodes: createNodeList({ nodes, leaseMs: config.cluster.leaseMs, clock }),
      crawlControl: nodes,
      healthErrors: () => [
        ...describePublicly(retries.waiting()),
        ...[schedule.healthError()].filter((healthError) => healthError !== null),
      ],
      shared: { events, node: node.id },
    })
    ends.push(server.close)
    ears.serving()
    delivery.start(retries)
    hooks.onListening({ url: server.url, setupUrl: server.setupUrl })
    log.info({ node: node.id, url: server.url, store: pool.address }, 'serving')
    return { end: () => endAll(ends, log) }
  } catch (error) {
    await endAll(ends, log)
    throw error
  }
}

export type ScheduleParts = {
  stores: PostgresStores
  clock: Clock
  config: Config
  log: Logger
  retries: Retries
  /** Different for every process. */
  holder: string
  /** postgres://… */
  address: string
  events: ClusterEvents
  /** Left out where no source is listened to. */
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
    ...{ events, clock, config, log, retries, schemes: watchableSchemes },
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
      createClusterFetchers({
        ...{ epoch, events, clock, offersOf: ofChecks, watches: fencedWatches(epoch) },
        crawlScopes: createPostgresCrawlScopes(pool),
        checks: createPostgresChecks(pool),
        results: createPostgresCheckResults(pool),
        nodes: createPostgresNodes(pool),
      }),
  }
}

/** The last first. A part that fails doesn't keep the others from ending: the database may be away. */
async function endAll(ends: (() => Promise<void>)[], log: Logger): Promise<void> {
  for (const end of ends.reverse())
    await end().catch((error: unknown) => log.warn({ error: String(error) }, 'a part did not end cleanly'))
}
