/**
 * The only file that may call `Promise.race`. Each call leaves a reaction on every promise it was given, and the reaction keeps the
 * result of the race. On a promise that settles soon this does no harm; on one that lives as long as the process it is a leak.
 */

/** Settles as the work does, or rejects with the failure if that comes first. */
export type WhileAlive = <T>(work: Promise<T>) => Promise<T>

/**
 * Ties pieces of work to a promise that may never settle. It has one reaction for all of them, and work that is over leaves nothing
 * behind. Where `failed` resolves, nothing happens.
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

/** Rejects with the first of these failures. Called once for each set of parts; the parts may live as long as the process. */
export function firstFailure(failures: readonly Promise<never>[]): Promise<never> {
  const first = Promise.race(failures)
  first.catch(() => {}) // observed by the caller; until then it must not end the process
  return first
}

/** Settles as the first of them does. Only for promises that all settle soon. */
export function firstOf<T>(soon: Iterable<Promise<T>>): Promise<T> {
  return Promise.race(soon)
}

/** Settles as the work does, or as `late` says if it takes longer than this. The timer ends with the work. */
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
