import { useSyncExternalStore } from 'react'

/** The browser only knows about its own network; the event stream says whether the server is reachable. */
let isReachable = true
const listeners = new Set<() => void>()

export function setReachable(now: boolean): void {
  if (now === isReachable) return
  isReachable = now
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  window.addEventListener('online', notify)
  window.addEventListener('offline', notify)
  return () => {
    listeners.delete(notify)
    window.removeEventListener('online', notify)
    window.removeEventListener('offline', notify)
  }
}

export const isOnline = (): boolean => navigator.onLine && isReachable

export function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, isOnline)
}
