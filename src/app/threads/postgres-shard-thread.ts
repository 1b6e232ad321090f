import { parentPort, workerData } from 'node:worker_threads'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import type { Check } from '../../core/request.ts'
import { isTemporary, retry, wait } from '../../core/retry.ts'
import { assembleShard } from '../../crawl/worker/assemble.ts'
import type { FromShard, ToShard } from '../../crawl/worker/messages.ts'
import { type CounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import type { Watches } from '../../crawl/worker/watches.ts'
import { type EpochMemory, openEpochs } from '../../store/contracts/held-epochs.ts'
import type { LeaseListener, PartitionGrant } from '../../store/contracts/partition-leases.ts'
import { createPostgresCrawlScopes, scopesChannel } from '../../store/postgres/cluster/crawl-scopes.ts'
import { createPostgresEvents } from '../../store/postgres/cluster/events.ts'
import { createPostgresCheckResults } from '../../store/postgres/cluster/schedule.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { partitionOfId } from '../../store/postgres/connection/row-batch.ts'
import { createPostgresDocuments } from '../../store/postgres/documents/documents.ts'
import { createKeptText } from '../../store/postgres/documents/kept-text.ts'
import { createPostgresFrontier } from '../../store/postgres/frontier/frontier.ts'
import { createPartitionLeases, leasesChannel } from '../../store/postgres/leases/leases.ts'

/**
 * One shard of a worker, in a thread of its own, on the cluster's database. Its leases are held here too, so that they are renewed and
 * watched however busy the other threads are. It does what it is told over its port.
 */
export type PostgresShardData = {
  address: string
  settings: CrawlSettings
  node: string
  name: string
  index: number
  shards: number
  run: number
  looksBack: boolean
  seed: readonly [number, number]
  memory: CounterMemory
  epochs: EpochMemory
}

const data = workerData as PostgresShardData
const { settings, index, shards, run } = data
const { cluster, crawl } = settings.config
const port = parentPort!
const tell = (message: FromShard): void => port.postMessage(message)
const log = (level: 'debug' | 'info' | 'warn', message: string, fields = {}): void =>
  tell({ kind: 'log', level, message, fields })

const ADJUST_EVERY_MS = 10_000
const POLL_EVERY_MS = 2_000
const SHOW_EVERY_MS = 200
const LAST_RETRY_MS = 5_000
/** Connections beside those that write: one listens, one reads, one is for heartbeats alone. */
const OTHER_CONNECTIONS = 3
/** The next heartbeat is due after a third of the lease; one without an answer has been given up by then. */
const BEAT_WITHIN = 0.3

function tellFailure(error: unknown): void {
  const code = isAppError(error) ? error.code : 'internal'
  const text = error instanceof Error && !isAppError(error) ? error.stack : undefined
  tell({ kind: 'failed', code, message: text ?? (error instanceof Error ? error.message : String(error)) })
}

/**
 * Whatever may be done again is, until the database answers. When the shard is to stop, a second try is the last: what others can do
 * later is not waited for.
 */
function untilDone<T>(work: () => Promise<T>, isStopping = (): boolean => false): Promise<T> {
  return retry(work, {
    firstMs: 100,
    lastMs: LAST_RETRY_MS,
    shouldRetry: (error, attempt) => isTemporary(error) && !(attempt > 1 && isStopping()),
    onWait: (error) => setHealthError((error as Error).message),
  })
}

const counters = openSharedCounters(data.memory)
const stats = counters.shard(index)
let healthError: string | null = null

function setHealthError(reason: string | null): void {
  if ((reason === null) !== (healthError === null)) {
    if (reason === null) log('info', 'the database answers again')
    else log('warn', `the database can't be reached: ${reason}`)
  }
  if (reason !== null || healthError !== null) stats.set('paused', reason === null ? 0 : 1)
  healthError = reason
}

/** How far watches go, as far as it was told. */
function createScopeMemory(crawlScopes: ReturnType<typeof createPostgresCrawlScopes>) {
  const rounds = new Map<number, number>()
  let version = 0
  let reading: Promise<void> | null = null

  async function read(watches: Watches): Promise<void> {
    const results = await crawlScopes.since(version)
    version = results.version
    for (const { watch, round, crawlScope } of results.changes) {
      if (crawlScope === null) watches.remove(watch)
      else watches.set(crawlScope)
      rounds.set(watch, round)
    }
  }

  function look(watches: Watches): Promise<void> {
    reading ??= read(watches).finally(() => {
      reading = null
    })
    return reading
  }

  return {
    look,
    async learn({ watch, round }: Check, watches: Watches): Promise<void> {
      if ((rounds.get(watch) ?? -1) >= round) return
      // One that is under way may have begun before the reach was written.
      await reading
      if ((rounds.get(watch) ?? -1) < round) await look(watches)
    },
  }
}

async function open() {
  const name = `erace ${data.name} shard ${index}`.slice(0, 63)
  const shared = { address: data.address, name, manyShort: true }
  const pool = openPool({ ...shared, maxConnections: cluster.connections - 1 })
  const beats = openPool({ ...shared, maxConnections: 1, answerWithinMs: cluster.leaseMs * BEAT_WITHIN })
  const clock = await untilDone(() => createDatabaseClock(pool, systemClock))
  const events = createPostgresEvents({ pool })
  const epochs = openEpochs(data.epochs)
  /** Under which epochs this shard got its partitions last. */
  const known = new Map<number, number>()
  const crawlScopes = createScopeMemory(createPostgresCrawlScopes(pool))
  const results = createPostgresCheckResults(pool)
  const listener: LeaseListener = { granted, wanted, lost }
  const leases = createPartitionLeases({
    ...{ pool: beats, node: data.node, name: data.name, shard: index, clock: systemClock, listener },
    leaseMs: cluster.leaseMs,
    renewEveryMs: cluster.leaseMs / 3,
    onHealthError: (error) => setHealthError(error instanceof Error ? error.message : String(error)),
    onWell: () => setHealthError(null),
  })
  const store = createPostgresFrontier({ pool, events, run, maxUrlsPerHost: crawl.maxPagesPerHost, onLost: lost })
  const documents = createPostgresDocuments({ pool, epochOf: (partition) => leases.epochOf(partition) ?? 0 })
  const keptText = createKeptText(pool)
  const late = new Set<Promise<void>>()
  let isStopping = false
  const mayNotWait = (): boolean => isStopping || counters.isStopped()
  const parts = await assembleShard(settings, {
    ...{ index, shards, run, looksBack: data.looksBack, seed: data.seed, store, documents, counters, clock, log },
    keptText: (versionId, omit) => untilDone(() => keptText(versionId, omit), mayNotWait),
    // Those that come of a settled batch: how many are queued now, and what was given up.
    onResults(told) {
      const putting = untilDone(() => results.put(told)).finally(() => late.delete(putting))
      late.add(putting)
      putting.catch(tellFailure)
    },
    shared: {
      partitions: {
        add: (grants) => store.add(grants),
        drop: (partitions) => store.drop(partitions),
        partitionOf: partitionOfId,
        isHeld: (partition, epoch) => leases.epochOf(partition) === epoch,
      },
      parallel: Math.max(1, cluster.connections - OTHER_CONNECTIONS),
      learn: crawlScopes.learn,
      sendResults: (told) => untilDone(() => results.put(told), mayNotWait),
    },
  })
  const { shard, watches } = parts
  const workerLeases = shard.workerLeases!
  shard.failed.catch(tellFailure)

  function granted(grants: readonly PartitionGrant[]): void {
    for (const { partition, epoch } of grants) {
      known.set(partition, epoch)
      epochs.set(partition, epoch)
    }
    workerLeases.take(grants).catch(tellFailure)
  }

  /** Each goes as soon as it can; those that go together are released together. */
  function wanted(partitions: readonly number[]): void {
    for (const partition of partitions) {
      workerLeases.yield([partition]).then(() => releaseSoon(partition), tellFailure)
    }
  }

  let leaving: number[] = []
  function releaseSoon(partition: number): void {
    if (leaving.push(partition) > 1) return
    setImmediate(() => {
      const partitions = leaving
      leaving = []
      for (const each of partitions) forgetEpoch(each)
      // Should the database be away, they end by themselves.
      quietly(leases.release(partitions))
    })
  }

  function lost(partitions: readonly number[]): void {
    for (const partition of partitions) forgetEpoch(partition)
    workerLeases.lose(partitions)
  }

  function forgetEpoch(partition: number): void {
    const epoch = known.get(partition)
    if (epoch !== undefined) epochs.clear(partition, epoch)
  }

  function showTraffic(): void {
    const { statements, transactions, bytes } = pool.traffic()
    const beaten = beats.traffic()
    // Each is begun and committed by statements of its own.
    stats.set('statements', statements + 2 * transactions + beaten.statements)
    stats.set('sentBytes', bytes + beaten.bytes)
  }

  let isClosing = false
  /** What can be done again is, before long; all else is the end. Nobody waits for what is still under way when all closes. */
  const quietly = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) => {
      if (!isClosing && (!isAppError(error) || error.retry === 'never')) tellFailure(error)
    })
  let timers: NodeJS.Timeout[] = []
  return {
    ...parts,
    pool,
    async start() {
      await untilDone(() => crawlScopes.look(watches))
      await shard.start()
      await untilDone(leases.heartbeat)
      leases.start()
      events.listen(leasesChannel, () => quietly(leases.heartbeat()))
      events.listen(scopesChannel, () => quietly(crawlScopes.look(watches)))
      timers = [
        setInterval(() => quietly(clock.adjust()), ADJUST_EVERY_MS),
        setInterval(() => quietly(crawlScopes.look(watches)), POLL_EVERY_MS),
        setInterval(createBusyness(), SHOW_EVERY_MS),
        setInterval(showTraffic, SHOW_EVERY_MS),
      ]
    },
    drain(draining: boolean): void {
      leases.drain(draining)
      quietly(leases.heartbeat())
    },
    async stop() {
      isStopping = true
      await shard.stop()
      await Promise.race([Promise.allSettled(late), wait(LAST_RETRY_MS)])
      for (const timer of timers) clearInterval(timer)
      for (const partition of leases.held()) forgetEpoch(partition)
      // Should the database be away, the leases end by themselves.
      await leases.leave().catch((error: unknown) => log('warn', `leases were not handed over: ${String(error)}`))
    },
    async close() {
      isClosing = true
      await store.close()
      await events.close()
      await parts.fetcher.close()
      await Promise.all([pool.close(), beats.close()])
    },
  }
}

function createBusyness(): () => void {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    stats.set('busy', performance.eventLoopUtilization(now, before).utilization)
    before = now
  }
}

let opened: ReturnType<typeof open> | null = null

async function obey(order: ToShard): Promise<void> {
  opened ??= open()
  const shard = await opened
  switch (order.kind) {
    case 'start':
      await shard.start()
      return tell({ kind: 'done', id: order.id })
    case 'seed':
      await untilDone(() => shard.offerSeeds(order.urls))
      return tell({ kind: 'done', id: order.id })
    case 'drain':
      shard.drain(order.draining)
      return tell({ kind: 'done', id: order.id })
    case 'stop':
      await shard.stop()
      return tell({ kind: 'done', id: order.id, details: shard.crawlStats.details() })
    case 'close':
      await shard.close()
      tell({ kind: 'done', id: order.id })
      return port.close()
    default:
      throw new AppError('internal', `a shard of a cluster is not told to do "${order.kind}"`)
  }
}

port.on('message', (order: ToShard) => {
  obey(order).catch(tellFailure)
})
