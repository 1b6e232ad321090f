import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { Engine, Target } from '../../cli/engine.ts'
import { startHeartbeat } from '../../cluster/heartbeat.ts'
import { startClusterSchedule } from '../../cluster/scheduling.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createNodeCounters } from '../../services/activity/node-board.ts'
import { createNodeList } from '../../services/activity/node-list.ts'
import { annotationChannel, readAnnotationEvents } from '../../store/postgres/annotations/annotation-events.ts'
import { createPostgresEvents } from '../../store/postgres/cluster/events.ts'
import { createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { createPostgresHostView } from '../../store/postgres/frontier/host-view.ts'
import { openUpToDate, untilAnswered } from '../engines/postgres-start.ts'
import { startArchive } from '../server/archive.ts'
import { type RunningServer, startServer } from '../server/server.ts'

type ServeHooks = Parameters<Engine['serve']>[1]

/** The connection that listens is besides those that work. */
const LISTENING = 1

/**
 * `erace serve`: the pages, the API and the scheduler of a cluster, until somebody ends it. Any number may run: all of them answer, and
 * one of them leads the scheduler. A database that goes away fails requests, and nothing else: everything here waits for it.
 */
export async function serve(target: Target, hooks: ServeHooks): Promise<void> {
  const { signal, log } = hooks
  const running = await untilAnswered(() => begin(target, hooks), { log, signal })
  if (running === null) return
  if (!signal.aborted) await once(signal, 'abort')
  await running.end()
}

async function begin({ store, config }: Target, hooks: ServeHooks): Promise<{ end(): Promise<void> }> {
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
    const node = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`
    const heartbeat = startHeartbeat({ nodes, node, config, clock, log })
    ends.push(heartbeat.end)
    const events = createPostgresEvents({
      pool,
      onHealthError: (error) =>
        log.warn({ error: String(error) }, 'the connection that listens was lost; it is made anew'),
    })
    ends.push(events.close)
    const schedule = await startClusterSchedule({ stores, clock, config, log, holder: node, events })
    ends.push(schedule.stop)
    let server: RunningServer | null = null
    // Before anybody can listen at this process, so that nobody misses what is told from then on.
    events.listen(annotationChannel, (payload) => {
      if (payload === null) server?.restartStreams()
      else server?.announce(readAnnotationEvents(payload))
    })
    server = await startServer({
      config,
      log,
      stores: { ...stores, hosts: createPostgresHostView({ pool, clock }) },
      archive: startArchive({ address: store }, config),
      clock,
      watching: schedule.watching,
      checks: schedule.checks,
      scheduler: schedule.scheduler,
      administrator: hooks.administrator,
      counters: createNodeCounters({ nodes, lostMs: config.cluster.leaseMs }),
      nodes: createNodeList({ nodes, leaseMs: config.cluster.leaseMs, clock }),
      crawlControl: nodes,
      healthErrors: () => [schedule.healthError()].filter((healthError) => healthError !== null),
      shared: { events, node },
    })
    ends.push(server.close)
    hooks.onListening({ url: server.url, setupUrl: server.setupUrl })
    log.info({ node, url: server.url, store: pool.address }, 'serving')
    return { end: () => endAll(ends, log) }
  } catch (error) {
    await endAll(ends, log)
    throw error
  }
}

/** The last first. What fails keeps nothing else from ending: the database may be away just then. */
async function endAll(ends: (() => Promise<void>)[], log: Logger): Promise<void> {
  for (const end of ends.reverse())
    await end().catch((error: unknown) => log.warn({ error: String(error) }, 'a part did not end well'))
}
