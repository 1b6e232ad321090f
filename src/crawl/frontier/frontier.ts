import type { Clock } from '../../core/clock.ts'
import type { QueuedRequest } from '../../core/request.ts'
import { createBackoff, isTemporary, type Wait, wait as waitFor } from '../../core/retry.ts'
import type { Arrival, FrontierStore, HostClock, HostState } from '../../store/contracts/frontier.ts'
import {
  addArrivals,
  addLoaded,
  createHostQueue,
  cutBack,
  giveUpLoad,
  type HostQueue,
  isIdle,
  putBackInOrder,
} from './host-queue.ts'
import { createPermanentLease, type PartitionLease } from './partition-lease.ts'
import { type HostSignal, noteSignal, type PolitenessRules, pauseMs } from './politeness.ts'
import { createTimeHeap } from './time-heap.ts'

/**
 * Mercator's frontier: a FIFO per host, hosts take turns, and none is asked before its time. It decides what is fetched
 * next; what was seen and what is queued is the store's. In memory are at most `maxHostQueues` hosts with the heads of
 * their queues, however many hosts and URLs there are; hosts beyond that stay on disk until there is room.
 *
 * A request is taken (`take`), comes back with what it told about the host (`release`), and is forgotten once the store
 * has settled it (`settled`). Between the last two it counts as unsettled: the host may go on, the request may not come twice.
 *
 * Where partitions come and go, a lane belongs to the tenure under which it was opened. When that ends (`leave`) the lane is closed: nothing
 * more is taken from it, and what is out comes back to a lane that does nothing.
 */
export type Frontier = {
  take(): { hostQueue: HostQueue; request: QueuedRequest } | null
  release(hostQueue: HostQueue, signal: HostSignal): 'goes-on' | 'rests' | 'given-up'
  /** Hands a taken request back to the head of its queue, untouched. */
  putBack(hostQueue: HostQueue, request: QueuedRequest): void
  /** Hands it back after its host was asked for something else first. */
  postpone(hostQueue: HostQueue, request: QueuedRequest, signal: HostSignal): void
  settled(hostQueue: HostQueue, requests: number): void
  /** Takes in rows that the store has queued. */
  arrive(arrivals: readonly Arrival[]): void
  /** Clocks that moved since the last call, of the hosts of one tenure where there are several. */
  changedClocks(lease?: PartitionLease): HostClock[]
  /** Closes all lanes of tenures that end. */
  leave(workerLeases: ReadonlySet<PartitionLease>): void
  /** Hosts may have come to the store without having arrived: looks for them. */
  look(): void
  /** Empties the lane of a host that was given up. */
  drop(hostQueue: HostQueue): void
  /** Monotonic time at which a waiting host comes due. */
  nextDueAt(): number | undefined
  /** Fills up from disk; called at start and whenever there may be room. */
  wake(): Promise<void>
  counts(): { active: number; waiting: number; resting: number }
  /** Called when something became ready outside of `take` and `release`. */
  onReady(listener: () => void): void
}

export type FrontierOptions = {
  store: FrontierStore
  clock: Clock
  rules: PolitenessRules
  perHost: number
  /** Rows kept in memory over all hosts. */
  bufferRows: number
  maxHostQueues: number
  /** Under which tenure a host may be crawled now; null for none. Left out where all hosts of the store are the shard's own. */
  leaseOf?(hostId: number): PartitionLease | null
  /** By how much the clocks of those who keep the times of hosts may differ; not at all unless told. */
  clockMarginMs?: number
  /** The store can't be read, now or ever: nothing is lost, but lanes stand still. */
  onError(error: unknown): void
  /** Waits before a read is tried again. */
  wait?: Wait
}

const MIN_ROWS = 4
const MAX_ROWS = 256
/** So many times its share may a lane hold, since what goes before the end of its buffer can't be left on disk. */
const OVERFLOW = 4

export function createFrontier({
  store,
  clock,
  rules,
  perHost,
  bufferRows,
  maxHostQueues,
  leaseOf,
  clockMarginMs = 0,
  onError,
  wait = waitFor,
}: FrontierOptions): Frontier {
  const own = createPermanentLease()
  const hostQueues = new Map<number, HostQueue>()
  const ring: HostQueue[] = []
  let ringHead = 0
  const heap = createTimeHeap<HostQueue>()
  /** Monotonic: when the first host of each was opened, and nobody else asked them any more. */
  const begins = new WeakMap<PartitionLease, number>()
  const moved = new Map<PartitionLease, Set<HostQueue>>([[own, new Set()]])
  /** Whether the store may hold hosts with work that are not in memory. */
  let dormant = true
  let waking = false
  /** Lanes closed while the store is asked for hosts: what it then says of them is out of date. */
  const closedMeanwhile = new Set<number>()
  let ready: () => void = () => {}
  const backoff = createBackoff({ firstMs: 100, lastMs: 5_000 })

  const capacity = (): number =>
    Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(bufferRows / Math.max(1, hostQueues.size))))

  function beginOf(lease: PartitionLease): number {
    const begin = begins.get(lease) ?? clock.monotonic()
    begins.set(lease, begin)
    return begin
  }

  /** Null where the host is none of ours (any more). */
  function open(state: HostState): HostQueue | null {
    const lease = leaseOf === undefined ? own : leaseOf(state.id)
    if (lease === null) return null
    // The kept clock is wall time: believed only as far as a rest can be long, in case that clock jumped.
    const waitMs = Math.max(0, Math.min(state.nextAt + clockMarginMs - clock.now(), rules.restMaxMs))
    // Whoever was killed may have had a request on its way to this host. What its robots.txt asks for is known later.
    const askedBefore = store.recoveredOf(state.id) ? beginOf(lease) : Number.NEGATIVE_INFINITY
    const nextAt = Math.max(clock.monotonic() + waitMs, askedBefore + rules.delayMs)
    const hostQueue = createHostQueue(state, nextAt, lease, askedBefore)
    hostQueues.set(state.id, hostQueue)
    return hostQueue
  }

  /** Puts a parked lane where it belongs now. */
  function place(hostQueue: HostQueue): void {
    if (hostQueue.place !== 'parked') return
    if (hostQueue.buffer.length > OVERFLOW * capacity()) {
      if (hostQueue.loading || hostQueue.inFlight > 0 || hostQueue.unsettled > 0) return // what is out comes home first
      cutBack(hostQueue, capacity())
    }
    if (hostQueue.buffer.length <= capacity() / 4 && hostQueue.more) load(hostQueue)
    if (hostQueue.buffer.length === 0) {
      if (isIdle(hostQueue)) close(hostQueue)
      return
    }
    if (hostQueue.inFlight >= perHost) return
    if (hostQueue.nextAt > clock.monotonic()) {
      hostQueue.place = 'waiting'
      heap.push(hostQueue, hostQueue.nextAt)
    } else {
      hostQueue.place = 'ready'
      ring.push(hostQueue)
    }
  }

  function close(hostQueue: HostQueue): void {
    hostQueue.place = 'closed'
    hostQueues.delete(hostQueue.id)
    if (waking) closedMeanwhile.add(hostQueue.id)
    if (dormant && hostQueues.size < maxHostQueues * 0.75) void wake()
  }

  function load(hostQueue: HostQueue): void {
    if (hostQueue.loading) return
    hostQueue.loading = true
    const asked = capacity()
    store.next(hostQueue.id, hostQueue.position, asked).then(
      (rows) => {
        // A lane that was emptied meanwhile expects no more.
        if (hostQueue.more) addLoaded(hostQueue, rows, asked)
        else giveUpLoad(hostQueue)
        backoff.reset()
        place(hostQueue)
        ready()
      },
      (error: unknown) => {
        // It counts as loading until it is tried again.
        tryAgain(error, () => {
          giveUpLoad(hostQueue)
          place(hostQueue)
          ready()
        })
      },
    )
  }

  function tryAgain(error: unknown, work: () => void): void {
    if (isTemporary(error)) wait(backoff.nextMs()).then(work, onError)
    else onError(error)
  }

  async function wake(): Promise<void> {
    if (waking || !dormant) return
    waking = true
    try {
      while (dormant && hostQueues.size < maxHostQueues) if (!(await fillHostQueues())) break
      backoff.reset()
    } catch (error) {
      dormant = true
      tryAgain(error, () => void wake())
    } finally {
      waking = false
    }
    ready()
  }

  /** False when the store has nothing but hosts that are about to be handed over: they are not asked for again at once. */
  async function fillHostQueues(): Promise<boolean> {
    const room = maxHostQueues - hostQueues.size
    dormant = false // and true again when a host is turned away while the store is asked
    closedMeanwhile.clear()
    const found = await store.hosts(room, new Set(hostQueues.keys()))
    if (found.length >= room) dormant = true
    const opened: HostQueue[] = []
    let strangers = 0
    for (const state of found) {
      if (closedMeanwhile.has(state.id)) dormant = true
      else if (!hostQueues.has(state.id)) {
        const hostQueue = open(state)
        if (hostQueue !== null) opened.push(hostQueue)
        else strangers++
      }
    }
    // Placed when all are there: how much of its queue each may load depends on how many they are.
    for (const hostQueue of opened) place(hostQueue)
    return strangers === 0 || strangers < found.length
  }

  function arrive(arrivals: readonly Arrival[]): void {
    for (const { state, rows } of arrivals) {
      let hostQueue = hostQueues.get(state.id) ?? null
      if (hostQueue === null) {
        if (hostQueues.size >= maxHostQueues) {
          dormant = true
          continue
        }
        hostQueue = open(state)
        if (hostQueue === null) continue
        // The host had nothing queued before: then these rows are all there is.
        hostQueue.more = state.queued > rows.length
      }
      addArrivals(hostQueue, rows, capacity())
      place(hostQueue)
    }
    ready()
  }

  function empty(hostQueue: HostQueue): void {
    hostQueue.buffer = []
    hostQueue.more = false
  }

  function move(hostQueue: HostQueue): void {
    const known = moved.get(hostQueue.lease)
    if (known !== undefined) known.add(hostQueue)
    else if (hostQueue.lease.state !== 'over') moved.set(hostQueue.lease, new Set([hostQueue]))
  }

  function nextReady(): HostQueue | undefined {
    const now = clock.monotonic()
    for (let due = heap.popDue(now); due !== undefined; due = heap.popDue(now)) {
      if (due.place !== 'waiting') continue
      due.place = 'parked'
      place(due)
    }
    while (ringHead < ring.length) {
      const hostQueue = ring[ringHead++]!
      if (ringHead > 1024 && ringHead * 2 > ring.length) {
        ring.splice(0, ringHead)
        ringHead = 0
      }
      if (hostQueue.place !== 'ready') continue
      // Another request of the same host may have come back meanwhile and moved its clock. `place` looks at the time
      // of this very moment, and so must this: with an older one the two would disagree for ever.
      if (hostQueue.buffer.length > 0 && hostQueue.nextAt <= clock.monotonic()) return hostQueue
      hostQueue.place = 'parked'
      place(hostQueue)
    }
    ring.length = 0
    ringHead = 0
    return undefined
  }

  return {
    take() {
      const hostQueue = nextReady()
      if (hostQueue === undefined) return null
      hostQueue.place = 'parked'
      const request = hostQueue.buffer.shift()!
      hostQueue.inFlight++
      if (perHost > 1) hostQueue.nextAt = Math.max(hostQueue.nextAt, clock.monotonic() + pauseMs(hostQueue, rules))
      place(hostQueue)
      return { hostQueue, request }
    },
    release(hostQueue, signal) {
      hostQueue.inFlight--
      hostQueue.unsettled++
      const verdict = noteSignal(hostQueue, signal, clock.monotonic(), rules)
      if (signal.kind !== 'untouched') move(hostQueue)
      if (verdict === 'given-up') empty(hostQueue)
      place(hostQueue)
      return verdict
    },
    putBack(hostQueue, request) {
      hostQueue.inFlight--
      putBackInOrder(hostQueue, request)
      place(hostQueue)
    },
    postpone(hostQueue, request, signal) {
      hostQueue.inFlight--
      putBackInOrder(hostQueue, request)
      noteSignal(hostQueue, signal, clock.monotonic(), rules)
      move(hostQueue)
      place(hostQueue)
    },
    arrive,
    settled(hostQueue, requests) {
      hostQueue.unsettled -= requests
      place(hostQueue)
    },
    changedClocks(lease = own) {
      const changed: HostClock[] = []
      for (const hostQueue of moved.get(lease) ?? []) {
        const nextAt = clock.now() + Math.max(0, hostQueue.nextAt - clock.monotonic())
        changed.push({ id: hostQueue.id, nextAt, failures: hostQueue.failures, rests: hostQueue.rests })
      }
      if (lease === own) moved.get(own)!.clear()
      else moved.delete(lease)
      return changed
    },
    leave(workerLeases) {
      for (const hostQueue of hostQueues.values()) {
        if (!workerLeases.has(hostQueue.lease)) continue
        hostQueue.place = 'closed'
        empty(hostQueue)
        hostQueues.delete(hostQueue.id)
        if (waking) closedMeanwhile.add(hostQueue.id)
      }
      for (const lease of workerLeases) if (lease.state === 'over') moved.delete(lease)
      if (dormant) void wake()
    },
    look() {
      dormant = true
      void wake()
    },
    drop(hostQueue) {
      empty(hostQueue)
      place(hostQueue)
    },
    nextDueAt: () => heap.nextDueAt(),
    wake,
    counts() {
      let resting = 0
      for (const hostQueue of hostQueues.values()) if (hostQueue.rests > 0) resting++
      return { active: hostQueues.size, waiting: heap.size(), resting }
    },
    onReady(listener) {
      ready = listener
    },
  }
}
