/** Work that is done one after the other. */
export type Turns = {
  take<T>(work: () => Promise<T>): Promise<T>
  /** Does it when its turn comes, unless the same sort of work waits for its turn already. It must not fail. */
  once(work: () => Promise<void>): void
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  let isWanted = false

  function take<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  return {
    take,
    once(work) {
      if (isWanted) return
      isWanted = true
      void take(() => {
        isWanted = false
        return work()
      })
    },
  }
}
