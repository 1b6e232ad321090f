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

/** Database calls that are retried until the database answers. */
export type StoreCalls = ReturnType<typeof createStoreCalls>

type CallOptions = { isStopping?(): boolean; mayTakeLong?: boolean }

export function createStoreCalls(retries: Retries) {
  return {
    /**
     * Retries until the database answers. While the shard is stopping, the second attempt is the last: other workers pick up what can't
     * be done now.
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

/** Crawl scopes of all watches; only changes are read from the store. */
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
    /** Ensures that the known scope of the watch is at least as new as the check. */
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
 * Stores check results for the scheduler. Results are summed per watch, so those sent with one batch may include requests of another
 * batch that isn't committed yet.
 */
export function createResultSender({ results, calls, isStopping, onFailed }: ResultSenderDeps) {
  /** Writes in progress. Failed ones stay in the set, so that nothing can be completed after them. */
  const unstored = new Set<Promise<void>>()

  function put(taken: readonly CheckResult[]): Promise<void> {
    const putting: Promise<void> = calls
      .untilDone('storing check results', () => results.put(taken), { isStopping })
      .then(() => void unstored.delete(putting))
    unstored.add(putting)
    return putting
  }

  return {
    /** Resolves when all results taken so far are stored, including those of other calls. Rejects if some can't be. */
    async send(taken: readonly CheckResult[]): Promise<void> {
      if (taken.length > 0) void put(taken)
      await Promise.all(unstored)
    },
    /** For results known only after a commit: the number of requests now queued, and those given up. */
    sendLate(taken: readonly CheckResult[]): void {
      // While the shard is stopping, the next worker repeats the requests that these belong to.
      put(taken).catch((error: unknown) => {
        if (!isTemporary(error) || !isStopping()) onFailed(error)
      })
    },
    /** Waits for late results, up to a time limit. */
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
 * - started: knows all watches, crawls, and asks for partitions with every heartbeat. While it runs, leases are granted, wanted by other
 *   workers and lost (`listener`); their epochs are visible to the other threads of the process;
 * - draining: hands over all partitions and takes none, until draining is switched off;
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
  /** Epoch of the latest grant, by partition. */
  const known = new Map<number, number>()
  let leaving: number[] = []
  let timers: NodeJS.Timeout[] = []
  let isClosing = false

  /** Releases all partitions of the same event-loop turn in one call. */
  function releaseSoon(partition: number): void {
    if (leaving.push(partition) > 1) return
    setImmediate(() => {
      const partitions = leaving
      leaving = []
      for (const each of partitions) forgetEpoch(each)
      // If the database is unreachable, the leases expire by themselves.
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

  /** For work that is repeated soon anyway, so only permanent errors count as failures. Leases track their own retries. */
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
    /** Hands over each partition as soon as possible, without waiting for the others. */
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
      // If the database is unreachable, the leases expire by themselves.
      await leases.leave().catch((error: unknown) => log('warn', `leases were not handed over: ${String(error)}`))
    },
    /** From now on, errors of work still in progress are ignored. */
    close(): void {
      isClosing = true
    },
  }
}
