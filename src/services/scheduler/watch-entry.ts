import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { Belief } from '../../core/time/change-belief.ts'
import type { HeapNode } from './queues/heap.ts'
import type { Tokens } from './queues/token-bucket.ts'
import type { Rhythm } from './value/rhythm.ts'
import type { Outcome } from './watch.ts'
import type { OpenHours } from './windows/time-window.ts'

/** States of a watch: see `scheduler.ts` for the transitions. */
export const stateNames = ['waiting', 'closed', 'shut', 'ready', 'held', 'asked', 'out', 'paused'] as const
export type StateName = (typeof stateNames)[number]

/** Everything the scheduler knows about one watch. */
export type WatchEntry = HeapNode & {
  state: StateName
  level: ServiceLevel
  /** All its owners have paused it; a watch that is out is set aside when it comes back. */
  paused: boolean
  /** A user asked for the check: it has no deadline. */
  asked: boolean
  /** The last check handed out never came back. */
  lost: boolean
  urgency: number
  everyMs: number
  everyMaxMs: number
  intervalMs: number
  outcome: Outcome
  /** Consecutive failures. */
  failures: number
  /** Weighted sums for the change rate. */
  checks: number
  changes: number
  observedMs: number
  /** Estimated change rate, for the policy `value`; null before the first check. */
  belief: Belief | null
  /** At which hours it changes; null if unknown. */
  rhythm: Rhythm | null
  /** Groups of similar sources: see `priors.ts`. */
  groups: readonly string[]
  /** Demand for its changes: see `Watch`. */
  demand: number
  /** Mean requests per check. */
  cost: number
  /** Requests charged to the budget for the check that is out. */
  paid: number
  /** Planned requests per millisecond. */
  load: number
  /** When the source asks to be polled; null if it doesn't say. */
  schedule: FeedSchedule | null
  /** Monotonic: when the next check is, or was, due. */
  dueAt: number
  /** Monotonic: when the last completed check was handed out; minus infinity for never. */
  checkedAt: number
  /** Wall time, for the record. */
  lastAt: number
  /** Null for always open. */
  hours: OpenHours | null
  host: Bucket | null
  payers: readonly Bucket[]
  /** The ready queue it is in: its own level's, or that of a watch whose turn it took. */
  queue: number
  /** The budget it waits for while held. */
  heldBy: Bucket | null
  /** Budgets charged for a check that is out, or for a claim. */
  charged: { host: Bucket | null; user: Bucket | null } | null
}

/** Current state of the budget of one user or one host. As a heap node it waits for its next token. */
export type Bucket = HeapNode &
  Tokens & {
    kind: 'user' | 'host'
    name: string
    /** Reference count of watches and charges; the bucket is dropped with the last one. */
    references: number
    out: number
    /** Whether a watch that is not out yet has claimed it; at most one may. */
    claimed: boolean
    /** Planned requests per millisecond of its watches, and the factor its limit imposes on them: see `valuation.ts`. */
    load: number
    factor: number
    /** Watches waiting for this budget; null before the first. */
    held: FairQueue | null
  }

/** Heaps that take turns as the policy decides: one per queue of the policy, and its memory of past turns. */
export type FairQueue = { heaps: WatchEntry[][]; turns: number[] }

export function createEntry(id: number, level: ServiceLevel): WatchEntry {
  return {
    id,
    key: 0,
    heapIndex: -1,
    state: 'waiting',
    level,
    paused: false,
    asked: false,
    lost: false,
    urgency: 1,
    everyMs: 0,
    everyMaxMs: 0,
    intervalMs: 0,
    outcome: 'none',
    failures: 0,
    checks: 0,
    changes: 0,
    observedMs: 0,
    belief: null,
    rhythm: null,
    groups: [],
    demand: 1,
    cost: 1,
    paid: 0,
    load: 0,
    schedule: null,
    dueAt: 0,
    checkedAt: Number.NEGATIVE_INFINITY,
    lastAt: 0,
    hours: null,
    host: null,
    payers: [],
    queue: 0,
    heldBy: null,
    charged: null,
  }
}
