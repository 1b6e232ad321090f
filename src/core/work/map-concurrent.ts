/**
 * Maps items with at most `few` calls in flight; results are in the order of the items. After a failure no further call is started, and the
 * promise rejects once those in flight have settled.
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
