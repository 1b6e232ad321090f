/**
 * Whether a shard has heard everything that it was sent about watches. Links reach it over other ports than news of their watch, and may
 * overtake it there. How often it was told is counted in shared memory before anything is sent; it counts what has arrived.
 */
export type Hearing = {
  /** One message has arrived; `act` does what it says. */
  note(act: () => void): void
  /** Resolves when all that was sent before this call has arrived. */
  all(): Promise<void>
}

/** `told`: how often the shard was told since it was started, as a 32-bit number that may overflow. */
export function createHearing(told: () => number): Hearing {
  let heard = 0
  let waiting: { until: number; resolve(): void }[] = []
  const isReached = (until: number): boolean => ((heard - until) | 0) >= 0

  return {
    note(act) {
      try {
        act()
      } finally {
        heard = (heard + 1) | 0
        const reached = waiting.filter(({ until }) => isReached(until))
        if (reached.length > 0) waiting = waiting.filter(({ until }) => !isReached(until))
        for (const { resolve } of reached) resolve()
      }
    },
    async all() {
      const until = told()
      if (!isReached(until)) await new Promise<void>((resolve) => waiting.push({ until, resolve }))
    },
  }
}
