import type { Clock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { QueuedRequest } from '../../core/request.ts'
import type { Arrival, FrontierStore, HostClock, HostState } from '../../store/contracts/frontier.ts'
import {
  addArrivals,
  addLoaded,
  createLane,
  cutBack,
  giveUpLoad,
  isIdle,
  type Lane,
  putBackInOrder,
} from './host-queue.ts'
import { createOwnTenure, type Tenure } from './partition-lease.ts'
import { type HostSignal, noteSignal, type PolitenessRules, pauseMs } from './politeness.ts'
import { createTimeHeap } from './time-heap.ts'

/**
 * Mercator's frontier: a FIFO per host, hosts take turns, and none is asked before its time. It decides what is fetched
 * next; what was seen and what is queued is the store's. In memory are at most `maxLanes` hosts with the heads of
 * their queues, however many hosts and URLs there are; hosts beyond that stay on disk until there is room.
 *
 * A request is taken (`take`), comes back with what it told about the host (`release`), and is forgotten once the store
 * has settled it (`settled`). Between the last two it counts as unsettled: the host may go on, the request may not come twice.
 *
 * Where partitions come and go, a lane belongs to the tenure under which it was opened. When that ends (`leave`) the lane is closed: nothing
 * more is taken from it, and what is out comes back to a lane that does nothing.
 */
export type Frontier = {
  take(): { lane: Lane; request: QueuedRequest } | null
  release(lane: Lane, signal: HostSignal): 'goes-on' | 'rests' | 'given-up'
  /** Hands a taken request back to the head of its queue, untouched. */
  putBack(lane: Lane, request: QueuedRequest): void
  /** Hands it back after its host was asked for something else first. */
  postpone(lane: Lane, request: QueuedRequest, signal: HostSignal): void
  settled(lane: Lane, requests: number): void
  /** Takes in rows that the store has queued. */
  arrive(arrivals: readonly Arrival[]): void
  /** Clocks that moved since the last call, of the hosts of one tenure where there are several. */
  changedClocks(tenure?: Tenure): HostClock[]
  /** Closes all lanes of tenures that end. */
  leave(tenures: ReadonlySet<Tenure>): void
  /** Hosts may have come to the store without having arrived: looks for them. */
  look(): void
  /** Empties the lane of a host that was given up. */
  drop(lane: Lane): void
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
  maxLanes: number
  /** Under which tenure a host may be crawled now; null for none. Left out where all hosts of the store are the shard's own. */
  tenureOf?(hostId: number): Tenure | null
  /** By how much the clocks of those who keep the times of hosts may differ; not at all unless told. */
  clockMarginMs?: number
  /** The store can't be read, now or ever: nothing is lost, but lanes stand still. */
  onError(error: unknown): void
  /** Waits before a read is tried again. */
  retryAfter?(ms: number): Promise<void>
}

const MIN_ROWS = 4
const MAX_ROWS = 256
/** So many times its share may a lane hold, since what goes before the end of its buffer can't be left on disk. */
const OVERFLOW = 4
const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000

export function createFrontier({
  store,
  clock,
  rules,
  perHost,
  bufferRows,
  maxLanes,
  tenureOf,
  clockMarginMs = 0,
  onError,
  retryAfter = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}: FrontierOptions): Frontier {
  const own = createOwnTenure()
  const lanes = new Map<number, Lane>()
  const ring: Lane[] = []
  let ringHead = 0
  const heap = createTimeHeap<Lane>()
  /** Monotonic: when the first host of each was opened, and nobody else asked them any more. */
  const begins = new WeakMap<Tenure, number>()
  const moved = new Map<Tenure, Set<Lane>>([[own, new Set()]])
  /** Whether the store may hold hosts with work that are not in memory. */
  let dormant = true
  let waking = false
  /** Lanes closed while the store is asked for hosts: what it then says of them is out of date. */
  const closedMeanwhile = new Set<number>()
  let ready: () => void = () => {}
  let retryMs = FIRST_RETRY_MS

  const capacity = (): number =>
    Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(bufferRows / Math.max(1, lanes.size))))

  function beginOf(tenure: Tenure): number {
    const begin = begins.get(tenure) ?? clock.monotonic()
    begins.set(tenure, begin)
    return begin
  }

  /** Null where the host is none of ours (any more). */
  function open(state: HostState): Lane | null {
    const tenure = tenureOf === undefined ? own : tenureOf(state.id)
    if (tenure === null) return null
    // The kept clock is wall time: believed only as far as a rest can be long, in case that clock jumped.
    const waitMs = Math.max(0, Math.min(state.nextAt + clockMarginMs - clock.now(), rules.restMaxMs))
    // Whoever was killed may have had a request on its way to this host. What its robots.txt asks for is known later.
    const askedBefore = store.recoveredOf(state.id) ? beginOf(tenure) : Number.NEGATIVE_INFINITY
    const nextAt = Math.max(clock.monotonic() + waitMs, askedBefore + rules.delayMs)
    const lane = createLane(state, nextAt, tenure, askedBefore)
    lanes.set(state.id, lane)
    return lane
  }

  /** Puts a parked lane where it belongs now. */
  function place(lane: Lane): void {
    if (lane.place !== 'parked') return
    if (lane.buffer.length > OVERFLOW * capacity()) {
      if (lane.loading || lane.inFlight > 0 || lane.unsettled > 0) return // what is out comes home first
      cutBack(lane, capacity())
    }
    if (lane.buffer.length <= capacity() / 4 && lane.more) load(lane)
    if (lane.buffer.length === 0) {
      if (isIdle(lane)) close(lane)
      return
    }
    if (lane.inFlight >= perHost) return
    if (lane.nextAt > clock.monotonic()) {
      lane.place = 'waiting'
      heap.push(lane, lane.nextAt)
    } else {
      lane.place = 'ready'
      ring.push(lane)
    }
  }

  function close(lane: Lane): void {
    lane.place = 'closed'
    lanes.delete(lane.id)
    if (waking) closedMeanwhile.add(lane.id)
    if (dormant && lanes.size < maxLanes * 0.75) void wake()
  }

  function load(lane: Lane): void {
    if (lane.loading) return
    lane.loading = true
    const asked = capacity()
    store.next(lane.id, lane.position, asked).then(
      (rows) => {
        // A lane that was emptied meanwhile expects no more.
        if (lane.more) addLoaded(lane, rows, asked)
        else giveUpLoad(lane)
        retryMs = FIRST_RETRY_MS
        place(lane)
        ready()
      },
      (error: unknown) => {
        // It counts as loading until it is tried again.
        tryAgain(error, () => {
          giveUpLoad(lane)
          place(lane)
          ready()
        })
      },
    )
  }

  function tryAgain(error: unknown, work: () => void): void {
    const waitMs = retryMs
    retryMs = Math.min(LAST_RETRY_MS, retryMs * 1.5)
    if (isAppError(error) && error.retry === 'later') retryAfter(waitMs).then(work, onError)
    else onError(error)
  }

  async function wake(): Promise<void> {
    if (waking || !dormant) return
    waking = true
    try {
      while (dormant && lanes.size < maxLanes) if (!(await fillLanes())) break
      retryMs = FIRST_RETRY_MS
    } catch (error) {
      dormant = true
      tryAgain(error, () => void wake())
    } finally {
      waking = false
    }
    ready()
  }

  /** False when the store has nothing but hosts that are about to be handed over: they are not asked for again at once. */
  async function fillLanes(): Promise<boolean> {
    const room = maxLanes - lanes.size
    dormant = false // and true again when a host is turned away while the store is asked
    closedMeanwhile.clear()
    const found = await store.hosts(room, new Set(lanes.keys()))
    if (found.length >= room) dormant = true
    const opened: Lane[] = []
    let strangers = 0
    for (const state of found) {
      if (closedMeanwhile.has(state.id)) dormant = true
      else if (!lanes.has(state.id)) {
        const lane = open(state)
        if (lane !== null) opened.push(lane)
        else strangers++
      }
    }
    // Placed when all are there: how much of its queue each may load depends on how many they are.
    for (const lane of opened) place(lane)
    return strangers === 0 || strangers < found.length
  }

  function arrive(arrivals: readonly Arrival[]): void {
    for (const { state, rows } of arrivals) {
      let lane = lanes.get(state.id) ?? null
      if (lane === null) {
        if (lanes.size >= maxLanes) {
          dormant = true
          continue
        }
        lane = open(state)
        if (lane === null) continue
        // The host had nothing queued before: then these rows are all there is.
        lane.more = state.queued > rows.length
      }
      addArrivals(lane, rows, capacity())
      place(lane)
    }
    ready()
  }

  function empty(lane: Lane): void {
    lane.buffer = []
    lane.more = false
  }

  function move(lane: Lane): void {
    const known = moved.get(lane.tenure)
    if (known !== undefined) known.add(lane)
    else if (lane.tenure.state !== 'over') moved.set(lane.tenure, new Set([lane]))
  }

  function nextReady(): Lane | undefined {
    const now = clock.monotonic()
    for (let due = heap.popDue(now); due !== undefined; due = heap.popDue(now)) {
      if (due.place !== 'waiting') continue
      due.place = 'parked'
      place(due)
    }
    while (ringHead < ring.length) {
      const lane = ring[ringHead++]!
      if (ringHead > 1024 && ringHead * 2 > ring.length) {
        ring.splice(0, ringHead)
        ringHead = 0
      }
      if (lane.place !== 'ready') continue
      // Another request of the same host may have come back meanwhile and moved its clock. `place` looks at the time
      // of this very moment, and so must this: with an older one the two would disagree for ever.
      if (lane.buffer.length > 0 && lane.nextAt <= clock.monotonic()) return lane
      lane.place = 'parked'
      place(lane)
    }
    ring.length = 0
    ringHead = 0
    return undefined
  }

  return {
    take() {
      const lane = nextReady()
      if (lane === undefined) return null
      lane.place = 'parked'
      const request = lane.buffer.shift()!
      lane.inFlight++
      if (perHost > 1) lane.nextAt = Math.max(lane.nextAt, clock.monotonic() + pauseMs(lane, rules))
      place(lane)
      return { lane, request }
    },
    release(lane, signal) {
      lane.inFlight--
      lane.unsettled++
      const verdict = noteSignal(lane, signal, clock.monotonic(), rules)
      if (signal.kind !== 'untouched') move(lane)
      if (verdict === 'given-up') empty(lane)
      place(lane)
      return verdict
    },
    putBack(lane, request) {
      lane.inFlight--
      putBackInOrder(lane, request)
      place(lane)
    },
    postpone(lane, request, signal) {
      lane.inFlight--
      putBackInOrder(lane, request)
      noteSignal(lane, signal, clock.monotonic(), rules)
      move(lane)
      place(lane)
    },
    arrive,
    settled(lane, requests) {
      lane.unsettled -= requests
      place(lane)
    },
    changedClocks(tenure = own) {
      const changed: HostClock[] = []
      for (const lane of moved.get(tenure) ?? []) {
        const nextAt = clock.now() + Math.max(0, lane.nextAt - clock.monotonic())
        changed.push({ id: lane.id, nextAt, failures: lane.failures, rests: lane.rests })
      }
      if (tenure === own) moved.get(own)!.clear()
      else moved.delete(tenure)
      return changed
    },
    leave(tenures) {
      for (const lane of lanes.values()) {
        if (!tenures.has(lane.tenure)) continue
        lane.place = 'closed'
        empty(lane)
        lanes.delete(lane.id)
        if (waking) closedMeanwhile.add(lane.id)
      }
      for (const tenure of tenures) if (tenure.state === 'over') moved.delete(tenure)
      if (dormant) void wake()
    },
    look() {
      dormant = true
      void wake()
    },
    drop(lane) {
      empty(lane)
      place(lane)
    },
    nextDueAt: () => heap.nextDueAt(),
    wake,
    counts() {
      let resting = 0
      for (const lane of lanes.values()) if (lane.rests > 0) resting++
      return { active: lanes.size, waiting: heap.size(), resting }
    },
    onReady(listener) {
      ready = listener
    },
  }
}
