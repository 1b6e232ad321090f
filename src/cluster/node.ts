import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { openUpToDate, untilAnswered } from '../app/engines/postgres-start.ts'
import type { PostgresStores } from '../app/engines/postgres-stores.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import { systemClock } from '../core/clock.ts'
import { type ClusterRunStore, runsChannel } from '../store/contracts/cluster-runs.ts'
import { createEpochMemory } from '../store/contracts/held-epochs.ts'
import type { NodeRole, NodeStats, NodeStore } from '../store/contracts/nodes.ts'
import { createPostgresEvents } from '../store/postgres/cluster/events.ts'
import { createPostgresNodes } from '../store/postgres/cluster/nodes.ts'
import { createPostgresRuns } from '../store/postgres/cluster/runs.ts'
import { createDatabaseClock, type DatabaseClock } from '../store/postgres/connection/database-clock.ts'
import { createHelpers } from './background-threads.ts'
import { createRate, nodeStatsOf } from './node-stats.ts'
import { startLoop } from './poll-loop.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export type WorkerNodeOptions = {
  address: string
  /** What it works with while there is no run. */
  own: CrawlSettings
  role: Extract<NodeRole, 'worker' | 'crawl'>
  log: Logger
  signal: AbortSignal
}

/**
 * A process that crawls and annotates for a cluster. It gives a sign each second, with its figures, and learns by it what its operator
 * wants; its shards work under the settings of the run that is open, and change them when it is another one. A database that goes
 * away is waited for by everybody here.
 */
export type WorkerNode = {
  readonly id: string
  readonly name: string
  readonly stores: PostgresStores
  readonly runs: ClusterRunStore
  readonly nodes: NodeStore
  readonly clock: DatabaseClock
  readonly workerPool: WorkerPool
  /** Why the database can't be asked at the moment. */
  healthError(): string | null
  /** Rejects when the node can't go on. */
  readonly failed: Promise<never>
  /** Finishes what is in flight, hands over and leaves. */
  end(): Promise<void>
}

const BEAT_MS = 1_000
/** Beats between two looks at what changes seldom: clocks, namesakes, nodes that are long gone. */
const SELDOM = 30
const FORGET_MS = 600_000
/** Beside those who work: the one that listens, and the signs, which are never to wait for others. */
const OWN_CONNECTIONS = 4

/** Null when the signal came before the database answered. */
export async function startWorkerNode(options: WorkerNodeOptions): Promise<WorkerNode | null> {
  const { address, own, role, signal, log } = options
  const { name: given } = own.config.cluster
  const name = given === '' ? hostname() : given
  const label = `erace ${role} ${name}`.slice(0, 60)
  const place = { address, maxConnections: OWN_CONNECTIONS, name: label, log, signal }
  const opened = await untilAnswered(async () => {
    const stores = await openUpToDate(place)
    try {
      return { stores, clock: await createDatabaseClock(stores.pool, systemClock) }
    } catch (error) {
      await stores.close()
      throw error
    }
  }, place)
  if (opened === null) return null
  const id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`
  return beginWork({ ...options, ...opened, id, name, label })
}

type Beginning = WorkerNodeOptions &
  Pick<WorkerNode, 'id' | 'name' | 'stores' | 'clock'> & {
    /** Seen in pg_stat_activity. */
    label: string
  }

function beginWork({ address, own, role, stores, clock, id, name, label, ...options }: Beginning): WorkerNode {
  const { pool, seed } = stores
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by whoever runs the node
  let lastError = ''
  const log = noting(options.log, (text) => {
    lastError = `${new Date(clock.now()).toISOString()} ${text}`.slice(0, 500)
  })
  const nodes = createPostgresNodes(pool)
  const runs = createPostgresRuns(pool)
  const events = createPostgresEvents({ pool })
  const epochs = createEpochMemory()
  const helpers = createHelpers({ address, config: own.config, name: label, seed, epochs, log, onFailed: fail })
  helpers.tellTime(clock)
  const namesakes = createNamesakes({ nodes, id, name, own, log })
  const rate = createRate()
  let healthError: string | null = null
  let beats = 0

  function onHealthError(message: string | null): void {
    if ((message === null) !== (healthError === null)) {
      if (message === null) log.info('the database answers again')
      else log.warn({ error: message }, 'the database does not answer; waiting for it')
    }
    healthError = message
  }

  const workerPool = createWorkerPool({
    ...{ address, own, node: id, name, seed, epochs, runs, clock, log, onHealthError, onFailed: fail },
    staysWith: role === 'crawl',
    onChanged() {
      beat.now()
      if (workerPool.shardGroup() !== null) helpers.start()
    },
  })

  const beat = startLoop({
    everyMs: BEAT_MS,
    async work() {
      const shown = nodeStatsOf(workerPool.state(), helpers.counts())
      const stats: NodeStats = { ...shown, lastError, perSecond: rate(shown.fetched) }
      workerPool.obey(await nodes.heartbeat({ id, name, role, host: hostname(), pid: process.pid, stats }))
      if (beats++ % SELDOM > 0) return
      await clock.adjust()
      helpers.tellTime(clock)
      await nodes.forget(FORGET_MS)
      await namesakes.look()
    },
    onHealthError,
    onFailed: fail,
  })
  const stopListening = events.listen(runsChannel, () => workerPool.look())

  return {
    ...{ id, name, stores, runs, nodes, clock, workerPool, failed },
    healthError: () => healthError,
    async end() {
      stopListening()
      // The annotation first: when the partitions have gone to others, what is being settled would be refused.
      const parts = [helpers.end, workerPool.end, beat.end, events.close, () => nodes.remove(id), stores.close]
      for (const end of parts)
        await end().catch((error: unknown) => log.debug({ error: String(error) }, 'did not end in good order'))
    },
  }
}

/** Others of the same name do no harm, but whoever reads the lists can't tell them apart. */
function createNamesakes({
  nodes,
  id,
  name,
  own,
  log,
}: Pick<Beginning, 'id' | 'name' | 'own' | 'log'> & { nodes: NodeStore }) {
  const { cluster } = own.config
  const told = new Set<string>()
  return {
    async look(): Promise<void> {
      // Those that nobody gave a name are many on one machine.
      if (cluster.name === '') return
      for (const other of await nodes.list()) {
        const isNamesake = other.name === name && other.id !== id && other.role !== 'serve'
        if (!isNamesake || other.seenMsAgo > cluster.leaseMs || told.has(other.id)) continue
        told.add(other.id)
        log.warn({ name, other: other.id }, 'another process goes by the same name; both work, but lists show it twice')
      }
    },
  }
}

/** A log that remembers what went wrong last. */
function noting(log: Logger, note: (text: string) => void): Logger {
  const noted: Logger = Object.create(log)
  noted.warn = (...words: unknown[]): void => {
    const [first, second] = words
    const { error } = (typeof first === 'object' && first !== null ? first : {}) as { error?: unknown }
    note([second ?? first, error].filter((word) => typeof word === 'string').join(': '))
    log.warn(...(words as [object, string]))
  }
  return noted
}
