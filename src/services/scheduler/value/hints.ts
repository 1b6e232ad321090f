import type { SourceHints } from '../../../core/check-order.ts'
import { type Belief, believe, believeCount } from '../../../core/time/change-belief.ts'
import { noteWatched, type Rhythm } from './rhythm.ts'

/** Weight of a cache lifetime, in changes: the server expects the page to stay unchanged that long. */
const CACHE_WEIGHT = 0.25
/** Maximum number of entry dates used at the first check. */
const MAX_DATES = 20

/** Result of a check. `beforeAt` is the time of the previous one; null for the first. */
export type Observed = { at: number; beforeAt: number | null; elapsedMs: number; changed: boolean; hints: SourceHints }

/**
 * The belief after a check. If the source dates its changes, their number is known, which says more than that something changed;
 * and even the first check, which says nothing by itself, hints at the change rate.
 */
export function believeHinted(belief: Belief, { at, beforeAt, elapsedMs, changed, hints }: Observed): Belief {
  // Entries with the same date count as one change: a regenerated list dates all its entries anew.
  const dates = [...new Set(hints.dates)].filter((date) => date <= at)
  if (beforeAt === null) return firstBelief(belief, at, hints, dates)
  const news = dates.filter((date) => date > beforeAt).length
  return changed && news > 0 ? believeCount(belief, news, elapsedMs) : believe(belief, elapsedMs, changed)
}

function firstBelief(
  belief: Belief,
  at: number,
  { modifiedAt, freshForMs }: SourceHints,
  dates: readonly number[],
): Belief {
  const newest = dates.toSorted((a, b) => b - a).slice(0, MAX_DATES)
  const oldest = newest.at(-1)
  if (oldest !== undefined && newest.length > 1 && oldest < at)
    return believeCount(belief, newest.length - 1, at - oldest)
  if (modifiedAt !== undefined && modifiedAt < at) return believeCount(belief, 1, at - modifiedAt)
  return freshForMs === undefined ? belief : believeCount(belief, CACHE_WEIGHT, CACHE_WEIGHT * freshForMs)
}

/**
 * The rhythm after a check. A change is placed at the date the source gives, or else between the two checks. A source that changes more
 * often than it is checked teaches nothing: it changes in every hour.
 */
export function rhythmAfter(
  rhythm: Rhythm | null,
  { at, beforeAt, elapsedMs, changed, hints }: Observed,
  ratePerMs: number,
): Rhythm | null {
  if (beforeAt === null || beforeAt >= at) return rhythm
  const dated = Math.max(hints.modifiedAt ?? 0, ...(hints.dates ?? []).filter((date) => date <= at))
  if (changed && dated > beforeAt && dated <= at)
    return noteWatched(rhythm, { from: beforeAt, to: at, changed: { from: dated, to: dated } })
  if (elapsedMs * ratePerMs >= 1) return rhythm
  const between = { from: beforeAt, to: at }
  return noteWatched(rhythm, { ...between, changed: changed ? between : null })
}
