import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import type { CrawlSettings } from './config/crawl-settings.ts'
import { systemClock } from './core/clock.ts'
import { startClusterAnnotator } from './main-cluster-annotator.ts'
import { startClusterIndexer } from './main-cluster-index.ts'
import { openClusterAtStart } from './main-cluster-start.ts'
import type { ClusterStores } from './main-cluster-stores.ts'
import { type Crews, createCrews } from './main-worker-crews.ts'
import { addCounts, countsOf, createRate, noCounts } from './main-worker-figures.ts'
import { startLoop } from './main-worker-loop.ts'
import { createDatabaseClock, type DatabaseClock } from './store/cluster/database-clock.ts'
import { createClusterEvents } from './store/cluster/events.ts'
import { createClusterNodes } from './store/cluster/nodes.ts'
import { createClusterRuns } from './store/cluster/runs.ts'
import { type ClusterRunStore, runsChannel } from './store/cluster-runs.ts'
import { createEpochMemory } from './store/held-epochs.ts'
import type { NodeFigures, NodeRole, NodeStore } from './store/nodes.ts'

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
  readonly stores: ClusterStores
  readonly runs: ClusterRunStore
  readonly nodes: NodeStore
  readonly clock: DatabaseClock
  readonly crews: Crews
  /** Why the database can't be asked at the moment. */
  trouble(): string | null
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
  const { address, own, role, signal } = options
  const { cluster, search } = own.config
  const host = hostname()
  const id = `${host}-${process.pid}-${randomBytes(3).toString('hex')}`
  const name = cluster.name === '' ? host : cluster.name
  const label = `erace ${role} ${name}`.slice(0, 60)
  const stores = await openClusterAtStart({
    address,
    maxConnections: OWN_CONNECTIONS,
    name: label,
    log: options.log,
    signal,
  })
  if (stores === null) return null
  const { pool, seed } = stores
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by whoever runs the node
  let lastError = ''
  const log = noting(options.log, (text) => {
    lastError = `${new Date(systemClock.now()).toISOString()} ${text}`.slice(0, 500)
  })
  const clock = await createDatabaseClock(pool, systemClock)
  const clockOffsetMs = new SharedArrayBuffer(8)
  const shareClock = (): void => {
    new Float64Array(clockOffsetMs)[0] = clock.now() - systemClock.now()
  }
  shareClock()
  const nodes = createClusterNodes(pool)
  const runs = createClusterRuns(pool)
  const epochs = createEpochMemory()
  const events = createClusterEvents({ pool })
  const annotated = { tasks: 0, annotations: 0, refused: 0 }
  const rate = createRate()
  const namesakes = new Set<string>()
  let trouble: string | null = null
  let beats = 0

  const crews = createCrews({
    address,
    own,
    node: id,
    name,
    seed,
    epochs,
    runs,
    clock,
    log,
    staysWith: role === 'crawl',
    onChanged: () => beat.now(),
    onTrouble,
    onFailed: fail,
  })

  function onTrouble(message: string | null): void {
    if ((message === null) === (trouble === null)) return
    trouble = message
    if (message === null) log.info('the database answers again')
    else log.warn({ error: message }, 'the database does not answer; waiting for it')
  }

  function figures(): NodeFigures {
    const { base, board, mark, threads } = crews.state()
    const counts = addCounts(base, board === null ? noCounts() : countsOf(board))
    const gauge = (counter: 'queued' | 'seen' | 'inFlight' | 'activeHosts' | 'restingHosts' | 'paused'): number =>
      board?.total(counter) ?? 0
    return {
      ...counts,
      refused: counts.refused + annotated.refused,
      threads,
      rssBytes: process.memoryUsage.rss(),
      run: mark.id,
      revision: mark.revision,
      queued: gauge('queued'),
      seen: gauge('seen'),
      inFlight: gauge('inFlight'),
      activeHosts: gauge('activeHosts'),
      restingHosts: gauge('restingHosts'),
      paused: gauge('paused') > 0 ? 1 : 0,
      tasks: annotated.tasks,
      annotations: annotated.annotations,
      lastError,
      perSecond: rate(counts.fetched),
    }
  }

  /** Others of the same name do no harm, but whoever reads the lists can't tell them apart. */
  async function lookAround(): Promise<void> {
    await clock.adjust()
    shareClock()
    await nodes.forget(FORGET_MS)
    if (cluster.name === '') return
    for (const other of await nodes.list()) {
      const isTwin = other.name === name && other.id !== id && other.role !== 'serve'
      if (!isTwin || other.seenMsAgo > cluster.leaseMs || namesakes.has(other.id)) continue
      namesakes.add(other.id)
      log.warn({ name, other: other.id }, 'another process goes by the same name; both work, but lists show it twice')
    }
  }

  const beat = startLoop({
    everyMs: BEAT_MS,
    async work() {
      const orders = await nodes.heartbeat({ id, name, role, host, pid: process.pid, figures: figures() })
      crews.obey(orders)
      if (beats++ % SELDOM === 0) await lookAround()
    },
    onTrouble,
    onFailed: fail,
  })
  const annotator = startClusterAnnotator(
    { address, config: own.config, name: label, seed, epochs, clockOffsetMs },
    {
      onAnnotated(ids) {
        annotated.annotations += ids.length
      },
      onSettled() {
        annotated.tasks++
      },
      onRefused() {
        annotated.refused++
      },
      onProblem: (message, fields) => log.warn(fields, message),
    },
  )
  const indexer = search.index ? startClusterIndexer({ address, config: own.config, log }) : null
  const stopListening = events.listen(runsChannel, () => crews.look())
  for (const part of [annotator.failed, indexer?.failed]) part?.catch(fail)

  return {
    id,
    name,
    stores,
    runs,
    nodes,
    clock,
    crews,
    failed,
    trouble: () => trouble,
    async end() {
      stopListening()
      // The annotation first: when the partitions have gone to others, what is being settled would be refused.
      const parts = [
        annotator.end,
        crews.end,
        indexer?.end,
        beat.end,
        events.close,
        () => nodes.remove(id),
        stores.close,
      ]
      for (const end of parts)
        await end?.().catch((error: unknown) => log.debug({ error: String(error) }, 'ended badly'))
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
