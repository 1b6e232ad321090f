import { isAppError } from '../core/errors.ts'

export type LoopOptions = {
  everyMs: number
  work(): Promise<void>
  /** The work failed, and is done again when its time comes. Null when it succeeds again. */
  onHealthError(message: string | null): void
  /** It can never succeed. */
  onFailed(error: unknown): void
}

export type Loop = {
  /** Does the work as soon as what is under way is done. */
  now(): void
  /** When what is under way is done. */
  end(): Promise<void>
}

/** Does a piece of work again and again, one after the other, until it is ended. */
export function startLoop({ everyMs, work, onHealthError, onFailed }: LoopOptions): Loop {
  let wake: () => void = () => {}
  let isWanted = false
  let isEnded = false
  let hasHealthError = false

  async function once(): Promise<void> {
    try {
      await work()
      if (hasHealthError) onHealthError(null)
      hasHealthError = false
    } catch (error) {
      if (!isAppError(error) || error.retry === 'never') {
        isEnded = true
        return onFailed(error)
      }
      hasHealthError = true
      onHealthError(error.message)
    }
  }

  async function run(): Promise<void> {
    while (!isEnded) {
      isWanted = false
      await once()
      if (isWanted || isEnded) continue
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, everyMs)
      wake = resolve
      await promise
      clearTimeout(timer)
    }
  }

  const done = run()
  return {
    now() {
      isWanted = true
      wake()
    },
    async end() {
      isEnded = true
      wake()
      await done
    },
  }
}
