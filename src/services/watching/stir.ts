/** A wait that ends by itself, by a word, or for good. */
export type Stir = {
  /** Ends the wait that is on, or else the next one. */
  now(): void
  /** For a time, a word, or the end. */
  until(ms: number): Promise<void>
}

export function createStir(signal: AbortSignal): Stir {
  let wake: () => void = () => {}
  let isStirred = false
  signal.addEventListener('abort', () => wake())
  return {
    now() {
      isStirred = true
      wake()
    },
    async until(ms) {
      if (!isStirred && !signal.aborted && ms > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, ms)
        wake = resolve
        await promise
        clearTimeout(timer)
      }
      isStirred = false
    },
  }
}
