import { useSyncExternalStore } from 'react'

const TICK_MS = 15_000

/** One clock for all times on the page; it stands still while nobody looks at it. */
const watchers = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  now = Date.now()
  for (const tell of watchers) tell()
}

function subscribe(tell: () => void): () => void {
  watchers.add(tell)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, TICK_MS)
  }
  return () => {
    watchers.delete(tell)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
