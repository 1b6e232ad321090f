/**
 * How often a source changes, as far as checks can tell, and the interval that follows from it.
 *
 * A check says only whether something changed since the last one, not how often: the history is incomplete, and
 * changes divided by time is too low for sources that change faster than they are checked. If changes come at random with
 * rate r, a check after time t finds none with probability exp(-rt). Of n checks, X found a change; Cho and
 * Garcia-Molina ("Estimating frequency of change", 2003) give the estimate -log((n - X + 0.5) / (n + 0.5)) / t, whose
 * halves take out most of the bias and keep it finite where every check found a change. Where checks were not equally
 * far apart their mean distance is used for t.
 *
 * All three sums fade by a constant factor with each check, so that about the last seven count. More would be steadier,
 * but a source that has slept for months and begins to change is to be followed: from a day down to an hour in
 * some twenty checks.
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

/** Changes per millisecond; 0 while none was seen. */
export function changeRate({ checks, changes, observedMs }: ChangeRecord): number {
  if (changes <= 0 || checks <= 0 || observedMs <= 0) return 0
  return (-Math.log((Math.max(0, checks - changes) + 0.5) / (checks + 0.5)) * checks) / observedMs
}

/**
 * Changes that one interval shall have on average. With a half, two checks in five find something, a change is seen
 * after a quarter of the mean time between changes, and few are seen only together with the next.
 */
const CHANGES_PER_CHECK = 0.5

/** One observation must not throw away what was known: an interval grows by half and shrinks to its half at most. */
const LONGEST_STEP = 1.5
const SHORTEST_STEP = 0.5

export type Bounds = { everyMs: number; everyMaxMs: number }

export function nextInterval(intervalMs: number, { everyMs, everyMaxMs }: Bounds, record: ChangeRecord): number {
  const rate = changeRate(record)
  const wished = rate === 0 ? Number.POSITIVE_INFINITY : CHANGES_PER_CHECK / rate
  const near = Math.min(Math.max(wished, intervalMs * SHORTEST_STEP), intervalMs * LONGEST_STEP)
  return Math.min(Math.max(near, everyMs), Math.max(everyMs, everyMaxMs))
}

/** What a source waits after `failures` in a row: the interval, doubled each time, up to the upper bound. */
export function backOff(intervalMs: number, everyMaxMs: number, failures: number): number {
  return Math.max(intervalMs, Math.min(intervalMs * 2 ** failures, everyMaxMs))
}
