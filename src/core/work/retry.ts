import { setTimeout as delay } from 'node:timers/promises'
import { type AppError, isAppError } from '../errors.ts'
import type { Track } from './retries.ts'

/** Resolves after a while, or as soon as `signal` aborts. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>

export const wait: Wait = (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {})

/** Whether the same call may succeed later. */
export function isTemporary(error: unknown): error is AppError {
  return isAppError(error) && error.retry === 'later'
}

export type BackoffLimits = { firstMs: number; lastMs: number }

/** Exponential backoff: delays double from `firstMs` to `lastMs`. `reset` after a success. */
export function createBackoff({ firstMs, lastMs }: BackoffLimits) {
  let nextMs = firstMs
  return {
    nextMs(): number {
      const ms = Math.min(lastMs, nextMs)
      nextMs = Math.min(lastMs, 2 * ms)
      return ms
    },
    reset(): void {
      nextMs = firstMs
    },
  }
}

export type RetryOptions = BackoffLimits & {
  /** Ends the wait immediately; the last error is thrown. */
  signal?: AbortSignal
  /** Temporary errors are retried unless this says otherwise. `attempt` is the number of the call that failed, from 1. */
  shouldRetry?(error: unknown, attempt: number): boolean
  /** Makes this wait visible; see `Retries`. */
  track?: Track | undefined
  /** The first answer may take long, so it isn't reported as late. */
  mayTakeLong?: boolean
  /** Called before every wait. */
  onWait?(error: unknown, waitMs: number): void
  wait?: Wait
}

/** Calls `work` until it succeeds, with exponential backoff. Throws errors that should not be retried. */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  if (options.mayTakeLong !== true) options.track?.begin()
  try {
    return await repeat(work, options)
  } finally {
    options.track?.done()
  }
}

async function repeat<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, shouldRetry = isTemporary, onWait } = options
  const isAborted = (): boolean => signal?.aborted === true
  const backoff = createBackoff(options)
  for (let attempt = 1; ; attempt++) {
    let failure: unknown
    try {
      return await work(attempt)
    } catch (error) {
      if (isAborted() || !shouldRetry(error, attempt)) throw error
      failure = error
    }
    const waitMs = backoff.nextMs()
    options.track?.failed(failure)
    onWait?.(failure, waitMs)
    await (options.wait ?? wait)(waitMs, signal)
    if (isAborted()) throw failure
  }
}
