import { isAppError } from '../../core/errors.ts'
import type { QueuedRequest } from '../../core/request.ts'
import { wait } from '../../core/retry.ts'
import { createFrontier } from '../frontier/frontier.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import { leaveHand, type PartitionLease } from '../frontier/partition-lease.ts'
import { createBatch, type Finished } from './batch.ts'
import { noteResult } from './check-results.ts'
import { createConclude } from './conclude.ts'
import { createHostFailures } from './host-failures.ts'
import { createWorkerLeases, type WorkerLeases } from './partition-leases.ts'
import type { ShardDeps, ShardSettings } from './shard-settings.ts'
import { createVisit, type VisitResult } from './visit.ts'

/**
 * A shard crawls the hosts of its partitions and shares nothing with the others but the board. It is
 * - running: takes requests as long as hosts are ready and fetchers free;
 * - stopping (`stop`): takes no more, waits for what is in hand, keeps it;
 * - stopped: everything it learnt is in the store.
 * A fetcher is busy from the moment a request is taken until its result is kept. So `fetchers` also bounds what a
 * killed process repeats. Where writing takes time but little of our own (`unkept`), results that wait to be kept have a limit of their own.
 *
 * Its partitions are its own for good, or come and go (`tenures`).
 */
export type Shard = {
  start(): Promise<void>
  stop(): Promise<void>
  /** Where partitions come and go. */
  readonly workerLeases: WorkerLeases | null
  /** Rejects when the store failed for good. */
  readonly failed: Promise<never>
}

/** Nobody wants it any more. */
const orphaned = { kind: 'dropped' } as const

const MAX_HOST_QUEUES = 4096
const ADDRESS_WAIT_MS = 20
/** Workers go by the clock of their database, which each of them knows to some milliseconds. */
const CLOCK_MARGIN_MS = 50
const HELD_MS = 100
/** As many pages were taken as there may be; some may be given back. */
const SPENT_MS = 200
/** What could not be looked up is asked for again after so long; whatever is the matter, others wait for it more patiently. */
const RETRY_LOOKUP_MS = 1_000

export function createShard(deps: ShardDeps, settings: ShardSettings): Shard {
  const { store, documents, counters, stats, crawlStats, clock, log } = deps
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => {}) // whoever asks for it sees it; until then it must not end the process
  const frontier = createFrontier({
    store,
    clock,
    rules: settings.rules,
    perHost: settings.perHost,
    bufferRows: settings.bufferRows,
    maxHostQueues: MAX_HOST_QUEUES,
    ...(deps.partitions === undefined
      ? {}
      : { leaseOf: (hostId) => workerLeases!.ofHost(hostId), clockMarginMs: CLOCK_MARGIN_MS }),
    onError: fail,
  })
  const crawlDelays = new Map<string, number>()
  const inHand = new Set<bigint>()
  const visit = createVisit({
    ...settings,
    ...deps,
    run: settings.reading.run,
    ...(deps.partitions === undefined ? {} : { mayBegin: (lease) => workerLeases!.mayBegin(lease) }),
    onCrawlDelay: (host, delayMs) => crawlDelays.set(host, delayMs),
  })
  const conclude = createConclude({
    documents: { ...documents, links: (known) => batch.persist(() => documents.links(known)) },
    pipe: deps.pipe,
    stats,
    crawlStats,
    clock,
    log,
    settings,
  })
  const batch = createBatch({
    documents,
    frontier,
    store,
    ...settings.keeping,
    maxBytes: 4 << 20,
    onOffered: deps.pipe.offered,
    onOutcome(finished, outcome) {
      if (outcome?.kind === 'stored') stats.add('stored')
      else if (outcome?.kind === 'duplicate') stats.add('duplicates')
      else if (outcome?.kind === 'unchanged') stats.add(outcome.duplicate ? 'duplicates' : 'unchanged')
      else if (outcome?.kind === 'incomplete') stats.add('failed')
      if (finished.request.check.watch > 0 && !finished.again) noteResult(deps.watches, finished, outcome)
      inHand.delete(finished.request.fp)
    },
    onKept(count, { removed, limited, watches }, lease) {
      held -= count
      unkept -= count
      leaveHand(lease, count)
      stats.add('skipped.limit', limited)
      addOutstanding(-removed)
      deps.watches.addQueued(watches)
      deps.onResults()
      showCounts()
      pump()
    },
    ...(deps.sendResults === undefined ? {} : { beforeCommit: deps.sendResults }),
    ...(deps.partitions === undefined ? {} : { onRefused: refuse }),
    onPause(reason) {
      stats.set('paused', reason === null ? 0 : 1)
      if (reason === pausedBy) return
      pausedBy = reason
      if (reason === null) log('info', 'the store takes writes again, the crawl goes on')
      else log('warn', `the crawl waits: ${reason}`)
      if (reason === null) pumpSoon()
    },
    onError: fail,
    wait,
    isStopping: () => counters.isStopped() || isStopping,
  })
  const workerLeases =
    deps.partitions === undefined
      ? null
      : createWorkerLeases({
          partitions: deps.partitions,
          frontier,
          batch,
          wait,
          onError: fail,
          onChange() {
            showCounts()
            pump()
          },
        })
  const healthError = createHostFailures({
    ...deps,
    frontier,
    batch,
    mayLose: workerLeases !== null,
    onDropped(requests) {
      addOutstanding(-requests)
      showCounts()
    },
  })
  const answered: (() => void)[] = []
  let held = 0
  /** Those of them whose result waits to be kept. */
  let unkept = 0
  let isStopping = false
  let pausedBy: string | null = null
  let running = false
  let timer: NodeJS.Timeout | null = null
  let idle: (() => void) | null = null

  /** Answers that came together are read together, one after the other: the code that reads stays in the processor's caches. */
  function inTurn(): Promise<void> {
    return new Promise((resolve) => {
      if (answered.push(resolve) === 1) setImmediate(readAnswered)
    })
  }

  function readAnswered(): void {
    for (const resume of answered.splice(0)) resume()
  }

  let pumping = false
  function pumpSoon(): void {
    if (pumping) return
    pumping = true
    setImmediate(() => {
      pumping = false
      pump()
    })
  }

  function hasRoom(): boolean {
    const limit = settings.keeping.unkept
    if (limit === null) return held < settings.fetchers
    // What is fetched while nothing can be written may have to be fetched again.
    if (pausedBy !== null) return false
    return held - unkept < settings.fetchers && unkept < limit.maxItems && batch.bytes() < limit.maxBytes
  }

  function pump(): void {
    while (running && hasRoom() && !counters.isStopped() && !counters.isHeld()) {
      const taken = frontier.take()
      if (taken === null) break
      begin(taken.hostQueue, taken.request)
    }
    stats.set('inFlight', held)
    if (held === 0) idle?.()
    if (running) sleepUntilDue()
  }

  function begin(hostQueue: HostQueue, request: QueuedRequest): void {
    const waitMs = obstacleMs(hostQueue, request)
    if (waitMs > 0) {
      putBack(hostQueue, request, waitMs)
      return
    }
    held++
    hostQueue.lease.inHand++
    inHand.add(request.fp)
    run(hostQueue, request, hostQueue.address).catch(fail)
  }

  /** How long the request has to wait; 0 when it may be begun, with a place at its address and a page of the budget taken. */
  function obstacleMs({ lease, address }: HostQueue, { fp, check }: QueuedRequest): number {
    if (workerLeases !== null && !workerLeases.mayBegin(lease)) return RETRY_LOOKUP_MS
    if (inHand.has(fp) || (address !== '' && !counters.takeAddress(address, settings.perAddress)))
      return ADDRESS_WAIT_MS
    if (check.watch > 0 || counters.takePage()) return 0
    if (address !== '') counters.returnAddress(address)
    return SPENT_MS
  }

  /** The pages of a crawl are numbered; those of watches are not. */
  function returnPage({ check }: QueuedRequest): void {
    if (check.watch === 0) counters.returnPage()
  }

  function putBack(hostQueue: HostQueue, request: QueuedRequest, waitMs: number): void {
    hostQueue.nextAt = Math.max(hostQueue.nextAt, clock.monotonic() + waitMs)
    frontier.putBack(hostQueue, request)
  }

  /** The request was begun, and is as if it had not been. */
  function withdraw(hostQueue: HostQueue, request: QueuedRequest): void {
    held--
    inHand.delete(request.fp)
    returnPage(request)
    leaveHand(hostQueue.lease)
    pump()
  }

  /** Results that came too late. Their requests are still queued. */
  function refuse(items: readonly Pick<Finished, 'hostQueue' | 'request'>[], lease: PartitionLease): void {
    stats.add('refused', items.length)
    held -= items.length
    unkept -= items.length
    for (const { hostQueue, request } of items) {
      inHand.delete(request.fp)
      frontier.settled(hostQueue, 1)
    }
    leaveHand(lease, items.length)
    pump()
  }

  async function visitFor(
    { check }: QueuedRequest,
    look: () => Promise<VisitResult>,
  ): Promise<VisitResult | typeof orphaned> {
    if (check.watch === 0) return look()
    if (deps.learn !== undefined) await deps.learn(check)
    return deps.watches.has(check.watch) ? look() : orphaned
  }

  /** Null where the store could not be asked until the end: the request is still queued, and others fetch it. */
  async function concludeOrRefuse(
    hostQueue: HostQueue,
    request: QueuedRequest,
    result: Parameters<typeof conclude>[1],
  ) {
    try {
      return await conclude(request, result)
    } catch (error) {
      if (workerLeases === null || !isAppError(error) || error.retry === 'never') throw error
      unkept++
      refuse([{ hostQueue, request }], hostQueue.lease)
      return null
    }
  }

  async function run(hostQueue: HostQueue, request: QueuedRequest, known: string): Promise<void> {
    // The first request of a host counts against its address too, and then nothing of its address is known yet.
    const address = known === '' ? await deps.addressOf(request.url) : known
    hostQueue.address = address
    if (address !== known && !counters.takeAddress(address, settings.perAddress)) {
      putBack(hostQueue, request, ADDRESS_WAIT_MS)
      return withdraw(hostQueue, request)
    }
    let result: VisitResult | typeof orphaned
    try {
      result = await visitFor(request, () => visit(request, hostQueue))
    } catch (error) {
      if (!isAppError(error) || error.retry === 'never') throw error
      // The store can't be asked now: nothing was done.
      if (address !== '') counters.returnAddress(address)
      putBack(hostQueue, request, RETRY_LOOKUP_MS)
      return withdraw(hostQueue, request)
    }
    if (address !== '') counters.returnAddress(address)
    hostQueue.crawlDelayMs = crawlDelays.get(hostQueue.host) ?? hostQueue.crawlDelayMs
    crawlDelays.delete(hostQueue.host)
    if ('response' in result) hostQueue.address = result.response.address
    if (result.kind === 'postponed') {
      hostQueue.nextAt = Math.max(hostQueue.nextAt, result.until ?? 0)
      frontier.postpone(hostQueue, request, result.signal)
      return withdraw(hostQueue, request)
    }
    const signal = 'signal' in result ? result.signal : ({ kind: 'untouched' } as const)
    if (signal.kind !== 'untouched') crawlStats.hostTime(hostQueue.host, signal.totalMs)
    const verdict = frontier.release(hostQueue, signal)
    // The host goes on with its next request while this one is read.
    pumpSoon()
    if (!('response' in result) && !('status' in result && result.status > 0)) returnPage(request)
    await inTurn()
    const concluded = await concludeOrRefuse(hostQueue, request, result)
    if (concluded === null) return
    const { capture, offers, again: wanted, skipped, failure } = concluded
    // A host that was given up, for this request or another, is not asked again.
    const again = wanted && verdict !== 'given-up' && !healthError.isGivenUp(hostQueue)
    if (wanted && !again) healthError.countLost(hostQueue.host, 1)
    unkept++
    if (verdict !== 'goes-on') hostQueue.lease.inHand++
    batch.add({
      hostQueue,
      request: again ? { ...request, attempts: request.attempts + 1 } : request,
      capture,
      offers,
      again,
      skipped,
      failure,
    } satisfies Finished)
    if (verdict === 'goes-on') return
    await healthError.note(hostQueue, verdict, request, failure)
    leaveHand(hostQueue.lease)
  }

  /** Of a frontier that others share there is no count to be had here. */
  function addOutstanding(requests: number): void {
    if (workerLeases === null) counters.addOutstanding(requests)
  }

  function showCounts(): void {
    const { queued, seen } = store.counts()
    stats.set('queued', queued)
    stats.set('seen', seen)
    const { active, resting } = frontier.counts()
    stats.set('activeHosts', active)
    stats.set('restingHosts', resting)
  }

  function sleepUntilDue(): void {
    const due = frontier.nextDueAt()
    if (timer !== null) clearTimeout(timer)
    if (counters.isHeld()) timer = setTimeout(pump, HELD_MS)
    else timer = due === undefined ? null : setTimeout(pump, Math.max(1, due - clock.monotonic()))
  }

  store.onArrival((arrivals) => {
    // Before the pages that these links stand on are taken off: the board must never show zero in between.
    for (const { rows } of arrivals) addOutstanding(rows.length)
    frontier.arrive(arrivals)
  })
  frontier.onReady(pump)

  return {
    failed,
    workerLeases,
    async start() {
      addOutstanding(store.counts().queued)
      showCounts()
      running = true
      await frontier.wake()
      pump()
    },
    async stop() {
      running = false
      isStopping = true
      if (timer !== null) clearTimeout(timer)
      timer = null
      while (held > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        idle = resolve
        await Promise.race([batch.flush(), failed])
        if (held > 0) await Promise.race([promise, failed])
      }
      idle = null
      await batch.flush()
      await workerLeases?.yieldAll()
      showCounts()
    },
  }
}
