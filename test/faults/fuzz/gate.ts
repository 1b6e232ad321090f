/** A shared/exclusive lock: runs many tasks at a time, or one alone. */
export function createGate() {
  let active = 0
  let waiting = 0
  let alone: Promise<unknown> = Promise.resolve()
  let ended = Promise.withResolvers<void>()
  return {
    async shared<T>(work: () => Promise<T>): Promise<T> {
      while (waiting > 0) await alone
      active++
      try {
        return await work()
      } finally {
        active--
        ended.resolve()
      }
    },
    alone<T>(work: () => Promise<T>): Promise<T> {
      waiting++
      const turn = alone.then(async () => {
        while (active > 0) {
          ended = Promise.withResolvers<void>()
          await ended.promise
        }
        return work()
      })
      const done = (): void => {
        waiting--
      }
      alone = turn.then(done, done)
      return turn
    },
  }
}
