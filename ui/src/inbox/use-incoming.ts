import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect } from 'react'
import type { Annotation } from '../api/types.ts'
import { takeArrivals, useArrivals } from './arrivals.ts'
import { putInFront } from './inbox-cache.ts'
import { type InboxFilters, letsThrough } from './inbox-filters.ts'

const SETTLE_MS = 50

type Deps = {
  filters: InboxFilters
  isReading: boolean
  items: readonly Annotation[]
  scroller: RefObject<HTMLDivElement | null>
}
export type Incoming = { count: number; show: () => void; drop: () => void }

/**
 * Arrivals for the list in sight. They come in by themselves only when nobody can lose a line by it: nothing is open
 * and the list stands at its top, or is empty. Else they wait behind the bar.
 */
export function useIncoming({ filters, isReading, items, scroller }: Deps): Incoming {
  const client = useQueryClient()
  const arrivals = useArrivals()
  const known = new Set(items.map(({ id }) => id))
  const fitting = arrivals.filter((item) => !known.has(item.id) && letsThrough(filters, item) === true)
  const count = fitting.length

  const show = useCallback(() => {
    const taken = takeArrivals()
    putInFront(
      client,
      filters,
      taken.filter((item) => letsThrough(filters, item) === true),
    )
    // After the rows are there: the list holds the place of what was in sight before.
    setTimeout(() => scroller.current?.scrollTo({ top: 0 }), SETTLE_MS)
  }, [client, filters, scroller])
  const drop = useCallback(() => void takeArrivals(), [])

  const isEmpty = items.length === 0
  useEffect(() => {
    if (count === 0 || isReading) return
    if (isEmpty || (scroller.current?.scrollTop ?? 0) < 1) show()
  }, [count, isReading, isEmpty, scroller, show])
  return { count, show, drop }
}
