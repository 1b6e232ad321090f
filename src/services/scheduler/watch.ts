import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { ServiceLevel, TimeWindow } from '../../core/profile.ts'
import type { Belief } from '../../core/time/change-belief.ts'
import type { Rhythm } from './value/rhythm.ts'

/** One source as it is fetched: once, for all of its owners. */
export type Watch = {
  /** An integer that is stable across restarts. */
  id: number
  level: ServiceLevel
  /** The host a check is charged to: a host key, or '' for a source without a host. */
  host: string
  /** Users who may be charged for a check, in this order; one of them pays. */
  payers: readonly string[]
  everyMs: number
  everyMaxMs: number
  /** 1 is normal; the tolerance is divided by it, so that urgent watches have the earlier deadline. */
  urgency: number
  /** Checks are allowed while one of them is open; null for always. */
  windows: readonly TimeWindow[] | null
  paused: boolean
  /** Demand for its changes: owners weighted by level and urgency. 1, the default, is one silver owner. */
  demand?: number
  /** Groups of similar sources, the widest first: see `priors.ts`. */
  groups?: readonly string[]
}

/** Persistent state of a watch, so that a restart continues where the last run ended. */
export type WatchState = {
  id: number
  /** Wall time of the last check, with any outcome. */
  lastAt: number
  lastOutcome: Outcome
  /** Consecutive failures. */
  failures: number
  intervalMs: number
  /** Weighted sums for estimating the change rate: see `change-rate.ts`. */
  checks: number
  changes: number
  observedMs: number
  /** For a feed: when it asks to be polled. */
  schedule?: FeedSchedule
  /** For the policy `value`: estimated change rate, requests per check, and times of change. */
  belief?: Belief
  cost?: number
  rhythm?: Rhythm
}

export type Outcome = 'none' | 'changed' | 'unchanged' | 'failed'

/** Highest first; tables store a level as its index. */
export const serviceLevels = ['gold', 'silver', 'bronze'] as const satisfies readonly ServiceLevel[]

/** Maximum number of users who can be charged for a watch, which bounds the cost of a decision. */
export const maxPayers = 16
