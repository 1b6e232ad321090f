import type { Clock } from '../../core/clock.ts'
import type { QueuedRequest } from '../../core/request.ts'
import type { Track } from '../../core/work/retries.ts'
import { createBackoff, isTemporary, type Wait, wait as waitFor } from '../../core/work/retry.ts'
import type { Arrival, FrontierStore, HostClock, HostState } from '../../store/contracts/frontier.ts'
import type { Mapping } from '../mapping/mapping.ts'
import {
  addArrivals,
  addLoaded,
  createHostQueue,
  cutBack,
  forgetTaken,
  giveUpLoad,
  type HostQueue,
  isIdle,
  moveInOrder,
  putBackInOrder,
  replaceHead,
} from './host-queue.ts'
import { createHostTurns } from './host-turns.ts'
import type { Leases, PartitionLease } from './partition-lease.ts'
import { type HostSignal, noteSignal, type PolitenessRules, pauseMs } from './politeness.ts'
import { createTimeHeap } from './time-heap.ts'

/**
 * Mercator's frontier: a FIFO per host, hosts take turns, and none gets a request before its time. The frontier decides what is fetched
 * next; the store knows which URLs were seen and which are queued. At most `maxHostQueues` hosts are in memory, with the heads of
 * their queues; hosts beyond that stay on disk until there is room.
 *
 * A request is
 * - queued, on disk or in the buffer of its host queue;
 * - in flight, from `take` until `release` reports how the host answered, or `putBack` or `postpone` return it to its queue;
 * - uncommitted, until the store has written its result (`completed`). The host continues meanwhile, but the request can't be taken again.
 *
 * A host queue (its states are in `host-queue.ts`) belongs to the lease under which it was opened. When the lease ends (`closeQueues`) the
 * queue is closed: nothing more is taken from it, and requests that come back to it are ignored.
 */
export type Frontier = {
  take(): { hostQueue: HostQueue; request: QueuedRequest } | null
  release(hostQueue: HostQueue, signal: HostSignal): 'goes-on' | 'rests' | 'given-up'
  /** Returns a taken request to the head of its queue, untouched. */
  putBack(hostQueue: HostQueue, request: QueuedRequest): void
  /** Returns a taken request after its turn was used to ask the host for something else first. */
  postpone(hostQueue: HostQueue, request: QueuedRequest, signal: HostSignal): void
  /**
   * Borrows a connection to a host for something that is not queued, such as a table of links. False if a queued request could use it, or
   * if the host may not be asked yet. It counts as in flight until `giveBack`.
   */
  borrow(hostQueue: HostQueue): boolean
  giveBack(hostQueue: HostQueue, signal: HostSignal): void
  completed(hostQueue: HostQueue, request: QueuedRequest): void
  /** Adds rows that the store has queued. */
  arrive(arrivals: readonly Arrival[]): void
  /** Clocks of the hosts of a lease that moved since the last call. */
  changedClocks(lease: PartitionLease): HostClock[]
  /** Closes all host queues of leases that are ending. */
  closeQueues(leases: ReadonlySet<PartitionLease>): void
  /** Queries the store for hosts that never arrived, such as those of a new partition. */
  findHosts(): void
  /** Empties the queue of a host that was given up. */
  drop(hostQueue: HostQueue): void
  /** Monotonic time at which the next waiting host comes due. */
  nextDueAt(): number | undefined
  /** Loads hosts from disk; called at start and whenever there may be room. */
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
  /** Number of hosts whose connections can stay open while others are asked; unlimited by default. */
  keptConnections?: number
  /** Whether priorities of queued requests may change. */
  rises?: boolean
  /** Maximum number of rows in memory, over all hosts. */
  bufferRows: number
  maxHostQueues: number
  leases: Leases
  /** Resolves names before hosts take their turns. Without it, the fetcher resolves them. */
  mapping?: Mapping
  /** Called when the store can't be read, permanently: nothing is lost, but the queues are stuck. */
  onError(error: unknown): void
  /** Shows that reads of the store are failing. */
  track?: Track
  wait?: Wait
}

const MIN_ROWS = 4
const MAX_ROWS = 256
/**
 * Pages per turn of a host while there are more hosts than connections: by its next turn, its connection would have been closed for
 * another host.
 */
const TURN_PAGES = 16
/** A queue may buffer this many times its share, since arrivals that sort before the end of its buffer can't be left on disk. */
const OVERFLOW = 4

export function createFrontier({
  store,
  clock,
  rules,
  perHost,
  keptConnections = Number.POSITIVE_INFINITY,
  rises = false,
  bufferRows,
  maxHostQueues,
  leases,
  mapping,
  onError,
  track,
  wait = waitFor,
}: FrontierOptions): Frontier {
  const hostQueues = new Map<number, HostQueue>()
  const turns = createHostTurns()
  const heap = createTimeHeap<HostQueue>()
  /** Monotonic time at which the first host of a lease was opened. From then on no other worker sends requests to its hosts. */
  const begins = new WeakMap<PartitionLease, number>()
  const moved = new Map<PartitionLease, Set<HostQueue>>()
  /** Whether the store may hold hosts with work that are not in memory. */
  let dormant = true
  let waking = false
  /** Host queues closed while the store is queried for hosts: its answer is stale for them. */
  const closedMeanwhile = new Set<number>()
  let ready: () => void = () => {}
  const backoff = createBackoff({ firstMs: 100, lastMs: 5_000 })

  const capacity = (): number =>
    Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(bufferRows / Math.max(1, hostQueues.size))))

  /** Whether the host is asked for several pages in a row when it has its turn. */
  const keepsTurn = (hostQueue: HostQueue): boolean =>
    hostQueues.size > keptConnections && pauseMs(hostQueue, rules) === 0

  /** A page with more hops than the last one waits until other hosts have had their turn. */
  const hasTurnLeft = (hostQueue: HostQueue): boolean =>
    keepsTurn(hostQueue) && hostQueue.turn + 1 < TURN_PAGES && hostQueue.buffer[0]?.hops === hostQueue.turnHops

  function beginOf(lease: PartitionLease): number {
    const begin = begins.get(lease) ?? clock.monotonic()
    begins.set(lease, begin)
    return begin
  }

  /** Null if the host is not ours (any more). */
  function open(state: HostState): HostQueue | null {
    const lease = leases.ofHost(state.id)
    if (lease === null) return null
    // The stored clock is wall time, which may have jumped: never wait longer than the longest rest.
    const waitMs = Math.max(0, Math.min(state.nextAt + leases.clockMarginMs - clock.now(), rules.restMaxMs))
    // A worker that was killed may have had a request in flight to this host. The delay in the host's robots.txt is known only later.
    const askedBefore = store.recoveredOf(state.id) ? beginOf(lease) : Number.NEGATIVE_INFINITY
    const nextAt = Math.max(clock.monotonic() + waitMs, askedBefore + rules.delayMs)
    const hostQueue = createHostQueue(state, nextAt, lease, askedBefore, rises)
    hostQueues.set(state.id, hostQueue)
    return hostQueue
  }

  /** Moves a parked host queue to its next state. `isNext`: it goes first, while its connection is open. */
  function schedule(hostQueue: HostQueue, isNext = false): void {
    if (hostQueue.state !== 'parked') return
    if (hostQueue.buffer.length > OVERFLOW * capacity()) {
      if (hostQueue.loading || hostQueue.inFlight > 0 || hostQueue.uncommitted > 0) return // these come back first
      cutBack(hostQueue, capacity())
    }
    if (hostQueue.buffer.length <= capacity() / 4 && hostQueue.more) load(hostQueue)
    if (hostQueue.buffer.length === 0) {
      if (isIdle(hostQueue)) close(hostQueue)
      return
    }
    if (hostQueue.inFlight >= (keepsTurn(hostQueue) ? 1 : perHost)) return
    if (mapping !== undefined && hostQueue.mappedUntil <= clock.monotonic()) {
      map(hostQueue, mapping)
      return
    }
    if (hostQueue.nextAt > clock.monotonic()) {
      hostQueue.state = 'waiting'
      heap.push(hostQueue, hostQueue.nextAt)
    } else {
      hostQueue.state = 'ready'
      if (isNext) turns.addNext(hostQueue)
      else turns.add(hostQueue)
    }
  }

  function map(hostQueue: HostQueue, { map }: Mapping): void {
    hostQueue.state = 'mapping'
    map(hostQueue.buffer[0]!.url, ({ address, until }) => {
      if (hostQueue.state !== 'mapping') return
      hostQueue.address = address
      hostQueue.mappedUntil = until
      hostQueue.state = 'parked'
      schedule(hostQueue)
      ready()
    })
  }

  function close(hostQueue: HostQueue): void {
    hostQueue.state = 'closed'
    hostQueues.delete(hostQueue.id)
    if (waking) closedMeanwhile.add(hostQueue.id)
    if (dormant && hostQueues.size < maxHostQueues * 0.75) void wake()
  }

  function load(hostQueue: HostQueue): void {
    if (hostQueue.loading) return
    hostQueue.loading = true
    const asked = capacity() + (hostQueue.taken?.size ?? 0)
    store.next(hostQueue.id, rises ? null : hostQueue.position, asked).then(
      (rows) => {
        // A queue that was emptied in the meantime expects no rows.
        if (hostQueue.more && rises) replaceHead(hostQueue, rows, asked)
        else if (hostQueue.more) addLoaded(hostQueue, rows, asked)
        else giveUpLoad(hostQueue)
        backoff.reset()
        track?.done()
        schedule(hostQueue)
        ready()
      },
      (error: unknown) => {
        // It counts as loading until the retry.
        tryAgain(error, () => {
          giveUpLoad(hostQueue)
          schedule(hostQueue)
          ready()
        })
      },
    )
  }

  function tryAgain(error: unknown, work: () => void): void {
    if (isTemporary(error)) {
      track?.failed(error)
      wait(backoff.nextMs()).then(work, onError)
    } else onError(error)
  }

  async function wake(): Promise<void> {
    if (waking || !dormant) return
    waking = true
    try {
      while (dormant && hostQueues.size < maxHostQueues) if (!(await fillHostQueues())) break
      backoff.reset()
      track?.done()
    } catch (error) {
      dormant = true
      tryAgain(error, () => void wake())
    } finally {
      waking = false
    }
    ready()
  }

  /** False if all hosts found are about to be handed over: an immediate retry would not help. */
  async function fillHostQueues(): Promise<boolean> {
    const room = maxHostQueues - hostQueues.size
    dormant = false // set again if a host is turned away while the store is queried
    closedMeanwhile.clear()
    const found = await store.hosts(room, new Set(hostQueues.keys()))
    if (found.length >= room) dormant = true
    const opened: HostQueue[] = []
    let foreign = 0
    for (const state of found) {
      if (closedMeanwhile.has(state.id)) dormant = true
      else if (!hostQueues.has(state.id)) {
        const hostQueue = open(state)
        if (hostQueue !== null) opened.push(hostQueue)
        else foreign++
      }
    }
    // Scheduled once all are open: how much of its queue each may load depends on their number.
    for (const hostQueue of opened) schedule(hostQueue)
    return foreign === 0 || foreign < found.length
  }

  function arrive(arrivals: readonly Arrival[]): void {
    for (const { state, rows, raised } of arrivals) {
      let hostQueue = hostQueues.get(state.id) ?? null
      if (hostQueue === null) {
        if (rows.length === 0) continue
        if (hostQueues.size >= maxHostQueues) {
          dormant = true
          continue
        }
        hostQueue = open(state)
        if (hostQueue === null) continue
        // The host had nothing queued before: these rows are all there is.
        hostQueue.more = state.queued > rows.length
      }
      addArrivals(hostQueue, rows, capacity())
      if (raised !== undefined) for (const row of raised) moveInOrder(hostQueue, row, capacity())
      schedule(hostQueue)
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
    else if (hostQueue.lease.state !== 'ended') moved.set(hostQueue.lease, new Set([hostQueue]))
  }

  function nextReady(): HostQueue | undefined {
    const now = clock.monotonic()
    for (let due = heap.popDue(now); due !== undefined; due = heap.popDue(now)) {
      if (due.state !== 'waiting') continue
      due.state = 'parked'
      schedule(due)
    }
    for (let hostQueue = turns.shift(); hostQueue !== undefined; hostQueue = turns.shift()) {
      if (hostQueue.state !== 'ready') continue
      // Another request of the same host may have come back in the meantime and moved its clock. `schedule` compares with the
      // current time, and so must this: with an older time the two would disagree for ever.
      if (hostQueue.buffer.length > 0 && hostQueue.nextAt <= clock.monotonic()) return hostQueue
      hostQueue.state = 'parked'
      schedule(hostQueue)
    }
    return undefined
  }

  return {
    take() {
      const hostQueue = nextReady()
      if (hostQueue === undefined) return null
      hostQueue.state = 'parked'
      const request = hostQueue.buffer.shift()!
      hostQueue.taken?.add(request.seq)
      hostQueue.inFlight++
      hostQueue.turnHops = request.hops
      if (perHost > 1) hostQueue.nextAt = Math.max(hostQueue.nextAt, clock.monotonic() + pauseMs(hostQueue, rules))
      schedule(hostQueue)
      return { hostQueue, request }
    },
    release(hostQueue, signal) {
      hostQueue.inFlight--
      hostQueue.uncommitted++
      const verdict = noteSignal(hostQueue, signal, clock.monotonic(), rules)
      if (signal.kind !== 'untouched') move(hostQueue)
      if (verdict === 'given-up') empty(hostQueue)
      hostQueue.turn = hasTurnLeft(hostQueue) ? hostQueue.turn + 1 : 0
      schedule(hostQueue, hostQueue.turn > 0)
      return verdict
    },
    putBack(hostQueue, request) {
      hostQueue.inFlight--
      hostQueue.taken?.delete(request.seq)
      putBackInOrder(hostQueue, request)
      schedule(hostQueue)
    },
    postpone(hostQueue, request, signal) {
      hostQueue.inFlight--
      hostQueue.taken?.delete(request.seq)
      putBackInOrder(hostQueue, request)
      noteSignal(hostQueue, signal, clock.monotonic(), rules)
      move(hostQueue)
      schedule(hostQueue, true)
    },
    borrow(hostQueue) {
      const { state, more, loading, inFlight, buffer, nextAt } = hostQueue
      if (state === 'closed' || more || loading || inFlight + buffer.length >= perHost) return false
      if (nextAt > clock.monotonic()) return false
      hostQueue.inFlight++
      hostQueue.nextAt = Math.max(nextAt, clock.monotonic() + pauseMs(hostQueue, rules))
      return true
    },
    giveBack(hostQueue, signal) {
      hostQueue.inFlight--
      noteSignal(hostQueue, signal, clock.monotonic(), rules)
      if (signal.kind !== 'untouched') move(hostQueue)
      schedule(hostQueue)
    },
    arrive,
    completed(hostQueue, request) {
      hostQueue.uncommitted--
      if (rises) forgetTaken(hostQueue, request)
      schedule(hostQueue)
    },
    changedClocks(lease) {
      const changed: HostClock[] = []
      for (const hostQueue of moved.get(lease) ?? []) {
        const nextAt = clock.now() + Math.max(0, hostQueue.nextAt - clock.monotonic())
        changed.push({ id: hostQueue.id, nextAt, failures: hostQueue.failures, rests: hostQueue.rests })
      }
      moved.delete(lease)
      return changed
    },
    closeQueues(ended) {
      for (const hostQueue of hostQueues.values()) {
        if (!ended.has(hostQueue.lease)) continue
        hostQueue.state = 'closed'
        empty(hostQueue)
        hostQueues.delete(hostQueue.id)
        if (waking) closedMeanwhile.add(hostQueue.id)
      }
      for (const lease of ended) if (lease.state === 'ended') moved.delete(lease)
      if (dormant) void wake()
    },
    findHosts() {
      dormant = true
      void wake()
    },
    drop(hostQueue) {
      empty(hostQueue)
      schedule(hostQueue)
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
