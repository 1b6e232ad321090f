/**
 * Estimates how often a source changes from its checks, and derives the check interval.
 *
 * A check says only whether something changed since the last one, not how often: the history is incomplete, and
 * changes divided by time is too low for sources that change faster than they are checked. If changes are a Poisson
 * process with rate r, a check after time t finds none with probability exp(-rt). Of n checks, X found a change; Cho and
 * Garcia-Molina ("Estimating frequency of change", 2003) give the estimate -log((n - X + 0.5) / (n + 0.5)) / t, whose
 * halves remove most of the bias and keep it finite if every check found a change. For unequal gaps between checks, t
 * is their mean.
 *
 * All three sums decay by a constant factor with each check, so that about the last seven count. More would be steadier,
 * but a source that wakes up after months must be followed: from a day down to an hour in some twenty checks.
 */
export type ChangeRecord = { checks: number; changes: number; observedMs: number }

const FADE = 0.85

export function observe(record: ChangeRecord, elapsedMs: number, changed: boolean): ChangeRecord {
  return {
    checks: record.checks * FADE + 1,
    changes: record.changes * FADE + (changed ? 1 : 0),
    observedMs: record.observedMs * FADE + elapsedMs,
  }
}

/** Changes per millisecond; 0 if none was seen. */
export function changeRate({ checks, changes, observedMs }: ChangeRecord): number {
  if (changes <= 0 || checks <= 0 || observedMs <= 0) return 0
  return (-Math.log((Math.max(0, checks - changes) + 0.5) / (checks + 0.5)) * checks) / observedMs
}

/**
 * Target number of changes per interval. With a half, two checks in five find something, a change is seen after a
 * quarter of the mean time between changes, and few changes are merged with the next.
 */
const CHANGES_PER_CHECK = 0.5

/** Limits of one step: a single observation grows the interval by half, or halves it, at most. */
const LONGEST_STEP = 1.5
const SHORTEST_STEP = 0.5

export type Bounds = { everyMs: number; everyMaxMs: number }

export function nextInterval(intervalMs: number, { everyMs, everyMaxMs }: Bounds, record: ChangeRecord): number {
  const rate = changeRate(record)
  const wished = rate === 0 ? Number.POSITIVE_INFINITY : CHANGES_PER_CHECK / rate
  const near = Math.min(Math.max(wished, intervalMs * SHORTEST_STEP), intervalMs * LONGEST_STEP)
  return Math.min(Math.max(near, everyMs), Math.max(everyMs, everyMaxMs))
}

/** Exponential backoff: the interval, doubled for each consecutive failure, up to the upper bound. */
export function backOff(intervalMs: number, everyMaxMs: number, failures: number): number {
  return Math.max(intervalMs, Math.min(intervalMs * 2 ** failures, everyMaxMs))
}
