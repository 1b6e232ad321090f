import { grown } from './slot-table.ts'
import type { Outcome } from './watch.ts'

/** What the scheduler knows of its watches, a column each: about a hundred bytes a watch, and no object. */
export type WatchColumns = {
  /** One of the numbers in `states`. */
  state: Uint8Array
  level: Uint8Array
  flags: Uint8Array
  outcome: Uint8Array
  failures: Uint8Array
  urgency: Float32Array
  everyMs: Float32Array
  everyMaxMs: Float32Array
  intervalMs: Float32Array
  checks: Float32Array
  changes: Float32Array
  observedMs: Float32Array
  /** Monotonic: when it is, or was, to be checked next. */
  dueAt: Float64Array
  /** Monotonic: when the last check that came back was handed out; minus infinity for never. */
  checkedAt: Float64Array
  /** Wall time, for the record. */
  lastAt: Float64Array
  /** The number of its open hours; -1 for always. */
  window: Int32Array
  host: Int32Array
  payers: Int32Array
  /** The lane that it is ready on: its own, or that of somebody whose turn it took. */
  queue: Uint8Array
  /** The budget that holds it, while one does. */
  heldBy: Int32Array
}

export const states = {
  waiting: 1,
  closed: 2,
  shut: 3,
  ready: 4,
  held: 5,
  asked: 6,
  out: 7,
  paused: 8,
} as const
export type StateName = keyof typeof states
export const stateNames = Object.keys(states) as StateName[]

export const flags = {
  /** Its state is other than the store knows. */
  unsaved: 1,
  /** The check was asked for by a user: it has no deadline. */
  asked: 2,
  /** The last check handed out never came back. */
  lost: 4,
  /** All its owners have paused it; one that is out stands aside when it comes back. */
  paused: 8,
} as const

export const outcomes: readonly Outcome[] = ['none', 'changed', 'unchanged', 'failed']

export function createColumns(capacity: number): WatchColumns {
  return {
    state: new Uint8Array(capacity),
    level: new Uint8Array(capacity),
    flags: new Uint8Array(capacity),
    outcome: new Uint8Array(capacity),
    failures: new Uint8Array(capacity),
    urgency: new Float32Array(capacity),
    everyMs: new Float32Array(capacity),
    everyMaxMs: new Float32Array(capacity),
    intervalMs: new Float32Array(capacity),
    checks: new Float32Array(capacity),
    changes: new Float32Array(capacity),
    observedMs: new Float32Array(capacity),
    dueAt: new Float64Array(capacity),
    checkedAt: new Float64Array(capacity),
    lastAt: new Float64Array(capacity),
    window: new Int32Array(capacity),
    host: new Int32Array(capacity),
    payers: new Int32Array(capacity),
    queue: new Uint8Array(capacity),
    heldBy: new Int32Array(capacity),
  }
}

export function growColumns(columns: WatchColumns, capacity: number): void {
  const byName = columns as Record<string, WatchColumns[keyof WatchColumns]>
  for (const name of Object.keys(byName)) byName[name] = grown(byName[name]!, capacity)
}
