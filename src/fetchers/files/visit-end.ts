import { AppError } from '../../core/errors.ts'

/** Why a visit was ended, as an AppError. */
export function endOf(signal: AbortSignal): AppError {
  return signal.reason instanceof AppError
    ? signal.reason
    : new AppError('total-timeout', 'the visit was ended before it was done')
}

/** The result of some work, or the end of the visit if that is earlier. The work is left to end by itself. */
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
