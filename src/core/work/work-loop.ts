import type { Track } from './retries.ts'
import { createBackoff, isTemporary } from './retry.ts'

export type WorkLoopDeps = {
  /** Does one piece of work. Resolves to whether there may be more. */
  work(): Promise<boolean>
  /** How long to rest when there is no more work, unless woken. */
  restMs: number
  mustEnd(): boolean
  /** Reports that the work is waiting. */
  track: Track
  /** Whether to continue after this failure. Default: `isTemporary`. */
  goesOnAfter?(error: unknown): boolean
}

export type WorkLoop = {
  /** Call when there may be work, or when the loop should end. */
  wake(): void
  /** Resolves when the loop has ended; rejects with an error that is not worth a retry. */
  run(): Promise<void>
}

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 5_000

/**
 * Runs a thread's work piece by piece. The loop
 * - works as long as there is more;
 * - rests when there is none, until it is woken or `restMs` have passed;
 * - backs off exponentially while the store is unavailable;
 * - ends when it must, after finishing the current piece.
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
