import type { Clock } from '../../core/clock.ts'

/**
 * Asks again only once the answer is old: what is looked at each second need not be counted each second. Askers at the same time
 * share one answer; a failure is told to all of them and not remembered.
 */
export function remembered<T>(clock: Clock, maxAgeMs: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  let askedAt = 0
  return () => {
    if (answer !== null && clock.monotonic() - askedAt < maxAgeMs) return answer
    askedAt = clock.monotonic()
    const asked = ask()
    answer = asked
    asked.catch(() => {
      if (answer === asked) answer = null
    })
    return asked
  }
}
