import { dayOf } from './zone.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** "4 min ago", "in 2 h", "12 Nov": short enough for a row. */
export function relativeTime(iso: string, now: number): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return ''
  const distance = Math.abs(now - at)
  if (distance < MINUTE_MS * 0.75) return at > now ? 'in a moment' : 'just now'
  if (distance >= 7 * DAY_MS) return dayOf(iso, now)
  const words = amountOf(distance)
  return at > now ? `in ${words}` : `${words} ago`
}

function amountOf(distance: number): string {
  if (distance < HOUR_MS * 0.99) return `${Math.max(1, Math.round(distance / MINUTE_MS))} min`
  if (distance < DAY_MS * 0.99) return `${Math.round(distance / HOUR_MS)} h`
  return `${Math.round(distance / DAY_MS)} d`
}
