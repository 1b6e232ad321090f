/**
 * Long work that must not stop everything else in its thread is done in slices. Those of several parties take turns, and there is one
 * slice in each turn of the event loop, however many parties there are.
 */
export type Slices = {
  /** Resolves when it is this party's turn. */
  next(party: string): Promise<void>
}

export function createSlices(): Slices {
  /** The party whose turn it is comes first. */
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
