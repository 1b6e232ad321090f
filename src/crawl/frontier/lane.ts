import type { QueuedRequest } from '../../core/request.ts'
import type { HostState, QueuePosition } from '../../store/frontier.ts'

/**
 * One host that has work, in memory: the head of its queue and its clock. The rest of the queue is on disk.
 *
 * A lane is in one place at a time:
 * - `ready`: in the ring of hosts that take turns;
 * - `waiting`: in the heap, until its clock allows the next request;
 * - `parked`: nothing to hand out now (all connections in use, buffer being filled, or empty).
 */
export type Lane = {
  readonly id: number
  readonly host: string
  place: 'ready' | 'waiting' | 'parked' | 'closed'
  /** Head of the queue, in order. */
  buffer: QueuedRequest[]
  /** Where the buffer ends in the queue; rows behind it are on disk. */
  position: QueuePosition | null
  /** Whether there may be rows behind `position`. */
  more: boolean
  loading: boolean
  inFlight: number
  /** Fetched, and not yet noted as done. */
  unsettled: number
  /** Monotonic ms before which the host is left alone. */
  nextAt: number
  failures: number
  rests: number
  /** Answers 429 or 503 in a row. */
  slowdowns: number
  /** Asked for by robots.txt, capped. */
  crawlDelayMs: number
  lastFetchMs: number
  /** Address of the last connection; empty before the first. */
  address: string
}

export function createLane(state: HostState, nextAt: number): Lane {
  return {
    id: state.id,
    host: state.host,
    place: 'parked',
    buffer: [],
    position: null,
    more: true,
    loading: false,
    inFlight: 0,
    unsettled: 0,
    nextAt,
    failures: state.failures,
    rests: state.rests,
    slowdowns: 0,
    crawlDelayMs: 0,
    lastFetchMs: 0,
    address: '',
  }
}

export function isIdle(lane: Lane): boolean {
  return lane.buffer.length === 0 && !lane.more && !lane.loading && lane.inFlight === 0 && lane.unsettled === 0
}

/** Puts newly queued rows where they belong: into the buffer, or left on disk behind it. */
export function addArrivals(lane: Lane, rows: readonly QueuedRequest[], capacity: number): void {
  for (const row of rows) {
    const behind = lane.position === null || isBefore(lane.position, row)
    if (behind && (lane.more || lane.buffer.length >= capacity)) {
      lane.more = true
      continue
    }
    insertInOrder(lane.buffer, row)
    if (behind) lane.position = { priority: row.priority, seq: row.seq }
  }
  if (lane.buffer.length > 2 * capacity) {
    lane.buffer.length = capacity
    const last = lane.buffer[capacity - 1]!
    lane.position = { priority: last.priority, seq: last.seq }
    lane.more = true
  }
}

export function addLoaded(lane: Lane, rows: readonly QueuedRequest[], asked: number): void {
  for (const row of rows) insertInOrder(lane.buffer, row)
  const last = rows.at(-1)
  if (last !== undefined && (lane.position === null || isBefore(lane.position, last))) {
    lane.position = { priority: last.priority, seq: last.seq }
  }
  if (rows.length < asked) lane.more = false
}

function isBefore(a: QueuePosition, b: QueuePosition): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.seq < b.seq)
}

/** Arrivals nearly always belong at the end. */
function insertInOrder(buffer: QueuedRequest[], row: QueuedRequest): void {
  let at = buffer.length
  while (at > 0 && isBefore(row, buffer[at - 1]!)) at--
  if (at === buffer.length) buffer.push(row)
  else buffer.splice(at, 0, row)
}
