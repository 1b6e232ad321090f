/**
 * Splits long work into slices, so that it doesn't block its thread. Parties take turns, with one slice per turn of the event loop
 * regardless of the number of parties.
 */
export type Slices = {
  /** Resolves when it is this party's turn. */
  next(party: string): Promise<void>
}

export function createSlices(): Slices {
  /** In turn order: the next party comes first. */
  const waiting = new Map<string, (() => void)[]>()

  function runOne(): void {
    const [party, queue] = waiting.entries().next().value!
    waiting.delete(party)
    const resume = queue.shift()!
    if (queue.length > 0) waiting.set(party, queue)
    if (waiting.size > 0) setImmediate(runOne)
    resume()
  }

  return {
    next: (party) =>
      new Promise((resolve) => {
        if (waiting.size === 0) setImmediate(runOne)
        const queue = waiting.get(party)
        if (queue === undefined) waiting.set(party, [resolve])
        else queue.push(resolve)
      }),
  }
}
