import type { Logger } from 'pino'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import { systemClock } from '../core/clock.ts'
import { describeWaiting, type Retries, type Waiting } from '../core/work/retries.ts'
import type { ClusterEvents } from '../store/contracts/cluster/events.ts'
import type { NodeStats, NodeStore } from '../store/contracts/cluster/nodes.ts'
import { type ClusterRunStore, runsChannel } from '../store/contracts/cluster/runs.ts'
import { type ClusterClock, type NodeIdentity, startHeartbeat } from './heartbeat.ts'
import { createRate, nodeStatsOf } from './node-stats.ts'
import { type Loop, startLoop } from './poll-loop.ts'
import type { StartShards } from './shard-group.ts'
import { createWorkerPool, type WorkerPool } from './worker-pool.ts'

export type WorkerNodeDeps = {
  node: NodeIdentity
  /** Settings used while no run is open. */
  own: CrawlSettings
  nodes: NodeStore
  runs: ClusterRunStore
  events: Pick<ClusterEvents, 'listen'>
  clock: ClusterClock
  log: Logger
  /** The last warning logged, for the node list. */
  lastWarning(): string
  /** Everything this process is retrying; the role logs it. */
  retries: Retries
  threads: NodeThreads
}

/** Starts the threads of this process. They log to the logger they are given. */
export type NodeThreads = {
  startShards(log: Logger): StartShards
  /** `clockOffsetMs` holds one number: how far the database's clock is ahead of this machine's. */
  startAnnotator(events: AnnotationEvents, clockOffsetMs: SharedArrayBuffer): BackgroundThread
  /** Whether anything was ever watched: a crawl alone makes nothing to annotate. */
  needsAnnotator(): Promise<boolean>
  /** Null if there is nothing to index. */
  startIndexer(log: Logger): BackgroundThread | null
  /** Null if nothing is compressed in the background. */
  startCompressor(log: Logger): BackgroundThread | null
}

export type AnnotationEvents = {
  onAnnotated(ids: readonly number[]): void
  onProblem(message: string, fields: Record<string, unknown>): void
  onSettled(): void
  onRefused(): void
  onWaiting(part: number, waiting: readonly Waiting[]): void
}

export type BackgroundThread = {
  /** Completes the current task first. */
  end(): Promise<void>
  /** Rejects when it can't go on. */
  readonly failed: Promise<never>
}

/**
 * A process that crawls and annotates for a cluster. Its heartbeat reports its stats every second and receives the operator's orders;
 * its shards use the settings of the open run and follow their changes. If the database goes away, all parts wait for it.
 */
export type WorkerNode = {
  readonly id: string
  readonly name: string
  readonly workerPool: WorkerPool
  /** What the node is waiting for; null if nothing. */
  healthError(): string | null
  /** Rejects when the node can't go on. */
  readonly failed: Promise<never>
  /** Finishes what is in flight, hands over and leaves the cluster. */
  end(): Promise<void>
}

export function startWorkerNode({
  node,
  own,
  nodes,
  runs,
  events,
  clock,
  threads,
  retries,
  log,
  lastWarning,
}: WorkerNodeDeps): WorkerNode {
  const { id, name } = node
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => {}) // the role observes it
  const background = createBackgroundThreads({ threads, clock, log, retries, onFailed: fail })
  const namesakes = createNamesakes({ nodes, node, own, log })
  const rate = createRate()

  const workerPool = createWorkerPool({
    ...{ own, node: id, runs, clock, startShards: threads.startShards(log) },
    staysWith: node.role === 'crawl',
    onChanged() {
      heartbeat.now()
      if (workerPool.shardGroup() !== null) background.start()
    },
    retries,
    onFailed: fail,
  })

  const heartbeat = startHeartbeat({
    ...{ node, nodes, clock, track: retries.track('heartbeat'), onFailed: fail, onOrders: workerPool.obey },
    stats(): NodeStats {
      const shown = nodeStatsOf(workerPool.state(), background.counts())
      return {
        ...shown,
        lastError: lastWarning(),
        waiting: describeWaiting(retries.waiting()),
        perSecond: rate(shown.fetched),
      }
    },
    async onSeldom() {
      background.setClock()
      await namesakes.warn()
    },
  })
  const stopListening = events.listen(runsChannel, workerPool.poll)

  return {
    ...{ id, name, workerPool, failed },
    healthError: () => describeWaiting(retries.waiting()) || null,
    async end() {
      stopListening()
      // Annotation ends first: once other nodes hold the partitions, its tasks would be refused.
      for (const end of [background.end, workerPool.end, heartbeat.end])
        await end().catch((error: unknown) => log.debug({ error: String(error) }, 'a part did not end cleanly'))
    },
  }
}

const LOOK_FOR_WATCHES_MS = 1_000

type BackgroundDeps = Pick<WorkerNodeDeps, 'threads' | 'clock' | 'log' | 'retries'> & { onFailed(error: unknown): void }

/** The threads that follow the crawl: they annotate and index new versions. */
function createBackgroundThreads({ threads, clock, log, retries, onFailed }: BackgroundDeps) {
  const clockOffsetMs = new SharedArrayBuffer(8)
  const counts = { tasks: 0, annotations: 0, refused: 0 }
  const running: BackgroundThread[] = []
  let looking: Loop | null = null
  let isAnnotating = false

  const events: AnnotationEvents = {
    onAnnotated(ids) {
      counts.annotations += ids.length
    },
    onSettled() {
      counts.tasks++
    },
    onRefused() {
      counts.refused++
    },
    onProblem: (message, fields) => log.warn(fields, message),
    onWaiting: (part, waiting) => retries.adopt(`annotator ${part}`, waiting),
  }

  function setClock(): void {
    new Float64Array(clockOffsetMs)[0] = clock.now() - systemClock.now()
  }

  function add(thread: BackgroundThread | null): void {
    if (thread === null) return
    running.push(thread)
    thread.failed.catch(onFailed)
  }

  /** Starting a thread costs as much CPU time as hundreds of pages. */
  async function annotateIfNeeded(): Promise<void> {
    if (isAnnotating || !(await threads.needsAnnotator())) return
    isAnnotating = true
    add(threads.startAnnotator(events, clockOffsetMs))
    void looking?.end()
  }

  setClock()
  return {
    /** Starts the threads, once. They have nothing to do before shards are running. */
    start(): void {
      if (looking !== null) return
      add(threads.startIndexer(log))
      add(threads.startCompressor(log))
      const track = retries.track('looking for watches')
      looking = startLoop({ everyMs: LOOK_FOR_WATCHES_MS, work: annotateIfNeeded, track, onFailed })
    },
    /** Annotation counts since the start. */
    counts: () => counts,
    setClock,
    async end(): Promise<void> {
      await looking?.end()
      await Promise.all(running.map((thread) => thread.end()))
    },
  }
}

type NamesakesDeps = Pick<WorkerNodeDeps, 'nodes' | 'node' | 'own' | 'log'>

/** Nodes that share a name do no harm, but lists can't tell them apart. */
function createNamesakes({ nodes, node, own, log }: NamesakesDeps) {
  const { cluster } = own.config
  const warned = new Set<string>()
  return {
    async warn(): Promise<void> {
      // Unnamed nodes go by their host's name, and there may be many on one machine.
      if (cluster.name === '') return
      for (const other of await nodes.list()) {
        const isNamesake = other.name === node.name && other.id !== node.id && other.role !== 'serve'
        if (!isNamesake || other.seenMsAgo > cluster.leaseMs || warned.has(other.id)) continue
        warned.add(other.id)
        log.warn(
          { name: node.name, other: other.id },
          'another process goes by the same name; both work, but lists show it twice',
        )
      }
    },
  }
}
