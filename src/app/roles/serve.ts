import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Logger } from 'pino'
import type { Engine, Target } from '../../cli/engine.ts'
import { identifyNode, rememberWarnings, startHeartbeat } from '../../cluster/heartbeat.ts'
import { startClusterSchedule } from '../../cluster/scheduling.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { describePublicly, describeWaiting, type Retries, startRetries } from '../../core/work/retries.ts'
import { settingsForWatching } from '../../crawl/crawl-settings.ts'
import { createNodeCounters } from '../../services/activity/node-board.ts'
import { createNodeList } from '../../services/activity/node-list.ts'
import { annotationChannel, readAnnotationEvents } from '../../store/postgres/annotations/annotation-writes.ts'
import { createPostgresEvents } from '../../store/postgres/cluster/events.ts'
import { createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { createPostgresHostView } from '../../store/postgres/frontier/host-view.ts'
import { scheduleDeps } from '../cluster-schedule.ts'
import { openDelivery } from '../delivery.ts'
import { openUpToDate, untilAnswered } from '../engines/postgres-stores.ts'
import { createEars } from '../listening.ts'
import { loadProtocols } from '../protocols.ts'
import { startArchive } from '../server/archive.ts'
import { type RunningServer, startServer } from '../server/server.ts'

type ServeHooks = Parameters<Engine['serve']>[1]

/** Hubs of feeds call any server; the one that leads the scheduler listens. */
const HUB_CHANNEL = 'websub'

/** One connection for LISTEN, in addition to those for queries. */
const LISTENING = 1

/**
 * `erace serve`: the pages, the API and the scheduler of a cluster, until it is ended. Any number may run: all of them answer, and one
 * leads the scheduler. When the database goes away, requests fail and everything else waits for it.
 */
export async function serve(target: Target, hooks: ServeHooks): Promise<void> {
  await loadProtocols(target.config)
  const { signal, log } = hooks
  // Workers fetch with their own settings; this process uses them only to explain.
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
    const stores = await openUpToDate({ address: store, maxConnections, name: 'erace serve', log, config })
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
    const ears = createEars({
      ...{ config, clock, stores },
      shared: {
        key: await stores.serverSecrets.agree('websub', randomBytes(32)),
        tellOthers: (message) =>
          void events
            .notify(HUB_CHANNEL, message)
            .catch((error: unknown) => log.warn({ error: String(error) }, 'the call of a hub was not passed on')),
      },
    })
    // Missed news is found by the regular checks.
    events.listen(HUB_CHANNEL, (payload) => payload !== null && ears.relayed(payload))
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

/** Ends the last part first. A part that fails doesn't keep the others from ending: the database may be away. */
async function endAll(ends: (() => Promise<void>)[], log: Logger): Promise<void> {
  for (const end of ends.reverse())
    await end().catch((error: unknown) => log.warn({ error: String(error) }, 'a part did not end cleanly'))
}
