import { useState } from 'react'
import type { Source } from '../api/types.ts'

/** The row that the keys are for. It is known by its id: rows above it may come and go. */
export function useCursor(rows: readonly Source[]) {
  const [id, setId] = useState<number | null>(null)
  const [byKey, setByKey] = useState(false)
  const at = id === null ? -1 : rows.findIndex((row) => row.id === id)
  return {
    at,
    byKey,
    current: rows[at],
    /** Returns the row that it came to. */
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
