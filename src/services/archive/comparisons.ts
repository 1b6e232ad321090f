import type { ReportedChanges } from '../../archive/diff/change-report.ts'
import { createRecentMap } from '../../core/recent-map.ts'

/**
 * The changes between two versions, by the pair and the view of it. Versions never change, so entries never become stale.
 */
export type Comparisons = {
  get(view: string): ReportedChanges | undefined
  keep(view: string, changes: ReportedChanges): void
}

/** Maximum size of the cache, in characters. */
const defaultSize = 4_000_000
const MAX_ENTRIES = 10_000

export function createComparisons(maxSize = defaultSize): Comparisons {
  const kept = createRecentMap<string, ReportedChanges>({ maxEntries: MAX_ENTRIES, maxWeight: maxSize })
  return {
    get: kept.get,
    keep(view, changes) {
      kept.set(view, changes, sizeOf(changes) + view.length)
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
