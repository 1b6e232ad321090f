import type { WatchNews } from '../../core/errand-order.ts'
import type { WatchOutcome } from '../../store/watches.ts'

type Round = {
  /** Requests that are queued or in hand, as far as it was told. */
  queued: number
  /** The order to begin was not answered yet: until then nothing can be over. */
  beginning: boolean
  /** The newest version when it began. */
  mark: number
  changed: number
  failed: number
  pages: number
  source: WatchNews['source']
  landed: string | null
  visited: readonly number[]
}

export type FinishedRound = WatchOutcome & { mark: number; changed: boolean; failed: boolean }

/**
 * Checks that are under way. News may come before the answer to the order that caused them, so a check is over when nothing is
 * queued and its beginning was confirmed.
 */
export function createRounds() {
  const rounds = new Map<number, Round>()

  function roundOf(watch: number): Round {
    const known = rounds.get(watch)
    if (known !== undefined) return known
    const fresh: Round = {
      queued: 0,
      beginning: false,
      mark: 0,
      changed: 0,
      failed: 0,
      pages: 0,
      source: null,
      landed: null,
      visited: [],
    }
    rounds.set(watch, fresh)
    return fresh
  }

  return {
    begin(watch: number, mark: number, visited: readonly number[]): void {
      Object.assign(roundOf(watch), { beginning: true, mark, visited })
    },
    /** The order was carried out, or (with 0) not at all. */
    begun(watch: number, queued: number): void {
      const round = roundOf(watch)
      round.beginning = false
      round.queued += queued
    },
    /** Found at the start: left over from before. */
    resume(watch: number, queued: number): void {
      roundOf(watch).queued = queued
    },
    note(news: WatchNews): void {
      const round = roundOf(news.watch)
      round.queued += news.queued
      round.changed += news.changed
      round.failed += news.failed
      round.pages += news.changed + news.unchanged
      round.source = news.source ?? round.source
      round.landed = news.landed ?? round.landed
    },
    /** Requests that the check has come to so far. */
    requests(watch: number): number {
      const round = rounds.get(watch)
      return round === undefined ? 0 : round.pages + round.failed + Math.max(0, round.queued)
    },
    has: (watch: number): boolean => rounds.has(watch),
    /** Those that are over. */
    takeFinished(at: number): FinishedRound[] {
      const finished: FinishedRound[] = []
      for (const [watch, round] of rounds) {
        if (round.beginning || round.queued > 0) continue
        rounds.delete(watch)
        const changed = round.changed > 0
        // A page that fails far from the source is not the source's failure.
        const failed = !changed && (round.source?.outcome === 'failed' || (round.pages === 0 && round.failed > 0))
        const outcome = failed ? 'failed' : changed ? 'changed' : (round.source?.outcome ?? 'unchanged')
        const status = round.source?.status ?? 0
        finished.push({
          watch,
          mark: round.mark,
          checkedAt: at,
          outcome,
          status,
          landed: round.landed,
          visited: round.visited,
          changed,
          failed,
        })
      }
      return finished
    },
    size: (): number => rounds.size,
  }
}
