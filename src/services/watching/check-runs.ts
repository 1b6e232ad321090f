import type { CheckResult } from '../../core/check-order.ts'
import type { WatchOutcome } from '../../store/contracts/watches.ts'

type CheckRun = {
  /** Begun or found at the start. Of one that was not only the count is kept: its news came after the end, or before the start. */
  known: boolean
  /** Requests that are queued or in hand, as far as it was told. */
  queued: number
  /** The order to begin was not answered yet: until then nothing can be over. */
  beginning: boolean
  /** The newest version when it began. */
  mark: number
  changed: number
  failed: number
  pages: number
  source: CheckResult['source']
  landed: string | null
  visited: readonly number[]
  /** It has come to more requests than it may. */
  isFull: boolean
}

export type FinishedCheckRun = WatchOutcome & { mark: number; changed: boolean; failed: boolean }

/**
 * Checks that are under way. News may come before the answer to the order that caused them, so a check is over when nothing is
 * queued and its beginning was confirmed. News of one shard may also overtake those of another: the sum may be below zero for a
 * moment, and what comes late counts all the same, or the sum of the next check would never be zero.
 */
export function createCheckRuns() {
  const runs = new Map<number, CheckRun>()

  function runOf(watch: number): CheckRun {
    const known = runs.get(watch)
    if (known !== undefined) return known
    const fresh: CheckRun = {
      known: false,
      queued: 0,
      beginning: false,
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
      Object.assign(runOf(watch), { known: true, beginning: true, mark, visited, isFull: false })
    },
    /** The order was carried out, or (with 0) not at all. */
    begun(watch: number, queued: number): void {
      const round = runOf(watch)
      round.beginning = false
      round.queued += queued
    },
    /** Found at the start: left over from before. Some of it may be done by now. */
    resume(watch: number, queued: number): void {
      const round = runOf(watch)
      round.known = true
      round.queued += queued
    },
    note(results: CheckResult): void {
      const round = runOf(results.watch)
      round.queued += results.queued
      round.changed += results.changed
      round.failed += results.failed
      round.pages += results.changed + results.unchanged
      round.source = results.source ?? round.source
      round.landed = results.landed ?? round.landed
    },
    /** True once for each check that has come to more requests than that. */
    becomesFull(watch: number, maxRequests: number): boolean {
      const round = runs.get(watch)
      if (round === undefined || round.isFull) return false
      round.isFull = round.pages + round.failed + Math.max(0, round.queued) > maxRequests
      return round.isFull
    },
    isFull: (watch: number): boolean => runs.get(watch)?.isFull === true,
    isUnderWay: (watch: number): boolean => runs.get(watch)?.known === true,
    has: (watch: number): boolean => runs.has(watch),
    /** Those that are over. */
    takeFinished(at: number): FinishedCheckRun[] {
      const finished: FinishedCheckRun[] = []
      for (const [watch, round] of runs) {
        if (round.beginning || round.queued !== 0) continue
        runs.delete(watch)
        if (!round.known) continue
        const changed = round.changed > 0
        const { outcome, failed } = outcomeOf(round)
        const status = round.source?.status ?? 0
        finished.push({
          watch,
          mark: round.mark,
          checkedAt: at,
          outcome,
          status,
          changes: round.changed,
          landed: round.landed,
          visited: round.visited,
          changed,
          failed,
        })
      }
      return finished
    },
    size: (): number => runs.size,
  }
}

/**
 * What is new anywhere is a change. Else it is the source that counts: a page that fails far from it is not its failure. `failed` is
 * what is tried again later and later; a source that may not be fetched is asked for at its usual times.
 */
function outcomeOf({ source, changed, pages, failed, landed }: CheckRun): { outcome: string; failed: boolean } {
  if (changed > 0) return { outcome: 'changed', failed: false }
  // Of a source that nobody came to, or that leads where nobody came to, the requests were dropped with their host.
  const isDropped = source === null && failed > 0 && (pages === 0 || landed !== null)
  const outcome = source?.outcome ?? (isDropped ? 'failed: host-given-up' : 'unchanged')
  return { outcome, failed: outcome.startsWith('failed') }
}
