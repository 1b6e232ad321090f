import { isAppError } from '../core/errors.ts'
import { createSleeper } from '../services/watching/sleeper.ts'

export type LoopOptions = {
  everyMs: number
  /** While the work fails the wait doubles up to this; left out where it stays the same. */
  maxEveryMs?: number
  work(): Promise<void>
  /** The work failed and will be tried again. Null when it succeeds again. */
  onHealthError(message: string | null): void
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
export function startLoop({ everyMs, maxEveryMs = everyMs, work, onHealthError, onFailed }: LoopOptions): Loop {
  const ending = new AbortController()
  const sleeper = createSleeper(ending.signal)
  let waitMs = everyMs
  let hasHealthError = false

  async function once(): Promise<void> {
    try {
      await work()
      if (hasHealthError) onHealthError(null)
      hasHealthError = false
      waitMs = everyMs
    } catch (error) {
      if (onFailed !== undefined && (!isAppError(error) || error.retry === 'never')) {
        ending.abort()
        return onFailed(error)
      }
      hasHealthError = true
      onHealthError(error instanceof Error ? error.message : String(error))
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
    },
  }
}
