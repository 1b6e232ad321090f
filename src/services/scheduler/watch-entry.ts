import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import type { Belief } from '../../core/time/change-belief.ts'
import type { HeapNode } from './queues/heap.ts'
import type { Tokens } from './queues/token-bucket.ts'
import type { Rhythm } from './value/rhythm.ts'
import type { Outcome } from './watch.ts'
import type { OpenHours } from './windows/time-window.ts'

/** Where a watch is: see `scheduler.ts` for what moves it. */
export const stateNames = ['waiting', 'closed', 'shut', 'ready', 'held', 'asked', 'out', 'paused'] as const
export type StateName = (typeof stateNames)[number]

/** Everything the scheduler knows about one watch. */
export type WatchEntry = HeapNode & {
  state: StateName
  level: ServiceLevel
  /** All its owners have paused it; one that is out is put aside when it comes back. */
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
  /** Failures in a row. */
  failures: number
  /** Weighted sums for the change rate. */
  checks: number
  changes: number
  observedMs: number
  /** How often it changes, where the policy is `value`; null before the first check. */
  belief: Belief | null
  /** At which hours it changes; null while that isn't known. */
  rhythm: Rhythm | null
  /** Sources that are expected to be like it: see `priors.ts`. */
  groups: readonly string[]
  /** Who waits for its changes. */
  demand: number
  /** Requests of one check, on average. */
  cost: number
  /** Requests that the budget was charged for the check that is out. */
  paid: number
  /** Requests per millisecond that are planned for it. */
  load: number
  /** When the source wants to be asked; null where it doesn't say. */
  schedule: FeedSchedule | null
  /** Monotonic: when the next check is, or was, due. */
  dueAt: number
  /** Monotonic: when the last check that came back was handed out; minus infinity for never. */
  checkedAt: number
  /** Wall time, for the record. */
  lastAt: number
  /** Null for always open. */
  hours: OpenHours | null
  host: Bucket | null
  payers: readonly Bucket[]
  /** The ready queue it is on: its own level's, or that of a watch whose turn it took. */
  queue: number
  /** The budget it waits for, while it is held. */
  heldBy: Bucket | null
  /** Budgets charged for a check that is out, or for a claim. */
  charged: { host: Bucket | null; user: Bucket | null } | null
}

/** The budget of one user or one host in use. As a heap node it waits for its next token. */
export type Bucket = HeapNode &
  Tokens & {
    kind: 'user' | 'host'
    name: string
    /** Watches and charges that refer to it; it is dropped with the last one. */
    references: number
    out: number
    /** A watch has been charged that is not out yet: there may be one. */
    claimed: boolean
    /** Requests per millisecond that are planned for its watches, and what is left of them by its limit: see `valuation.ts`. */
    load: number
    factor: number
    /** Watches that wait for this budget; null before the first. */
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
