import type { Clock } from '../../core/clock.ts'
import type { QueuedRequest } from '../../core/request.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import { endInFlight, type Leases, type PartitionLease } from '../frontier/partition-lease.ts'
import type { HostSignal } from '../frontier/politeness.ts'
import type { ShardStats, SharedCounters } from './shared-counters.ts'

const ADDRESS_WAIT_MS = 20
const THROTTLED_MS = 100
/** Retry delay while the page budget is spent: pages may be returned to it. */
const SPENT_MS = 200
/** Retry delay after a failed store lookup. */
const RETRY_LOOKUP_MS = 1_000

/** Limit of results that wait to be written, in addition to those being fetched. Null: a fetcher is busy until its result is written. */
export type UnwrittenLimit = { maxItems: number; maxBytes: number } | null

export type DispatcherDeps = {
  frontier: Frontier
  leases: Leases
  counters: SharedCounters
  stats: ShardStats
  clock: Clock
  fetchers: number
  perAddress: number
  unwritten: UnwrittenLimit
}

/** The work that the dispatcher drives. */
export type DispatcherWork = {
  run(hostQueue: HostQueue, request: QueuedRequest): void
  /** Total bytes of bodies not written yet. */
  unwrittenBytes(): number
}

/**
 * Takes requests from the frontier as long as hosts are ready and fetchers are free, and counts those in flight. A request is
 * - fetching, from its start until `fetched`;
 * - unwritten, until its result is committed or refused (`end`).
 * Instead of either it may be withdrawn: it is back in its queue as if it had never started.
 *
 * The dispatcher is stopped, running (`start`) or stopping (`stop`: starts nothing more). While running it dispatches whenever something
 * may have changed: a fetcher is free, a host is ready or comes due, or the throttle may be off.
 */
export type Dispatcher = ReturnType<typeof createDispatcher>

export function createDispatcher(deps: DispatcherDeps) {
  const { frontier, leases, counters, stats, clock } = deps
  const fingerprints = new Set<bigint>()
  let work: DispatcherWork | null = null
  let isStopping = false
  let isPaused = false
  let inFlight = 0
  let unwritten = 0
  let borrowed = 0
  let timer: NodeJS.Timeout | null = null
  let onIdle: (() => void) | null = null
  let isSoon = false

  function hasRoom({ unwrittenBytes }: DispatcherWork): boolean {
    const limit = deps.unwritten
    if (limit === null) return inFlight < deps.fetchers
    // Pages fetched while nothing can be written may have to be fetched again.
    if (isPaused) return false
    return inFlight - unwritten < deps.fetchers && unwritten < limit.maxItems && unwrittenBytes() < limit.maxBytes
  }

  function dispatch(): void {
    while (work !== null && hasRoom(work) && !counters.isStopped() && !counters.isThrottled()) {
      const taken = frontier.take()
      if (taken === null) break
      begin(work, taken.hostQueue, taken.request)
    }
    stats.set('inFlight', inFlight)
    if (inFlight === 0) onIdle?.()
    if (work !== null) sleepUntilDue()
  }

  function dispatchSoon(): void {
    if (isSoon) return
    isSoon = true
    setImmediate(() => {
      isSoon = false
      dispatch()
    })
  }

  function begin({ run }: DispatcherWork, hostQueue: HostQueue, request: QueuedRequest): void {
    const waitMs = obstacleMs(hostQueue, request)
    if (waitMs > 0) {
      putBack(hostQueue, request, waitMs)
      return
    }
    inFlight++
    hostQueue.lease.inFlight++
    fingerprints.add(request.fp)
    run(hostQueue, request)
  }

  /** How long the request has to wait; 0 if it may start, with a connection to its address and a page of the budget taken. */
  function obstacleMs({ lease, address }: HostQueue, { fp, check }: QueuedRequest): number {
    if (!leases.mayBegin(lease)) return RETRY_LOOKUP_MS
    if (fingerprints.has(fp) || (address !== '' && !takeAddress(address))) return ADDRESS_WAIT_MS
    if (check.watch > 0 || counters.takePage()) return 0
    returnAddress(address)
    return SPENT_MS
  }

  const takeAddress = (address: string): boolean => counters.takeAddress(address, deps.perAddress)

  function returnAddress(address: string): void {
    if (address !== '') counters.returnAddress(address)
  }

  /** Only pages of a crawl count against the budget, those of watches don't. */
  function returnPage({ check }: QueuedRequest): void {
    if (check.watch === 0) counters.returnPage()
  }

  function putBack(hostQueue: HostQueue, request: QueuedRequest, waitMs: number): void {
    hostQueue.nextAt = Math.max(hostQueue.nextAt, clock.monotonic() + waitMs)
    frontier.putBack(hostQueue, request)
  }

  function sleepUntilDue(): void {
    const due = frontier.nextDueAt()
    if (timer !== null) clearTimeout(timer)
    if (counters.isThrottled()) timer = setTimeout(dispatch, THROTTLED_MS)
    else timer = due === undefined ? null : setTimeout(dispatch, Math.max(1, due - clock.monotonic()))
  }

  /** Ends a request that was returned to its queue. */
  function withdraw(hostQueue: HostQueue, request: QueuedRequest): void {
    inFlight--
    fingerprints.delete(request.fp)
    returnPage(request)
    endInFlight(hostQueue.lease)
    dispatch()
  }

  frontier.onReady(dispatch)

  return {
    dispatch,
    dispatchSoon,
    returnAddress,
    returnPage,
    withdraw,
    /** Returns a request to its queue after a store lookup failed. */
    withdrawForLookup(hostQueue: HostQueue, request: QueuedRequest): void {
      putBack(hostQueue, request, RETRY_LOOKUP_MS)
      withdraw(hostQueue, request)
    },
    /**
     * Borrows a fetcher and a connection that no queued request needs; null if there are none. The returned function gives both back
     * and reports how the host answered. `stop` waits for neither.
     */
    borrow(hostQueue: HostQueue): ((signal: HostSignal) => void) | null {
      if (work === null || !hasRoom(work) || counters.isStopped() || counters.isThrottled()) return null
      if (inFlight - unwritten + borrowed >= deps.fetchers || !leases.mayBegin(hostQueue.lease)) return null
      const { address } = hostQueue
      if (address !== '' && !takeAddress(address)) return null
      if (!frontier.borrow(hostQueue)) {
        returnAddress(address)
        return null
      }
      borrowed++
      hostQueue.lease.inFlight++
      return (signal) => {
        borrowed--
        returnAddress(address)
        endInFlight(hostQueue.lease)
        if (isStopping) return
        frontier.giveBack(hostQueue, signal)
        dispatchSoon()
      }
    },
    /** The fetcher of a request is free; the result waits to be written. */
    fetched(): void {
      unwritten++
    },
    /** Allows the URL of the request to be taken again. */
    forget: ({ fp }: QueuedRequest): void => void fingerprints.delete(fp),
    /** Called when results of a lease were committed or refused. */
    end(requests: number, lease: PartitionLease): void {
      inFlight -= requests
      unwritten -= requests
      endInFlight(lease, requests)
    },
    /** Called when the store stops accepting writes, or accepts them again. */
    setPaused(paused: boolean): void {
      isPaused = paused
      if (!paused) dispatchSoon()
    },
    inFlight: (): number => inFlight,
    isStopping: (): boolean => isStopping || counters.isStopped(),
    start(given: DispatcherWork): void {
      work = given
    },
    stop(): void {
      work = null
      isStopping = true
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
    /** Resolves when nothing is in flight. Only one caller at a time. */
    idle(): Promise<void> {
      if (inFlight === 0) return Promise.resolve()
      return new Promise((resolve) => {
        onIdle = resolve
      })
    },
  }
}
