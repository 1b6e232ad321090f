import { useMemo, useState } from 'react'
import type { Source } from '../api/types.ts'

/** What an action applies to: rows by id, or everything that matches the filter, loaded or not. */
export type Target = { kind: 'ids'; ids: readonly number[] } | { kind: 'all'; count: number }

export function countOfTarget(target: Target): number {
  return target.kind === 'all' ? target.count : target.ids.length
}

type Selected = { scope: string; ids: ReadonlySet<number>; isAll: boolean }
const none: ReadonlySet<number> = new Set()

/** `scope` identifies the list shown: a selection made in another list no longer counts. */
export function useSelection(scope: string) {
  const [selected, setSelected] = useState<Selected>({ scope, ids: none, isAll: false })
  const { ids, isAll } = selected.scope === scope ? selected : { ids: none, isAll: false }
  return useMemo(
    () => ({
      isAll,
      count: ids.size,
      isEmpty: ids.size === 0 && !isAll,
      has: (id: number) => isAll || ids.has(id),
      toggle(id: number) {
        const next = new Set(ids)
        if (!next.delete(id)) next.add(id)
        setSelected({ scope, ids: next, isAll: false })
      },
      add: (more: readonly number[]) => setSelected({ scope, ids: new Set([...ids, ...more]), isAll: false }),
      put: (those: readonly number[]) => setSelected({ scope, ids: new Set(those), isAll: false }),
      allMatching: () => setSelected({ scope, ids, isAll: true }),
      clear: () => setSelected({ scope, ids: none, isAll: false }),
      target: (matching: number): Target => (isAll ? { kind: 'all', count: matching } : { kind: 'ids', ids: [...ids] }),
    }),
    [scope, ids, isAll],
  )
}
export type Selection = ReturnType<typeof useSelection>

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
    put(to: number, withFocus = false) {
      setByKey(withFocus)
      setId(to)
    },
  }
}
export type Cursor = ReturnType<typeof useCursor>
