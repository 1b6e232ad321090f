import type { Clock } from '../../core/clock.ts'
import type { CollectionRun, CollectionRunStore } from '../../store/contracts/collection-runs.ts'
import { createSleeper } from '../watching/sleeper.ts'

export type RetentionDeps = {
  runs: Pick<CollectionRunStore, 'last'>
  everyMs: number
  clock: Clock
  /** Runs one collection, which records itself. Ends soon after the signal, leaving a consistent state. */
  collect(signal: AbortSignal): Promise<void>
  onProblem(message: string, fields: Record<string, unknown>): void
}

export type Retention = {
  /** Interrupts a collection; the next one continues. */
  end(): Promise<void>
}

/** Maximum share of time spent collecting, regardless of the amount of work. */
const MAX_SHARE = 0.1
const MAX_RETRY_MS = 60_000

/**
 * Applies the retention of a service in the background: waits until it is due, collects, and waits again. Due times follow from the
 * recorded last run, of this process or another, so restarts neither skip nor add one. While a collection can't run (a backup holds the
 * files, the store is unavailable) it is retried every minute.
 */
export function startRetention({ runs, everyMs, clock, collect, onProblem }: RetentionDeps): Retention {
  const ending = new AbortController()
  const { signal } = ending
  const sleeper = createSleeper(signal)

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await sleeper.sleep(turnOf(await runs.last(), everyMs, clock.now()) - clock.now())
        if (!signal.aborted) await collect(signal)
      } catch (error) {
        const againInMs = Math.min(everyMs, MAX_RETRY_MS)
        onProblem('retention could not run, trying again later', { error: String(error), againInMs })
        await sleeper.sleep(againInMs)
      }
    }
  }

  const done = run()
  return {
    async end() {
      ending.abort()
      await done
    },
  }
}

/** When the next collection is due, as wall time. An unfinished one is continued at once. */
export function turnOf(last: CollectionRun | null, everyMs: number, now: number): number {
  if (last === null || last.state === 'running' || last.state === 'interrupted') return now
  const pauseMs = Math.max(everyMs, last.tookMs / MAX_SHARE)
  // A clock set back must not delay it.
  return Math.min(last.startedAt, now) + pauseMs
}
