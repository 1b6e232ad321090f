import type { QueuedRequest } from '../../core/request.ts'
import type { HostState, QueuePosition } from '../../store/contracts/frontier.ts'
import { createPermanentLease, type PartitionLease } from './partition-lease.ts'

/**
 * A host with work, in memory: the head of its queue and its clock. The rest of the queue is on disk.
 *
 * A host queue is
 * - `ready`: in the ring of hosts that take turns;
 * - `mapping`: until its name is resolved (`crawl/mapping`);
 * - `waiting`: in the heap, until its clock allows the next request;
 * - `parked`: nothing to hand out now (all connections in use, buffer being filled or about to be cut back, or empty);
 * - `closed`: forgotten; its host may come back with another queue.
 */
export type HostQueue = {
  readonly id: number
  readonly host: string
  readonly lease: PartitionLease
  state: 'ready' | 'mapping' | 'waiting' | 'parked' | 'closed'
  /** Head of the queue, in order. */
  buffer: QueuedRequest[]
  /** Queue position of the end of the buffer; rows after it are on disk. */
  position: QueuePosition | null
  /** Whether there may be rows after `position`. */
  more: boolean
  loading: boolean
  /** Rows queued after `position` during a load, which may have missed them; in a rising queue, all rows that changed. */
  meanwhile: QueuedRequest[]
  /**
   * Sequence numbers of requests taken and not committed, in a queue whose priorities rise. Such a queue is always loaded from its head,
   * because rows on disk may have moved ahead of those in memory. Null if priorities are fixed.
   */
  readonly taken: Set<number> | null
  /** Those of `taken` that were committed during a load, which may have read them before. */
  committed: number[]
  inFlight: number
  /** Requests fetched whose results are not committed yet. */
  uncommitted: number
  /** Monotonic ms before which the host gets no request. */
  nextAt: number
  /** Monotonic ms up to which a worker that was killed may have sent requests to the host; minus infinity for none. */
  readonly askedBefore: number
  failures: number
  rests: number
  /** Consecutive answers of 429 or 503. */
  slowdowns: number
  /** Crawl-delay from robots.txt, capped. */
  crawlDelayMs: number
  lastFetchMs: number
  /** Pages asked for in this turn, if the host keeps its turn. */
  turn: number
  /** Hops of the request taken last. */
  turnHops: number
  /** Address of the host; empty if unknown. */
  address: string
  /** Monotonic ms until which the resolved address is valid. */
  mappedUntil: number
}

export function createHostQueue(
  state: HostState,
  nextAt: number,
  lease = createPermanentLease(),
  askedBefore = Number.NEGATIVE_INFINITY,
  rises = false,
): HostQueue {
  return {
    id: state.id,
    host: state.host,
    lease,
    state: 'parked',
    buffer: [],
    position: null,
    more: true,
    loading: false,
    meanwhile: [],
    taken: rises ? new Set() : null,
    committed: [],
    inFlight: 0,
    uncommitted: 0,
    nextAt,
    askedBefore,
    failures: state.failures,
    rests: state.rests,
    slowdowns: 0,
    crawlDelayMs: 0,
    lastFetchMs: 0,
    turn: 0,
    turnHops: 0,
    address: '',
    mappedUntil: 0,
  }
}

export function isIdle(hostQueue: HostQueue): boolean {
  return (
    hostQueue.buffer.length === 0 &&
    !hostQueue.more &&
    !hostQueue.loading &&
    hostQueue.inFlight === 0 &&
    hostQueue.uncommitted === 0
  )
}

/** Adds newly queued rows to the buffer, or leaves them on disk after it. */
export function addArrivals(hostQueue: HostQueue, rows: readonly QueuedRequest[], capacity: number): void {
  const kept: QueuedRequest[] = []
  for (const row of rows) {
    const behind = hostQueue.position === null || isBefore(hostQueue.position, row)
    if (hostQueue.loading && !behind && hostQueue.taken !== null) hostQueue.meanwhile.push(row)
    if (behind && hostQueue.loading) {
      hostQueue.meanwhile.push(row)
    } else if (behind && (hostQueue.more || hostQueue.buffer.length + kept.length >= capacity)) {
      hostQueue.more = true
    } else {
      kept.push(row)
      if (behind) hostQueue.position = { priority: row.priority, seq: row.seq }
    }
  }
  insertInOrder(hostQueue, kept)
}

/** Adds the rows of a load of `asked` rows after `position`; `loading` must have been true since the load began. */
export function addLoaded(hostQueue: HostQueue, rows: readonly QueuedRequest[], asked: number): void {
  hostQueue.loading = false
  insertInOrder(hostQueue, rows)
  const last = rows.at(-1)
  if (last !== undefined && (hostQueue.position === null || isBefore(hostQueue.position, last))) {
    hostQueue.position = { priority: last.priority, seq: last.seq }
  }
  if (rows.length < asked) hostQueue.more = false
  if (hostQueue.meanwhile.length === 0) return
  const loaded = new Set(rows.map(({ seq }) => seq))
  const missed = hostQueue.meanwhile.filter(({ seq }) => !loaded.has(seq))
  hostQueue.meanwhile = []
  addArrivals(hostQueue, missed, asked)
}

/** Replaces the head of a rising queue by its first `asked` rows. */
export function replaceHead(hostQueue: HostQueue, rows: readonly QueuedRequest[], asked: number): void {
  const taken = hostQueue.taken!
  const bySeq = new Map(rows.map((row) => [row.seq, row]))
  for (const row of hostQueue.meanwhile) bySeq.set(row.seq, row)
  hostQueue.more = rows.length >= asked
  const end = hostQueue.more ? rows.at(-1)! : null
  const isHead = (row: QueuedRequest): boolean => !taken.has(row.seq) && (end === null || !isBefore(end, row))
  hostQueue.buffer = [...bySeq.values()].filter(isHead).sort((a, b) => a.priority - b.priority || a.seq - b.seq)
  const last = end ?? hostQueue.buffer.at(-1)
  hostQueue.position = last === undefined ? null : { priority: last.priority, seq: last.seq }
  giveUpLoad(hostQueue)
}

/** Moves a row whose priority changed. */
export function moveInOrder(hostQueue: HostQueue, row: QueuedRequest, capacity: number): void {
  if (hostQueue.taken?.has(row.seq) === true) return
  const at = hostQueue.buffer.findIndex(({ seq }) => seq === row.seq)
  if (at >= 0) hostQueue.buffer.splice(at, 1)
  addArrivals(hostQueue, [row], capacity)
}

/** Called when the result of a request was committed: its row is gone from the store. */
export function forgetTaken(hostQueue: HostQueue, { seq }: QueuedRequest): void {
  if (hostQueue.loading) hostQueue.committed.push(seq)
  else hostQueue.taken?.delete(seq)
}

/** Ends a load without rows: everything after `position` stays on disk. */
export function giveUpLoad(hostQueue: HostQueue): void {
  hostQueue.loading = false
  hostQueue.meanwhile = []
  for (const seq of hostQueue.committed) hostQueue.taken?.delete(seq)
  hostQueue.committed = []
}

/** Returns a request to the head of the queue, or after rows that sort before it. */
export function putBackInOrder(hostQueue: HostQueue, row: QueuedRequest): void {
  let at = 0
  while (at < hostQueue.buffer.length && isBefore(hostQueue.buffer[at]!, row)) at++
  hostQueue.buffer.splice(at, 0, row)
}

/**
 * Drops all but the head of the buffer; the rest is on disk. Only for a queue without requests in flight and without a load
 * in progress: a request in flight may be after the new end, and would be read a second time.
 */
export function cutBack(hostQueue: HostQueue, capacity: number): void {
  const last = hostQueue.buffer[capacity - 1]
  if (last === undefined) return
  hostQueue.buffer.length = capacity
  hostQueue.position = { priority: last.priority, seq: last.seq }
  hostQueue.more = true
}

function isBefore(a: QueuePosition, b: QueuePosition): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.seq < b.seq)
}

/** Up to this many rows are inserted one by one, nearly always at the end; for more, one sort is cheaper than a shift each. */
const FEW_ROWS = 16

function insertInOrder(hostQueue: HostQueue, rows: readonly QueuedRequest[]): void {
  const { buffer } = hostQueue
  if (rows.length > FEW_ROWS && buffer.length > 0) {
    hostQueue.buffer = buffer.concat(rows).sort((a, b) => a.priority - b.priority || a.seq - b.seq)
    return
  }
  for (const row of rows) {
    let at = buffer.length
    while (at > 0 && isBefore(row, buffer[at - 1]!)) at--
    if (at === buffer.length) buffer.push(row)
    else buffer.splice(at, 0, row)
  }
}
