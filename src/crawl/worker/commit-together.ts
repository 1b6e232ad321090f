import type { CompletedRequests, CompletionCounts } from '../../store/contracts/frontier.ts'

type Waiting = { batch: CompletedRequests; resolve(counts: CompletionCounts): void; reject(error: unknown): void }

/**
 * Settles what several partitions have to settle in one go: links to the same host then travel together, whichever pages they stand on.
 * While one call is under way, what comes waits for the next. The first of those that went together is told all counts, the others
 * none; `lost` is told to all.
 */
export function createCommitTogether(settle: (batch: CompletedRequests) => Promise<CompletionCounts>) {
  let waiting: Waiting[] = []
  let isSettling = false

  async function settleAll(): Promise<void> {
    isSettling = true
    while (waiting.length > 0) {
      const together = waiting
      waiting = []
      try {
        const counts = await settle(merge(together.map(({ batch }) => batch)))
        const none = { accepted: 0, known: 0, limited: 0, removed: 0, watches: new Map<number, number>() }
        const others = counts.lost === undefined ? none : { ...none, lost: counts.lost }
        for (const [at, { resolve }] of together.entries()) resolve(at === 0 ? counts : others)
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    isSettling = false
  }

  return (batch: CompletedRequests): Promise<CompletionCounts> =>
    new Promise((resolve, reject) => {
      waiting.push({ batch, resolve, reject })
      if (!isSettling) void settleAll()
    })
}

function merge(batches: readonly CompletedRequests[]): CompletedRequests {
  if (batches.length === 1) return batches[0]!
  return {
    offers: batches.flatMap(({ offers }) => offers),
    done: batches.flatMap(({ done }) => done),
    again: batches.flatMap(({ again }) => again),
    hosts: batches.flatMap(({ hosts }) => hosts),
  }
}
