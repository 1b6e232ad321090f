import { isSaidChanged, isSaidUnchanged, type QueuedRequest } from '../../../core/request.ts'
import { believeCount, priorBelief, rateOf } from '../../../core/time/change-belief.ts'
import type { KnownDocument } from '../../../store/contracts/documents.ts'

/**
 * How long a page below a watched source waits before it is requested again, if requests are scarce: its share of the requests follows
 * from its own changes, and from what a sitemap says about it. Sitemaps lie, in both directions, so neither claim counts for ever.
 */
type Pages = Pick<KnownDocument, 'firstAt' | 'checkedAt' | 'versions'>

/** Prior change rate of a page below a source, per millisecond: once in 30 days. */
const USUAL_RATE = 1 / (30 * 86_400_000)
/** Factors on the usual wait for pages that a sitemap calls changed, and unchanged. */
const CHANGED_WAIT = 1 / 8
const UNCHANGED_WAIT = 4

function waitOf({ firstAt, checkedAt, versions }: Pages, pace: number): number {
  const belief = believeCount(priorBelief(USUAL_RATE), Math.max(0, versions - 1), Math.max(0, checkedAt - firstAt))
  return pace / Math.sqrt(rateOf(belief))
}

/** Whether a page that a sitemap calls changed goes ahead of others: not if that would be far more often than it is known to change. */
export const goesAhead = (known: Pages, round: number, pace: number): boolean =>
  round - known.checkedAt >= CHANGED_WAIT * waitOf(known, pace)

export function isWaiting(known: Pages, request: Pick<QueuedRequest, 'check' | 'priority'>, pace: number): boolean {
  if (isSaidChanged(request)) return false
  const waitMs = waitOf(known, pace) * (isSaidUnchanged(request) ? UNCHANGED_WAIT : 1)
  return request.check.round - known.checkedAt < waitMs
}
