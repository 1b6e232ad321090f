import { AppError } from '../../core/errors.ts'
import { backOff } from './change-rate.ts'
import type { WatchEntry } from './watch-entry.ts'

export type Timing = {
  /** Shortest interval; shorter ones are raised to it. */
  minEveryMs: number
  /** A check is in time if done within this fraction of its interval, divided by its urgency, after it came due. */
  tolerance: number
  minToleranceMs: number
  maxToleranceMs: number
  /** Maximum jitter as a fraction of the interval, so that sources with the same interval do not come due together. */
  jitter: number
  /** A check handed out and not reported done within this time is lost, and repeated. */
  lostAfterMs: number
}

export const defaultTiming: Timing = {
  minEveryMs: 30_000,
  tolerance: 0.5,
  minToleranceMs: 1_000,
  maxToleranceMs: 6 * 3_600_000,
  jitter: 0.05,
  lostAfterMs: 3_600_000,
}

/** Durations of one watch. */
export type WatchTiming = {
  /** From one check to the next, failures and jitter included. */
  waitMs(entry: WatchEntry): number
  deadlineAt(entry: WatchEntry): number
  /** When a check must be done to be in time: the deadline, but not later than promised to its owners. */
  promisedAt(entry: WatchEntry): number
  /** Delay that keeps watches with the same time window from all starting as it opens. */
  jitterMs(entry: WatchEntry): number
}

export function createWatchTiming({ tolerance, minToleranceMs, maxToleranceMs, jitter }: Timing): WatchTiming {
  const jitterMs = ({ id, intervalMs }: WatchEntry): number => intervalMs * jitter * phaseOf(id)
  const deadlineAt = ({ intervalMs, urgency, dueAt }: WatchEntry): number =>
    dueAt + Math.min(Math.max((intervalMs * tolerance) / urgency, minToleranceMs), maxToleranceMs)
  return {
    waitMs(entry) {
      const { failures, intervalMs, everyMaxMs } = entry
      return (failures === 0 ? intervalMs : backOff(intervalMs, everyMaxMs, failures)) + jitterMs(entry)
    },
    deadlineAt,
    promisedAt(entry) {
      const { checkedAt, intervalMs, everyMaxMs, dueAt } = entry
      if (intervalMs <= everyMaxMs || checkedAt === Number.NEGATIVE_INFINITY) return deadlineAt(entry)
      const promised = { ...entry, intervalMs: everyMaxMs }
      return deadlineAt({ ...promised, dueAt: Math.min(dueAt, checkedAt + everyMaxMs + jitterMs(promised)) })
    },
    jitterMs,
  }
}

/** Hashes an id to [0, 1): deterministic, and practically random from one id to the next. */
export function phaseOf(id: number): number {
  const word = (id >>> 0) ^ Math.imul(Math.floor(id / 2 ** 32) + 1, 0x9e3779b1)
  let h = word ^ (word >>> 16)
  h = Math.imul(h, 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32
}

/** Throws `internal` for NaN and infinities, which would break the order of a heap. */
export function checkedDuration(ms: number, leastMs: number): number {
  if (!Number.isFinite(ms)) throw new AppError('internal', `not an interval: ${ms}`)
  return Math.max(ms, leastMs)
}

/** Throws `internal` for an invalid id. */
export function checkId(id: number): void {
  if (!Number.isSafeInteger(id) || id < 0) throw new AppError('internal', `not a whole number: ${id}`)
}
