import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useCallback, useEffect, useSyncExternalStore } from 'react'
import type { Annotation } from '../api/types.ts'
import { listen } from '../live/stream.ts'
import { putInFront } from './inbox-cache.ts'
import { type InboxFilters, matches } from './inbox-filters.ts'

/**
 * Items that arrived after the lists were fetched and are in none of them. They wait here, while the user reads or is in another
 * view, until the inbox takes them.
 */
const MAX_WAITING = 500
let waiting: readonly Annotation[] = []
const listeners = new Set<() => void>()

function put(next: readonly Annotation[]): void {
  waiting = next
  for (const notify of listeners) notify()
}

listen('annotation', (data) => {
  const arrival = data as Annotation
  put([...waiting.filter(({ id }) => id !== arrival.id), arrival].slice(-MAX_WAITING))
})

export function takeArrivals(): readonly Annotation[] {
  const taken = waiting
  if (taken.length > 0) put([])
  return taken
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

function useArrivals(): readonly Annotation[] {
  return useSyncExternalStore(subscribe, () => waiting)
}

const RENDER_MS = 50

type Deps = {
  filters: InboxFilters
  isReading: boolean
  items: readonly Annotation[]
  scroller: RefObject<HTMLDivElement | null>
}
export type Incoming = { count: number; show: () => void; drop: () => void }

/**
 * Arrivals for the visible list. They are inserted right away only when the reader can't lose their position: no item is open
 * and the list is scrolled to the top, or empty. Otherwise they wait behind a button.
 */
export function useIncoming({ filters, isReading, items, scroller }: Deps): Incoming {
  const client = useQueryClient()
  const arrivals = useArrivals()
  const known = new Set(items.map(({ id }) => id))
  const matching = arrivals.filter((item) => !known.has(item.id) && matches(filters, item) === true)
  const count = matching.length

  const show = useCallback(() => {
    const taken = takeArrivals()
    putInFront(
      client,
      filters,
      taken.filter((item) => matches(filters, item) === true),
    )
    // After the rows are rendered: until then the list keeps its scroll position.
    setTimeout(() => scroller.current?.scrollTo({ top: 0 }), RENDER_MS)
  }, [client, filters, scroller])
  const drop = useCallback(() => void takeArrivals(), [])

  const isEmpty = items.length === 0
  useEffect(() => {
    if (count === 0 || isReading) return
    if (isEmpty || (scroller.current?.scrollTop ?? 0) < 1) show()
  }, [count, isReading, isEmpty, scroller, show])
  return { count, show, drop }
}
