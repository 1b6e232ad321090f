import type { QueuedRequest } from '../../core/request.ts'
import type { HostState, QueuePosition } from '../../store/contracts/frontier.ts'
import { createOwnTenure, type Tenure } from './partition-lease.ts'

/**
 * One host that has work, in memory: the head of its queue and its clock. The rest of the queue is on disk.
 *
 * A lane is in one place at a time:
 * - `ready`: in the ring of hosts that take turns;
 * - `waiting`: in the heap, until its clock allows the next request;
 * - `parked`: nothing to hand out now (all connections in use, buffer being filled or about to be cut back, or empty);
 * - `closed`: forgotten; its host may come back as another lane.
 */
export type Lane = {
  readonly id: number
  readonly host: string
  readonly tenure: Tenure
  place: 'ready' | 'waiting' | 'parked' | 'closed'
  /** Head of the queue, in order. */
  buffer: QueuedRequest[]
  /** Where the buffer ends in the queue; rows behind it are on disk. */
  position: QueuePosition | null
  /** Whether there may be rows behind `position`. */
  more: boolean
  loading: boolean
  /** Rows that were queued behind `position` while a load was under way, which may have missed them. */
  meanwhile: QueuedRequest[]
  inFlight: number
  /** Fetched, and not yet noted as done. */
  unsettled: number
  /** Monotonic ms before which the host is left alone. */
  nextAt: number
  /** Monotonic ms up to which somebody who was killed may have asked the host; minus infinity where nobody was. */
  readonly askedBefore: number
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

export function createLane(
  state: HostState,
  nextAt: number,
  tenure = createOwnTenure(),
  askedBefore = Number.NEGATIVE_INFINITY,
): Lane {
  return {
    id: state.id,
    host: state.host,
    tenure,
    place: 'parked',
    buffer: [],
    position: null,
    more: true,
    loading: false,
    meanwhile: [],
    inFlight: 0,
    unsettled: 0,
    nextAt,
    askedBefore,
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
  const kept: QueuedRequest[] = []
  for (const row of rows) {
    const behind = lane.position === null || isBefore(lane.position, row)
    if (behind && lane.loading) {
      lane.meanwhile.push(row)
    } else if (behind && (lane.more || lane.buffer.length + kept.length >= capacity)) {
      lane.more = true
    } else {
      kept.push(row)
      if (behind) lane.position = { priority: row.priority, seq: row.seq }
    }
  }
  insertInOrder(lane, kept)
}

/** Takes in the next `asked` rows behind `position`; `loading` was true since they were asked for. */
export function addLoaded(lane: Lane, rows: readonly QueuedRequest[], asked: number): void {
  lane.loading = false
  insertInOrder(lane, rows)
  const last = rows.at(-1)
  if (last !== undefined && (lane.position === null || isBefore(lane.position, last))) {
    lane.position = { priority: last.priority, seq: last.seq }
  }
  if (rows.length < asked) lane.more = false
  if (lane.meanwhile.length === 0) return
  const loaded = new Set(rows.map(({ seq }) => seq))
  const missed = lane.meanwhile.filter(({ seq }) => !loaded.has(seq))
  lane.meanwhile = []
  addArrivals(lane, missed, asked)
}

/** The rows could not be had: all that is behind `position` stays on disk. */
export function giveUpLoad(lane: Lane): void {
  lane.loading = false
  lane.meanwhile = []
}

/** Back to the head of the queue, or behind what has been put before it meanwhile. */
export function putBackInOrder(lane: Lane, row: QueuedRequest): void {
  let at = 0
  while (at < lane.buffer.length && isBefore(lane.buffer[at]!, row)) at++
  lane.buffer.splice(at, 0, row)
}

/**
 * Leaves all but the head of the buffer to the disk again. Only for a lane of which no request is out and no load
 * under way: what is out may lie behind the new end, and would be read a second time.
 */
export function cutBack(lane: Lane, capacity: number): void {
  const last = lane.buffer[capacity - 1]
  if (last === undefined) return
  lane.buffer.length = capacity
  lane.position = { priority: last.priority, seq: last.seq }
  lane.more = true
}

function isBefore(a: QueuePosition, b: QueuePosition): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.seq < b.seq)
}

/** Few rows are put in one by one, and nearly always belong at the end; many cost one sort and not a shift each. */
const FEW_ROWS = 16

function insertInOrder(lane: Lane, rows: readonly QueuedRequest[]): void {
  const { buffer } = lane
  if (rows.length > FEW_ROWS && buffer.length > 0) {
    lane.buffer = buffer.concat(rows).sort((a, b) => a.priority - b.priority || a.seq - b.seq)
    return
  }
  for (const row of rows) {
    let at = buffer.length
    while (at > 0 && isBefore(row, buffer[at - 1]!)) at--
    if (at === buffer.length) buffer.push(row)
    else buffer.splice(at, 0, row)
  }
}
