import { once } from 'node:events'
import type { Target, WorkerHooks } from '../../cli/engine.ts'
import { identifyNode, rememberWarnings } from '../../cluster/heartbeat.ts'
import { type NodeThreads, startWorkerNode } from '../../cluster/node.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createWhileAlive, firstFailure } from '../../core/work/race.ts'
import { startRetries } from '../../core/work/retries.ts'
import { settingsForWatching } from '../../crawl/crawl-settings.ts'
import { createEpochMemory } from '../../store/contracts/cluster/held-epochs.ts'
import type { NodeRole } from '../../store/contracts/cluster/nodes.ts'
import { createPostgresEvents } from '../../store/postgres/cluster/events.ts'
import { createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import { createPostgresRuns } from '../../store/postgres/cluster/runs.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { openUpToDate, untilAnswered } from '../engines/postgres-stores.ts'
import { startPostgresAnnotator } from '../threads/annotator.ts'
import { startClusterIndexer } from '../threads/indexer.ts'
import { startSharedModules } from '../threads/modules.ts'
import { startPostgresShards } from '../threads/postgres-shards.ts'
import { startSegmentCompressor } from '../threads/segment-compressor.ts'

/** `erace worker`: crawls and annotates for a cluster until it is ended. Any number may run, on any number of machines. */
export async function worker({ dataDir, store, config }: Target, hooks: WorkerHooks): Promise<void> {
  if (store === null) throw new AppError('config-invalid', 'worker needs the address of the shared store')
  const { signal, log } = hooks
  const opened = await openNode(store, 'worker', await settingsForWatching(dataDir, config), hooks)
  if (opened === null) return
  const { id, name, failed, workerPool } = opened.node
  try {
    workerPool.start()
    hooks.onJoined({ id, name })
    log.info({ node: id, name, store: opened.stores.pool.address }, 'working')
    const failure = firstFailure([failed, ...(opened.modules === null ? [] : [opened.modules.failed])])
    if (!signal.aborted) await createWhileAlive(failure)(once(signal, 'abort'))
  } finally {
    await opened.end()
  }
  log.info({ node: id }, 'left')
}

/** Connections in addition to those of its threads: one listens, and the heartbeat never waits for another query. */
const OWN_CONNECTIONS = 4

export type OpenNode = NonNullable<Awaited<ReturnType<typeof openNode>>>

/** A worker node on a shared store. Null if the signal came before the database answered. */
export async function openNode(
  address: string,
  role: Extract<NodeRole, 'worker' | 'crawl'>,
  own: CrawlSettings,
  { log: plainLog, signal }: Pick<WorkerHooks, 'log' | 'signal'>,
) {
  const { log, lastWarning } = rememberWarnings(plainLog, systemClock)
  const retries = startRetries({ clock: systemClock, log })
  const identity = identifyNode(role, own.config)
  const label = `erace ${role} ${identity.name}`.slice(0, 60)
  const opened = await untilAnswered(
    async () => {
      const stores = await openUpToDate({
        ...{ address, maxConnections: OWN_CONNECTIONS, name: label, log },
        config: own.config,
      })
      try {
        return { stores, clock: await createDatabaseClock(stores.pool, systemClock) }
      } catch (error) {
        await stores.close()
        throw error
      }
    },
    { retries, signal },
  )
  if (opened === null) {
    retries.end()
    return null
  }
  const { stores, clock } = opened
  const { pool, seed } = stores
  const [nodes, runs, events] = [
    createPostgresNodes(pool),
    createPostgresRuns(pool),
    createPostgresEvents({ pool, track: retries.track('listening') }),
  ]
  const { id, name } = identity
  const epochs = createEpochMemory()
  const shared = { address, seed, epochs }
  // The module state of a crawl ends with it; a worker's continues.
  const modules = await startSharedModules({ config: own.config, run: role === 'crawl' ? 1 : 0, stores, log, retries })
  const threads: NodeThreads = {
    startShards: (nodeLog) => (options) =>
      startPostgresShards({ ...options, ...shared, node: id, name, modules, log: nodeLog, retries }),
    startAnnotator: (listener, clockOffsetMs) =>
      startPostgresAnnotator({ ...shared, config: own.config, name: label, clockOffsetMs }, listener),
    needsAnnotator: async () => (await stores.watches.newestRound()) > 0 || (await stores.annotations.countTasks()) > 0,
    startIndexer: (nodeLog) =>
      own.config.search.index ? startClusterIndexer({ address, config: own.config, log: nodeLog, retries }) : null,
    startCompressor: (nodeLog) =>
      own.config.objects.store === 'folder' && own.config.archive.compress
        ? startSegmentCompressor({ address, config: own.config, log: nodeLog, retries })
        : null,
  }
  const node = startWorkerNode({ node: identity, own, nodes, runs, events, clock, log, lastWarning, retries, threads })
  return {
    ...{ node, stores, nodes, runs, clock, retries, modules },
    async end(): Promise<void> {
      await node.end()
      await modules?.stop('at-once')
      await modules?.end()
      retries.end()
      for (const close of [events.close, stores.close])
        await close().catch((error: unknown) => log.debug({ error: String(error) }, 'a part did not end cleanly'))
    },
  }
}
