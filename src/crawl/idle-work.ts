import type { Clock } from '../core/clock.ts'

export type IdleWorkDeps = {
  /** Indexes texts and compresses full files, in a thread of its own. */
  background: { setPaused(paused: boolean): void; wake(): void }
  /** How many shards are busy at the moment, of how many. */
  busyShards(): number
  shards: number
  indexes: boolean
  clock: Pick<Clock, 'monotonic'>
}

/** Shards that are busy for more than this part of their time are not to be disturbed. */
const BUSY = 0.5
/** Progress reports without much work after which there is time for it: about a second. */
const CALM_TICKS = 5
/** New versions are indexed in steps of so many, or after so much time. */
const INDEX_VERSIONS = 500
const INDEX_MS = 30_000

/** Lets background work run while the shards of a crawl have little to do. Returns what to call with every progress report. */
export function createIdleWork({ background, busyShards, shards, indexes, clock }: IdleWorkDeps) {
  const indexIsDue = indexes ? createPace(clock, { step: INDEX_VERSIONS, everyMs: INDEX_MS }) : () => false
  let calmTicks = 0
  // Threads that are still loading have nothing to do yet, but that is no time for other work.
  let haveBegun = false
  background.setPaused(true)
  return (stored: number): void => {
    const busy = busyShards()
    haveBegun ||= busy > 0
    calmTicks = !haveBegun || busy > shards * BUSY ? 0 : calmTicks + 1
    background.setPaused(calmTicks < CALM_TICKS)
    if (indexIsDue(stored)) background.wake()
  }
}

/** True when a count has grown by `step`, or at all for `everyMs`, since it was last true. */
export function createPace(
  clock: Pick<Clock, 'monotonic'>,
  { step, everyMs }: { step: number; everyMs: number },
): (count: number) => boolean {
  let counted = 0
  let at = clock.monotonic()
  return (count) => {
    const now = clock.monotonic()
    if (count === counted || (count - counted < step && now - at < everyMs)) return false
    counted = count
    at = now
    return true
  }
}
