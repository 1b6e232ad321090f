import type { Track } from './retries.ts'
import { createBackoff, isTemporary } from './retry.ts'

export type WorkLoopDeps = {
  /** One piece of work. Returns whether there may be more. */
  work(): Promise<boolean>
  /** How long to rest when there is no more, unless woken. */
  restMs: number
  mustEnd(): boolean
  /** Where it is seen that the work waits. */
  track: Track
  /** After which failures it goes on; after temporary ones where nothing is said. */
  goesOnAfter?(error: unknown): boolean
}

export type WorkLoop = {
  /** There may be work, or it is time to end. */
  wake(): void
  /** Resolves when the loop has ended; rejects with an error that no retry can help. */
  run(): Promise<void>
}

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 5_000

/**
 * A thread's work, piece by piece. The loop
 * - works as long as there is more;
 * - rests when there is none, until it is woken or `restMs` have passed;
 * - waits, each time twice as long, while the store is away;
 * - ends when it must, with the piece in hand done.
 */
export function createWorkLoop({ work, restMs, mustEnd, track, goesOnAfter = isTemporary }: WorkLoopDeps): WorkLoop {
  const backoff = createBackoff({ firstMs: FIRST_RETRY_MS, lastMs: LAST_RETRY_MS })
  let wake: () => void = () => {}
  let wasWoken = false

  async function rest(ms: number): Promise<void> {
    if (mustEnd()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, wasWoken ? 0 : ms)
    wake = resolve
    await promise
    clearTimeout(timer)
    wasWoken = false
  }

  return {
    wake() {
      wasWoken = true
      wake()
    },
    async run() {
      while (!mustEnd()) {
        try {
          const hasMore = await work()
          track.done()
          backoff.reset()
          if (!hasMore) await rest(restMs)
        } catch (error) {
          if (!goesOnAfter(error)) throw error
          track.failed(error)
          await rest(backoff.nextMs())
        }
      }
    },
  }
}
