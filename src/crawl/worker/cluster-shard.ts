import type { CheckResult } from '../../core/check-order.ts'
import type { Check } from '../../core/request.ts'
import { withinLimit } from '../../core/work/race.ts'
import type { Retries, Track } from '../../core/work/retries.ts'
import { isTemporary, retry, wait } from '../../core/work/retry.ts'
import type { CrawlScopeStore } from '../../store/contracts/cluster/crawl-scopes.ts'
import type { CheckResultStore, ClusterEvents } from '../../store/contracts/cluster/events.ts'
import type { HeldEpochs } from '../../store/contracts/cluster/held-epochs.ts'
import type { LeaseListener, PartitionLeases } from '../../store/contracts/cluster/partition-leases.ts'
import type { AssembledShard } from './assemble.ts'
import { createLeaseTransfer, type LeaseTable, type PartitionStore } from './lease-transfer.ts'
import type { Watches } from './results/check-results.ts'
import type { ShardDeps } from './shard.ts'

const RETRY = { firstMs: 100, lastMs: 5_000 }
const POLL_EVERY_MS = 2_000
const ADJUST_EVERY_MS = 10_000

/** Calls of the database that are retried until it answers. */
export type StoreCalls = ReturnType<typeof createStoreCalls>

type CallOptions = { isStopping?(): boolean; mayTakeLong?: boolean }

export function createStoreCalls(retries: Retries) {
  return {
    /**
     * Retries until the database answers. When the shard is to stop, the second attempt is the last: other workers do later what can't be
     * done now.
     */
    untilDone<T>(what: string, work: () => Promise<T>, options: CallOptions = {}): Promise<T> {
      const { isStopping = () => false, mayTakeLong = false } = options
      return retry(work, {
        ...{ ...RETRY, mayTakeLong },
        track: retries.track(what),
        shouldRetry: (error, attempt) => isTemporary(error) && !(attempt > 1 && isStopping()),
      })
    },
  }
}

/** The crawl scopes of all watches, read from the store as far as they have changed. */
export type ScopeMemory = ReturnType<typeof createScopeMemory>

export function createScopeMemory(crawlScopes: Pick<CrawlScopeStore, 'since'>) {
  const rounds = new Map<number, number>()
  let version = 0
  let reading: Promise<void> | null = null

  async function readChanges(watches: Watches): Promise<void> {
    const results = await crawlScopes.since(version)
    version = results.version
    for (const { watch, round, crawlScope } of results.changes) {
      if (crawlScope === null) watches.remove(watch)
      else watches.set(crawlScope)
      rounds.set(watch, round)
    }
  }

  function read(watches: Watches): Promise<void> {
    reading ??= readChanges(watches).finally(() => {
      reading = null
    })
    return reading
  }

  return {
    read,
    /** Makes sure that the watch is known as it was when the check began. */
    async learn({ watch, round }: Check, watches: Watches): Promise<void> {
      if ((rounds.get(watch) ?? -1) >= round) return
      // A read in progress may have begun before the scope was written.
      await reading
      if ((rounds.get(watch) ?? -1) < round) await read(watches)
    },
  }
}

export type ResultSenderDeps = {
  results: Pick<CheckResultStore, 'put'>
  calls: StoreCalls
  isStopping(): boolean
  onFailed(error: unknown): void
}

/**
 * Stores check results for the scheduler. Results are summed up for each watch, so what leaves with one batch may belong to requests of
 * another that isn't committed yet.
 */
export function createResultSender({ results, calls, isStopping, onFailed }: ResultSenderDeps) {
  /** What could not be stored stays: nothing may be completed after that. */
  const unstored = new Set<Promise<void>>()

  function put(taken: readonly CheckResult[]): Promise<void> {
    const putting: Promise<void> = calls
      .untilDone('storing check results', () => results.put(taken), { isStopping })
      .then(() => void unstored.delete(putting))
    unstored.add(putting)
    return putting
  }

  return {
    /** Resolves when all results that were taken until now are stored, whoever sent them. Rejects if some can't be. */
    async send(taken: readonly CheckResult[]): Promise<void> {
      if (taken.length > 0) void put(taken)
      await Promise.all(unstored)
    },
    /** For results of a committed batch: the number of requests that are queued now, and what was given up. */
    sendLate(taken: readonly CheckResult[]): void {
      // While the shard stops, the next worker repeats the requests that these belong to.
      put(taken).catch((error: unknown) => {
        if (!isTemporary(error) || !isStopping()) onFailed(error)
      })
    },
    /** Waits for late results, but not for ever. */
    flush: (): Promise<void> =>
      withinLimit(
        Promise.allSettled(unstored).then(() => {}),
        RETRY.lastMs,
        () => {},
      ),
  }
}

export type ClusterShardDeps = {
  parts: Pick<AssembledShard, 'shard' | 'watches'>
  leases: PartitionLeases
  table: LeaseTable
  partitions: PartitionStore
  epochs: HeldEpochs
  scopes: ScopeMemory
  sender: Pick<ReturnType<typeof createResultSender>, 'flush'>
  events: Pick<ClusterEvents, 'listen'>
  channels: { leases: string; scopes: string }
  /** Compares our clock with the database's. */
  adjustClock(): Promise<void>
  calls: StoreCalls
  retries: Retries
  log: ShardDeps['log']
  onFailed(error: unknown): void
}

/**
 * A shard that shares its hosts with other workers. It is
 * - started: knows all watches, crawls, and asks for partitions with every heartbeat. Which ones it holds is up to its leases: they are
 *   granted, wanted by others and lost while it runs (`listener`), and their epochs shown to the other threads of the process;
 * - draining: hands over everything and takes nothing, until it is called back;
 * - stopped: everything is committed, all partitions are handed over.
 */
export function createClusterShard(deps: ClusterShardDeps) {
  const { leases, epochs, scopes, calls, retries, log, onFailed } = deps
  const { shard, watches } = deps.parts
  const transfer = createLeaseTransfer({
    ...{ table: deps.table, partitions: deps.partitions, frontier: shard.frontier, batch: shard.batch, wait, retries },
    onError: onFailed,
    onChange: shard.leasesChanged,
  })
  /** The epochs under which this shard got its partitions last. */
  const known = new Map<number, number>()
  let leaving: number[] = []
  let timers: NodeJS.Timeout[] = []
  let isClosing = false

  /** Partitions that leave together are released together. */
  function releaseSoon(partition: number): void {
    if (leaving.push(partition) > 1) return
    setImmediate(() => {
      const partitions = leaving
      leaving = []
      for (const each of partitions) forgetEpoch(each)
      // While the database is away, the leases end by themselves.
      inBackground(leases.release(partitions))
    })
  }

  function forgetEpoch(partition: number): void {
    const epoch = known.get(partition)
    if (epoch !== undefined) epochs.clear(partition, epoch)
  }

  const tracks = {
    scopes: retries.track('reading crawl scopes'),
    clock: retries.track('comparing clocks'),
  }

  /** For work that is repeated before long; leases report their own. Only an error that no repetition can help is a failure. */
  function inBackground(work: Promise<unknown>, track?: Track): void {
    work.then(track?.done, (error: unknown) => {
      if (isClosing) return
      if (isTemporary(error)) track?.failed(error)
      else onFailed(error)
    })
  }

  const listener: LeaseListener = {
    granted(grants) {
      for (const { partition, epoch } of grants) {
        known.set(partition, epoch)
        epochs.set(partition, epoch)
      }
      transfer.take(grants).catch(onFailed)
    },
    /** Each is handed over as soon as it can be. */
    wanted(partitions) {
      for (const partition of partitions) transfer.yield([partition]).then(() => releaseSoon(partition), onFailed)
    },
    lost(partitions) {
      for (const partition of partitions) forgetEpoch(partition)
      transfer.lose(partitions)
    },
  }

  return {
    listener,
    async start(): Promise<void> {
      await calls.untilDone('reading crawl scopes', () => scopes.read(watches))
      await shard.start()
      await calls.untilDone('renewing leases', leases.heartbeat)
      leases.start()
      deps.events.listen(deps.channels.leases, () => inBackground(leases.heartbeat()))
      deps.events.listen(deps.channels.scopes, () => inBackground(scopes.read(watches), tracks.scopes))
      timers = [
        setInterval(() => inBackground(deps.adjustClock(), tracks.clock), ADJUST_EVERY_MS),
        setInterval(() => inBackground(scopes.read(watches), tracks.scopes), POLL_EVERY_MS),
      ]
    },
    drain(draining: boolean): void {
      leases.drain(draining)
      inBackground(leases.heartbeat())
    },
    async stop(): Promise<void> {
      await shard.stop()
      await transfer.yieldAll()
      await deps.sender.flush()
      for (const timer of timers) clearInterval(timer)
      for (const partition of leases.held()) forgetEpoch(partition)
      // While the database is away, the leases end by themselves.
      await leases.leave().catch((error: unknown) => log('warn', `leases were not handed over: ${String(error)}`))
    },
    /** Errors of work that is still in progress do not matter any more. */
    close(): void {
      isClosing = true
    },
  }
}
