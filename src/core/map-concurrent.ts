/**
 * Answers in the order of the items, with a few asked for at the same time: where each has its way to a database, nobody waits for all of
 * them one after the other. After a failure none is begun any more, and those that were are waited for.
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  few: number,
  ask: (item: T) => Promise<R>,
): Promise<R[]> {
  const answers: R[] = []
  let next = 0
  let hasFailed = false
  const runner = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const index = next++
      try {
        answers[index] = await ask(items[index]!)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const runs = await Promise.allSettled(Array.from({ length: Math.min(few, items.length) }, runner))
  for (const run of runs) if (run.status === 'rejected') throw run.reason
  return answers
}
