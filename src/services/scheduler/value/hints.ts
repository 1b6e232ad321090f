import type { SourceHints } from '../../../core/check-order.ts'
import { type Belief, believe, believeCount } from '../../../core/time/change-belief.ts'
import { noteWatched, type Rhythm } from './rhythm.ts'

/** What the server calls fresh, it expects to keep: that counts as a part of a change. */
const CACHE_WEIGHT = 0.25
/** Dates of entries that count at the first check. */
const MAX_DATES = 20

/** A check as it was: when the one before was made, or null for the first. */
export type Observed = { at: number; beforeAt: number | null; elapsedMs: number; changed: boolean; hints: SourceHints }

/**
 * What is believed after a check. Where the source dates its changes, their number is known, which says more than that something
 * changed; and the first check, which says nothing by itself, already tells how often it may change.
 */
export function believeHinted(belief: Belief, { at, beforeAt, elapsedMs, changed, hints }: Observed): Belief {
  // Many with one date are one change: lists that are made anew date all that is in them.
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
 * When it changes, after a check. The change was made when the source says, or else between the checks; a source that changes more often
 * than it is checked has changed in every hour, so nothing is learnt from it.
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
