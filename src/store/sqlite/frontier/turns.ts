/**
 * For work in portions in a thread that others wait for: after some milliseconds of it, or whenever it is told to, everybody else has a turn.
 * It ends altogether once it took too long.
 */
export function createTurns({ turnMs = 5, maxMs }: { turnMs?: number; maxMs: number }) {
  const startedAt = performance.now()
  let turnAt = startedAt
  return {
    /** False when the time is over. */
    async next(): Promise<boolean> {
      if (performance.now() - turnAt >= turnMs) {
        await new Promise((resolve) => setImmediate(resolve))
        turnAt = performance.now()
      }
      return turnAt - startedAt < maxMs
    },
  }
}

export type Turns = ReturnType<typeof createTurns>
