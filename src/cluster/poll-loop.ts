import { isAppError } from '../core/errors.ts'
import type { Track } from '../core/work/retries.ts'
import { createSleeper } from '../services/watching/sleeper.ts'

export type LoopOptions = {
  everyMs: number
  /** Maximum wait; while the work fails, the wait doubles up to this. By default it stays the same. */
  maxEveryMs?: number
  work(): Promise<void>
  /** Records that the work is failing and will be retried. */
  track: Track
  /** Whether a turn should be over soon: one that takes long is then reported as waiting. */
  isShort?: boolean
  /** Called when the work can never succeed and the loop has ended. If omitted, every failure is retried. */
  onFailed?(error: unknown): void
}

export type Loop = {
  /** Resolves when the first turn has succeeded or failed. */
  readonly first: Promise<void>
  /** Does the work again as soon as the current turn is over. */
  now(): void
  /** Resolves when the current turn is over. */
  end(): Promise<void>
}

/** Repeats a piece of work, one turn at a time, until it is ended. */
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
