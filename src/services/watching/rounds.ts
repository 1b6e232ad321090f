import type { WatchNews } from '../../core/errand-order.ts'
import type { WatchOutcome } from '../../store/watches.ts'

type Round = {
  /** Requests that are queued or in hand, as far as it was told. */
  queued: number
  /** The order to begin was not answered yet: until then nothing can be over. */
  beginning: boolean
  round: number
  changed: number
  failed: number
  pages: number
  source: WatchNews['source']
  landed: string | null
  visited: readonly number[]
}

export type FinishedRound = WatchOutcome & { changed: boolean; failed: boolean }

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
      round: 0,
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
    begin(watch: number, round: number, visited: readonly number[]): void {
      Object.assign(roundOf(watch), { beginning: true, round, visited })
    },
    /** The order was carried out, or (with 0) not at all. */
    begun(watch: number, queued: number): void {
      const round = roundOf(watch)
      round.beginning = false
      round.queued += queued
    },
    /** Found at the start: left over from before. */
    resume(watch: number, queued: number, round: number): void {
      Object.assign(roundOf(watch), { queued, round })
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
          round: round.round,
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
