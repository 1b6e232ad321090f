import { useSyncExternalStore } from 'react'
import type { Annotation } from '../api/types.ts'
import { listen } from '../live/stream.ts'

/**
 * What came since the lists were fetched and stands in none of them. It waits here while somebody reads, also while
 * another view is shown, until the inbox takes it.
 */
const MAX_WAITING = 500
let waiting: readonly Annotation[] = []
const watchers = new Set<() => void>()

function put(next: readonly Annotation[]): void {
  waiting = next
  for (const tell of watchers) tell()
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

function subscribe(tell: () => void): () => void {
  watchers.add(tell)
  return () => watchers.delete(tell)
}

export function useArrivals(): readonly Annotation[] {
  return useSyncExternalStore(subscribe, () => waiting)
}
