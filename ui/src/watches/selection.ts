import { useState } from 'react'
import type { Source } from '../api/types.ts'
import { rowInPlaceOf, type Selection } from '../kit/selection.ts'

/** What an action applies to: rows by id, or everything that matches the filter, loaded or not. */
export type Target = { kind: 'ids'; ids: readonly number[] } | { kind: 'all'; count: number }

export function countOfTarget(target: Target): number {
  return target.kind === 'all' ? target.count : target.ids.length
}

export function targetOf({ isAll, ids }: Selection, matching: number): Target {
  return isAll ? { kind: 'all', count: matching } : { kind: 'ids', ids: [...ids] }
}

/** The row that the keyboard acts on. It is identified by id, because rows above it come and go. */
export function useCursor(rows: readonly Source[]) {
  const [id, setId] = useState<number | null>(null)
  const [byKey, setByKey] = useState(false)
  const at = id === null ? -1 : rows.findIndex((row) => row.id === id)
  return {
    at,
    byKey,
    current: rows[at],
    /** Returns the row it moved to. */
    move(step: number): Source | undefined {
      const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)]
      setByKey(true)
      if (next !== undefined) setId(next.id)
      return next
    },
    /** The row that takes the place of these when they leave: the next one that stays. */
    placeOf(ids: readonly number[]): number | null {
      return rowInPlaceOf(rows, at, new Set(ids))?.id ?? null
    },
    put(to: number, withFocus = false) {
      setByKey(withFocus)
      setId(to)
    },
  }
}
export type Cursor = ReturnType<typeof useCursor>
