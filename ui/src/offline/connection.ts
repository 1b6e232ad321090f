import { useSyncExternalStore } from 'react'

/** The browser knows of its own network only; whether the server is there, the stream of events tells. */
let isReachable = true
const watchers = new Set<() => void>()

export function tellReachable(now: boolean): void {
  if (now === isReachable) return
  isReachable = now
  for (const tell of watchers) tell()
}

function subscribe(tell: () => void): () => void {
  watchers.add(tell)
  window.addEventListener('online', tell)
  window.addEventListener('offline', tell)
  return () => {
    watchers.delete(tell)
    window.removeEventListener('online', tell)
    window.removeEventListener('offline', tell)
  }
}

export const isOnline = (): boolean => navigator.onLine && isReachable

export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, isOnline)
}
