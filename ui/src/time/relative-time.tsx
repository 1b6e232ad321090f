import { useSyncExternalStore } from 'react'
import { strings } from '../kit/strings.ts'
import { exactTime, relativeTime } from './zone.ts'

const TICK_MS = 15_000

/** One clock for all times on the page; it stops while nothing on the page shows a time. */
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function tick(): void {
  now = Date.now()
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(tick, TICK_MS)
  }
  return () => {
    listeners.delete(notify)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** `brief` leaves out the "ago", where a row has little room. */
type Props = { at: string | null; fallback?: string; className?: string; brief?: boolean }

export function RelativeTime({ at, fallback = strings.time.never, className, brief = false }: Props) {
  const now = useNow()
  if (at === null || at === '') return <span className={className}>{fallback}</span>
  return (
    <time className={className} dateTime={at} title={exactTime(at)}>
      {relativeTime(at, Math.max(now, Date.now()), brief)}
    </time>
  )
}
