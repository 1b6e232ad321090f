import type { Clock } from '../core/clock.ts'

export type IdleWorkDeps = {
  /** Indexes texts and compresses full files, in its own thread. */
  background: { setPaused(paused: boolean): void; wake(): void }
  /** Sum of the shards' utilisation at the moment. */
  busyShards(): number
  shards: number
  indexes: boolean
  clock: Pick<Clock, 'monotonic'>
}

/** Mean utilisation of the shards above which background work is paused. */
const BUSY = 0.5
/** Consecutive calm progress reports before background work starts: about a second. */
const CALM_TICKS = 5
/** New versions are indexed after this many of them, or after this time. */
const INDEX_VERSIONS = 500
const INDEX_MS = 30_000

/** Lets background work run while the shards have little to do. Returns a function to call with every progress report. */
export function createIdleWork({ background, busyShards, shards, indexes, clock }: IdleWorkDeps) {
  const indexIsDue = indexes ? createPace(clock, { step: INDEX_VERSIONS, everyMs: INDEX_MS }) : () => false
  let calmTicks = 0
  // Threads that are still loading look idle, but that is not the time for background work.
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

/** Returns true if the count has grown by `step`, or has grown at all and `everyMs` have passed, since it last returned true. */
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
