import { AppError } from '../../core/errors.ts'
import { backOff } from './change-rate.ts'
import { type SlotTable, spread } from './slot-table.ts'
import type { WatchColumns } from './watch-columns.ts'

export type Timing = {
  /** Shortest interval; what is shorter is raised to it. */
  minEveryMs: number
  /** A check is in time if it is done within this part of its interval after it came due, divided by its urgency. */
  tolerance: number
  minToleranceMs: number
  maxToleranceMs: number
  /** Part of the interval that is added at most, so that sources of one interval do not come due together. */
  jitter: number
  /** A check that was handed out and not reported done for so long is lost, and comes again. */
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

/** Durations that follow from a watch's columns. */
export type WatchTiming = {
  /** From one check to the next, failures and jitter included. */
  waitMs(slot: number): number
  deadlineAt(slot: number): number
  /** The share of the interval by which all watches of a time window are kept from starting as it opens. */
  jitterMs(slot: number): number
}

export function createWatchTiming(columns: WatchColumns, slots: SlotTable, timing: Timing): WatchTiming {
  const { tolerance, minToleranceMs, maxToleranceMs, jitter } = timing

  const jitterMs = (slot: number): number => columns.intervalMs[slot]! * jitter * phaseOf(slots.idOf(slot))
  return {
    waitMs(slot) {
      const failures = columns.failures[slot]!
      const intervalMs = columns.intervalMs[slot]!
      const baseMs = failures === 0 ? intervalMs : backOff(intervalMs, columns.everyMaxMs[slot]!, failures)
      return baseMs + jitterMs(slot)
    },
    deadlineAt(slot) {
      const wished = (columns.intervalMs[slot]! * tolerance) / columns.urgency[slot]!
      return columns.dueAt[slot]! + Math.min(Math.max(wished, minToleranceMs), maxToleranceMs)
    },
    jitterMs,
  }
}

/** From 0 to below 1, always the same for one id and as good as random from one to the next. */
export function phaseOf(id: number): number {
  return spread((id >>> 0) ^ Math.imul(Math.floor(id / 2 ** 32) + 1, 0x9e3779b1)) / 2 ** 32
}

/** Throws `internal` where a duration is none: in a heap such a number would spoil the order of all. */
export function checkedDuration(ms: number, leastMs: number): number {
  if (Number.isNaN(ms) || !Number.isFinite(ms)) throw new AppError('internal', `not an interval: ${ms}`)
  return Math.max(ms, leastMs)
}

/** All checks together: so many a second, after a burst. Who goes first may put it into debt, down to a burst. */
export function createRate({ perSecond, burst }: { perSecond: number; burst: number }) {
  let tokens = burst
  let filledAt = Number.NEGATIVE_INFINITY

  function fill(now: number): void {
    const gained = ((now - filledAt) * perSecond) / 1000
    if (gained > 0) tokens = Math.min(burst, tokens + gained)
    filledAt = now
  }

  return {
    freeAt(now: number): number {
      if (perSecond === Number.POSITIVE_INFINITY) return now
      fill(now)
      const lacking = 1 - tokens
      return lacking < 1e-6 ? now : now + (lacking * 1000) / perSecond
    },
    charge(now: number): void {
      if (perSecond === Number.POSITIVE_INFINITY) return
      fill(now)
      tokens = Math.max(-burst, tokens - 1)
    },
  }
}
