import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { ServiceLevel, TimeWindow } from '../../core/profile.ts'
import type { Belief } from '../../core/time/change-belief.ts'
import type { Rhythm } from './value/rhythm.ts'

/** One source as it is fetched: once, for all of its owners. */
export type Watch = {
  /** A whole number that stays the same over restarts. */
  id: number
  level: ServiceLevel
  /** Whose budget a check is charged to: a host key, or '' for a source without a host. */
  host: string
  /** Users who may be charged for a check, in this order; one who can pay is enough. */
  payers: readonly string[]
  everyMs: number
  everyMaxMs: number
  /** 1 is normal; the tolerance is divided by it, so that urgent watches have the earlier deadline. */
  urgency: number
  /** A check may be made when one of them is open; null means always. */
  windows: readonly TimeWindow[] | null
  paused: boolean
  /** Who waits for its changes: owners by level and urgency. 1, the default, is one silver owner. */
  demand?: number
  /** Groups of sources that are alike, the widest first: see `priors.ts`. */
  groups?: readonly string[]
}

/** What the store keeps of a watch, so that a restart goes on where the last run ended. */
export type WatchState = {
  id: number
  /** Wall time of the last check, with any outcome. */
  lastAt: number
  lastOutcome: Outcome
  /** Failures in a row. */
  failures: number
  intervalMs: number
  /** Weighted sums that the change rate is estimated from: see `change-rate.ts`. */
  checks: number
  changes: number
  observedMs: number
  /** Of a feed: when it wants to be asked. */
  schedule?: FeedSchedule
  /** Of the policy `value`: what is believed of its changes, requests per check, and when it changes. */
  belief?: Belief
  cost?: number
  rhythm?: Rhythm
}

export type Outcome = 'none' | 'changed' | 'unchanged' | 'failed'

/** In the order of their rights; the index is how tables name a level. */
export const serviceLevels = ['gold', 'silver', 'bronze'] as const satisfies readonly ServiceLevel[]

/** Of more users than this only the first can be charged, so that the cost of a decision is bounded. */
export const maxPayers = 16
