import { AppError } from '../../core/errors.ts'

/** Why a visit was aborted, as an AppError. */
export function endOf(signal: AbortSignal): AppError {
  return signal.reason instanceof AppError
    ? signal.reason
    : new AppError('total-timeout', 'the visit was ended before it was done')
}

/** Resolves with the work, or rejects when the visit is aborted first. The work is not cancelled. */
export function untilEnd<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(endOf(signal))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
