import type { CheckResult } from '../../core/check-order.ts'
import type { QueuedRequest } from '../../core/request.ts'
import type { CaptureOutcome } from '../../store/contracts/documents.ts'
import type { Failure, Finished } from './batch.ts'
import { createWatches, type Watches } from './watches.ts'

/**
 * Notes for its watch what a finished request came to. Of the source itself it is said in words that stay the same: `stored`,
 * `duplicate`, `gone`, `unchanged` or `redirect`, `failed: CODE` with a code of `errors.ts`, or `skipped: REASON`.
 */
export function noteResult(watches: Watches, finished: Finished, outcome: CaptureOutcome | null): void {
  const { request, capture, skipped } = finished
  const results = watches.resultsOf(request.check.watch)
  const failure = failureOf(finished, outcome)
  const kind = failure === null ? outcomeOf(capture, outcome) : 'failed'
  if (kind === 'stored' || kind === 'duplicate' || kind === 'gone') results.changed++
  else if (kind === 'failed') results.failed++
  else results.unchanged++
  if (request.hops > 0) return
  if (failure !== null) results.source = failedSource(failure)
  else if (capture?.kind === 'gone' && capture.outcome === 'redirect') {
    results.landed = capture.location
    // It leads where nothing is fetched, so this is the end of it.
    if (skipped !== undefined) results.source = { status: capture.status, outcome: `skipped: ${skipped}` }
  } else if (capture !== null)
    results.source = { status: capture.status, outcome: skipped === undefined ? kind : `skipped: ${skipped}` }
}

/** All that was queued on a host is dropped, for a request that failed once too often; what these watches still had there is lost. */
export function noteGivenUp(
  watches: Watches,
  queued: ReadonlyMap<number, number>,
  { check, hops }: QueuedRequest,
  failure: Failure | undefined,
): void {
  watches.addQueued(queued)
  for (const watch of queued.keys()) watches.resultsOf(watch).failed++
  // Said here, since the check may be over before the request itself is kept.
  if (hops === 0 && failure !== undefined && queued.has(check.watch))
    watches.resultsOf(check.watch).source = failedSource(failure)
}

/** The same, to be told by itself. */
export function resultsOfGivenUp(
  queued: ReadonlyMap<number, number>,
  request: QueuedRequest,
  failure: Failure | undefined,
): CheckResult[] {
  const watches = createWatches()
  noteGivenUp(watches, queued, request, failure)
  return watches.takeResults()
}

function failedSource({ code, status }: Failure): CheckResult['source'] {
  return { status, outcome: `failed: ${code}` }
}

function failureOf({ capture, failure }: Finished, outcome: CaptureOutcome | null): Failure | null {
  // That it is gone by now is news, not a failure.
  if (outcome?.kind === 'gone') return null
  if (failure !== undefined) return failure
  if (capture === null) return null
  const { status } = capture
  if (outcome?.kind === 'incomplete') return { code: 'body-short', status }
  // Somebody else met it a moment ago.
  if (capture.kind !== 'met' || outcome?.kind !== 'noted' || status < 400) return null
  return { code: status < 500 ? 'http-client-error' : 'http-server-error', status }
}

function outcomeOf(capture: Finished['capture'], outcome: CaptureOutcome | null): string {
  if (capture === null || outcome === null) return 'unchanged'
  if (outcome.kind !== 'noted') return outcome.kind
  return capture.kind === 'note' || capture.kind === 'gone' ? capture.outcome : 'unchanged'
}
