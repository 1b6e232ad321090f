/**
 * Tracks whether a shard has received every message about watches. Links and messages about their watch use different ports, so a link
 * may overtake the message. Senders count messages in shared memory before sending; the shard counts those that have arrived.
 */
export type Hearing = {
  /** Called for each message that arrives; `act` applies it. */
  note(act: () => void): void
  /** Resolves when all messages sent before this call have arrived. */
  all(): Promise<void>
}

/** `told`: number of messages sent to the shard since its start, as a 32-bit number that may overflow. */
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
