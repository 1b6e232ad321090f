/**
 * The only file that may call `Promise.race`. Each call adds a reaction to every promise it is given, and the reaction retains the result
 * of the race. That is harmless on a promise that settles soon, but a leak on one that lives as long as the process.
 */

/** Settles like `work`, or rejects with the failure if that comes first. */
export type WhileAlive = <T>(work: Promise<T>) => Promise<T>

/**
 * Ties any number of promises to one that may never settle. Only one reaction is added to it, and finished work leaves nothing behind.
 * Nothing happens if `failed` resolves.
 */
export function createWhileAlive(failed: Promise<unknown>): WhileAlive {
  const pending = new Set<(error: unknown) => void>()
  let failure: { error: unknown } | null = null
  failed.catch((error: unknown) => {
    failure = { error }
    for (const reject of pending) reject(error)
    pending.clear()
  })
  return (work) =>
    new Promise((resolve, reject) => {
      if (failure === null) pending.add(reject)
      else reject(failure.error)
      work.then(resolve, reject).finally(() => pending.delete(reject))
    })
}

/** Rejects with the first of these failures. Call it once per set of parts; the parts may live as long as the process. */
export function firstFailure(failures: readonly Promise<never>[]): Promise<never> {
  const first = Promise.race(failures)
  first.catch(() => {}) // handled by the caller; until then it must not crash the process
  return first
}

/** Settles like the first of them. Only for promises that all settle soon. */
export function firstOf<T>(soon: Iterable<Promise<T>>): Promise<T> {
  return Promise.race(soon)
}

/** Settles like `work`, or with the result of `late` (which may throw) after `limitMs`. The timer is cleared when the work is done. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number, late: () => T): Promise<T> {
  const { promise: limit, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    try {
      resolve(late())
    } catch (error) {
      reject(error)
    }
  }, limitMs)
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
