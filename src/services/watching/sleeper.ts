/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** A sleep that ends after its time (but at most 24 days) or when woken; after the signal it returns at once. */
export type Sleeper = {
  /** Ends the current sleep, otherwise the next one. */
  wake(): void
  sleep(ms: number): Promise<void>
}

export function createSleeper(signal: AbortSignal): Sleeper {
  let endSleep: () => void = () => {}
  let isWoken = false
  signal.addEventListener('abort', () => endSleep())
  return {
    wake() {
      isWoken = true
      endSleep()
    },
    async sleep(ms) {
      if (!isWoken && !signal.aborted && ms > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS))
        endSleep = resolve
        await promise
        clearTimeout(timer)
      }
      isWoken = false
    },
  }
}
