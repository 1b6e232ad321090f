import type { CheckResult, SourceHints } from '../../core/check-order.ts'
import type { FeedSchedule } from '../../core/feed/feed.ts'
import type { WatchOutcome } from '../../store/contracts/watches.ts'

type CheckRun = {
  /** Started here or found at startup. For any other only the count is kept: its results came after its end, or before its start. */
  known: boolean
  /** Requests that are queued or in flight, as far as reported. */
  queued: number
  /** Unacknowledged start orders: while there are any, the check can't be over. A lost check is ordered again. */
  beginning: number
  /** The newest version when it started. */
  mark: number
  changed: number
  failed: number
  pages: number
  source: CheckResult['source']
  landed: string | null
  visited: readonly number[]
  /** It has reached its limit of requests. */
  isFull: boolean
}

/** `tried`: the URDs whose first visit this was meant to be. */
export type FinishedCheckRun = WatchOutcome & {
  mark: number
  changed: boolean
  failed: boolean
  tried: readonly number[]
  /** Of a feed, if one was read. */
  schedule: FeedSchedule | undefined
  hints: SourceHints | undefined
  /** Number of requests made. */
  requests: number
}

/**
 * Checks in progress. Results may arrive before the order that caused them is acknowledged, so a check is over when nothing is queued and
 * its start was acknowledged. Results of one shard may also overtake those of another: the sum may be negative for a moment, and late
 * results still count, or the sum of the next check would never reach zero.
 */
export function createCheckRuns() {
  const runs = new Map<number, CheckRun>()

  function runOf(watch: number): CheckRun {
    const known = runs.get(watch)
    if (known !== undefined) return known
    const fresh: CheckRun = {
      known: false,
      queued: 0,
      beginning: 0,
      mark: 0,
      changed: 0,
      failed: 0,
      pages: 0,
      source: null,
      landed: null,
      visited: [],
      isFull: false,
    }
    runs.set(watch, fresh)
    return fresh
  }

  return {
    begin(watch: number, mark: number, visited: readonly number[]): void {
      const run = runOf(watch)
      Object.assign(run, { known: true, beginning: run.beginning + 1, mark, visited, isFull: false })
    },
    /** The order was acknowledged; 0 if it was not carried out. */
    begun(watch: number, queued: number): void {
      const run = runOf(watch)
      run.beginning--
      run.queued += queued
    },
    /** Continues a check found at startup. Part of it may be done by now. */
    resume(watch: number, queued: number, mark: number, visited: readonly number[]): void {
      const run = runOf(watch)
      Object.assign(run, { known: true, mark, visited })
      run.queued += queued
    },
    note(results: CheckResult): void {
      const run = runOf(results.watch)
      run.queued += results.queued
      run.changed += results.changed
      run.failed += results.failed
      run.pages += results.changed + results.unchanged
      run.source = results.source ?? run.source
      run.landed = results.landed ?? run.landed
    },
    /** True once for each check that exceeds the limit. */
    becomesFull(watch: number, maxRequests: number): boolean {
      const run = runs.get(watch)
      if (run === undefined || run.isFull) return false
      run.isFull = run.pages + run.failed + Math.max(0, run.queued) > maxRequests
      return run.isFull
    },
    isFull: (watch: number): boolean => runs.get(watch)?.isFull === true,
    isUnderWay: (watch: number): boolean => runs.get(watch)?.known === true,
    has: (watch: number): boolean => runs.has(watch),
    /** Removes and returns the checks that are over. */
    takeFinished(at: number): FinishedCheckRun[] {
      const finished: FinishedCheckRun[] = []
      for (const [watch, run] of runs) {
        if (run.beginning > 0 || run.queued !== 0) continue
        runs.delete(watch)
        if (!run.known) continue
        const changed = run.changed > 0
        const { outcome, failed } = outcomeOf(run)
        const status = run.source?.status ?? 0
        finished.push({
          watch,
          mark: run.mark,
          checkedAt: at,
          outcome,
          status,
          changes: run.changed,
          landed: run.landed,
          visited: hasSeen(outcome, status) ? run.visited : [],
          tried: run.visited,
          changed,
          failed,
          schedule: run.source?.schedule,
          hints: run.source?.hints,
          requests: run.pages + run.failed,
        })
      }
      return finished
    },
    size: (): number => runs.size,
  }
}

/** Whether the source could be read. Until then its first visit is still to come: the first success is the baseline. */
function hasSeen(outcome: string, status: number): boolean {
  return !/^(?:failed|skipped|redirect)/.test(outcome) && status < 400
}

/**
 * A new version anywhere is a change. Otherwise the source itself decides: a failure of a page below it isn't its failure. A source that
 * `failed` is retried with backoff; one that may not be fetched is checked at its usual times.
 */
function outcomeOf({ source, changed, pages, failed, landed }: CheckRun): { outcome: string; failed: boolean } {
  if (changed > 0) return { outcome: 'changed', failed: false }
  // A source without a result, or that redirects to a page without one, was dropped together with its host.
  const isDropped = source === null && failed > 0 && (pages === 0 || landed !== null)
  const outcome = source?.outcome ?? (isDropped ? 'failed: host-given-up' : 'unchanged')
  return { outcome, failed: outcome.startsWith('failed') }
}
