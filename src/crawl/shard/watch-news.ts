import type { CaptureOutcome } from '../../store/documents.ts'
import type { Finished } from './batch.ts'
import type { Watches } from './watches.ts'

/** Notes for its watch what a finished request came to. */
export function noteNews(
  watches: Watches,
  { request, capture, skipped }: Finished,
  outcome: CaptureOutcome | null,
): void {
  const news = watches.newsOf(request.errand.watch)
  const kind = outcomeOf(capture, outcome)
  if (kind === 'stored' || kind === 'duplicate' || kind === 'gone') news.changed++
  else if (kind === 'failed') news.failed++
  else news.unchanged++
  if (request.hops > 0 || capture === null) return
  if (capture.kind === 'gone' && capture.outcome === 'redirect') news.landed = capture.location
  else news.source = { status: capture.status, outcome: skipped === undefined ? kind : `${kind}: ${skipped}` }
}

function outcomeOf(capture: Finished['capture'], outcome: CaptureOutcome | null): string {
  if (capture === null || outcome === null) return 'unchanged'
  if (outcome.kind === 'incomplete') return 'failed'
  if (outcome.kind !== 'noted') return outcome.kind
  if (capture.kind === 'met') return 'unchanged'
  return capture.kind === 'body' ? 'unchanged' : capture.outcome
}
