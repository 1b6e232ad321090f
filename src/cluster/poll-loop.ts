import { isAppError } from '../core/errors.ts'
import type { Track } from '../core/work/retries.ts'
import { createSleeper } from '../services/watching/sleeper.ts'

export type LoopOptions = {
  everyMs: number
  /** While the work fails the wait doubles up to this; left out where it stays the same. */
  maxEveryMs?: number
  work(): Promise<void>
  /** Where it is seen that the work fails and will be tried again. */
  track: Track
  /** A turn should be over soon. */
  isShort?: boolean
  /** The work can never succeed, so the loop has ended. Where it is left out, every failure is tried again. */
  onFailed?(error: unknown): void
}

export type Loop = {
  /** Resolves when the work was done or has failed for the first time. */
  readonly first: Promise<void>
  /** Does the work again as soon as the current turn is over. */
  now(): void
  /** Resolves when the current turn is over. */
  end(): Promise<void>
}

/** Does a piece of work again and again, one turn after the other, until it is ended. */
export function startLoop(options: LoopOptions): Loop {
  const { everyMs, maxEveryMs = everyMs, work, track, isShort = false, onFailed } = options
  const ending = new AbortController()
  const sleeper = createSleeper(ending.signal)
  let waitMs = everyMs

  async function once(): Promise<void> {
    if (isShort) track.begin()
    try {
      await work()
      track.done()
      waitMs = everyMs
    } catch (error) {
      if (onFailed !== undefined && (!isAppError(error) || error.retry === 'never')) {
        ending.abort()
        track.done()
        return onFailed(error)
      }
      track.failed(error)
      waitMs = Math.min(maxEveryMs, waitMs * 2)
    }
  }

  async function run(): Promise<void> {
    await first
    while (!ending.signal.aborted) {
      await sleeper.sleep(waitMs)
      if (!ending.signal.aborted) await once()
    }
  }

  const first = once()
  const done = run()
  return {
    first,
    now: sleeper.wake,
    async end() {
      ending.abort()
      await done
      track.done()
    },
  }
}
