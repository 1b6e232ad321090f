import type { ReportedChanges } from '../../archive/diff/change-report.ts'

/**
 * LRU cache of the changes between two versions, by the pair and the view of it. Versions never change, so entries never become stale.
 */
export type Comparisons = {
  get(view: string): ReportedChanges | undefined
  keep(view: string, changes: ReportedChanges): void
}

/** Maximum size of the cache, in characters. */
const defaultSize = 4_000_000

export function createComparisons(maxSize = defaultSize): Comparisons {
  const kept = new Map<string, { changes: ReportedChanges; size: number }>()
  let total = 0
  function drop(view: string): void {
    total -= kept.get(view)?.size ?? 0
    kept.delete(view)
  }
  return {
    get(view) {
      const found = kept.get(view)
      if (found === undefined) return undefined
      kept.delete(view)
      kept.set(view, found)
      return found.changes
    },
    keep(view, changes) {
      drop(view)
      const size = sizeOf(changes) + view.length
      if (size > maxSize) return
      kept.set(view, { changes, size })
      total += size
      for (const oldest of kept.keys()) {
        if (total <= maxSize) break
        drop(oldest)
      }
    },
  }
}

/** Approximate size of an object, in characters. */
const sizeOfObject = 100

function sizeOf({ changes }: ReportedChanges): number {
  let size = sizeOfObject
  for (const { before = '', after = '', pieces = [], place, path } of changes) {
    size += sizeOfObject * (2 + pieces.length) + 2 * (before.length + after.length) + place.length + path.length
  }
  return size
}
