import type { CheckResult } from '../../core/check-order.ts'

type Check = {
  /** What the listener has been told of, all in all. */
  told: number
  /** What it should be by the words of the workers. */
  guess: number
}

/** What the checks under way have queued, as it was told, as it is said to be, and as it was counted. */
export function createUnderWay() {
  const checks = new Map<number, Check>()

  return {
    /** So many more are queued, and whoever listens knows it. */
    add(watch: number, queued: number): void {
      const before = checks.get(watch)
      if (before === undefined) checks.set(watch, { told: queued, guess: queued })
      else {
        before.told += queued
        before.guess += queued
      }
    },
    hint(watch: number, queued: number): void {
      const check = checks.get(watch)
      if (check !== undefined) check.guess += queued
    },
    all: (): number[] => [...checks.keys()],
    /** Those that may be over. */
    quiet(): number[] {
      const quiet: number[] = []
      for (const [watch, { guess }] of checks) if (guess <= 0) quiet.push(watch)
      return quiet
    },
    /** So many are queued, for certain. Returns what there is to tell of it. One that has none is over. */
    correct(watch: number, queued: number): CheckResult[] {
      const check = checks.get(watch)
      if (check === undefined) return []
      const more = queued - check.told
      if (queued === 0) checks.delete(watch)
      else Object.assign(check, { told: queued, guess: queued })
      if (more === 0) return []
      return [{ watch, queued: more, changed: 0, unchanged: 0, failed: 0, source: null, landed: null }]
    },
    size: (): number => checks.size,
  }
}
