import { strings } from '../kit/strings.ts'

/** Times are shown in the time zone from the user's settings, or in the browser's when none is set. */
let zone: string | undefined

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export function setTimeZone(name: string): void {
  zone = name === '' ? undefined : name
}

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, ...(zone !== undefined && { timeZone: zone }) })
  } catch {
    // A zone that this browser does not know.
    return new Intl.DateTimeFormat('en-GB', options)
  }
}

export function exactTime(iso: string): string {
  return formatOf({ dateStyle: 'full', timeStyle: 'long' }).format(new Date(iso))
}

/** Day and minute, for a table row. */
export function shortTime(iso: string): string {
  return formatOf({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))
}

/** The time of a day that is near: "14:05", or "Tue 14:05" when it is not today. */
export function nearTime(iso: string, now: number): string {
  const at = new Date(iso)
  const day = formatOf({ dateStyle: 'short' })
  const isToday = day.format(at) === day.format(new Date(now))
  return formatOf({ hour: '2-digit', minute: '2-digit', ...(!isToday && { weekday: 'short' }) }).format(at)
}

function dayOf(iso: string, now: number): string {
  const date = new Date(iso)
  const sameYear = date.getFullYear() === new Date(now).getFullYear()
  return formatOf({ day: 'numeric', month: 'short', ...(!sameYear && { year: 'numeric' }) }).format(date)
}

/** "4 min ago", "in 2 h", "12 Nov": short enough for a row. `brief` leaves out "ago". */
export function relativeTime(iso: string, now: number, brief = false): string {
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return ''
  const distance = Math.abs(now - at)
  if (distance < MINUTE_MS * 0.75) return at > now ? strings.time.inAMoment : strings.time.justNow
  if (distance >= 7 * DAY_MS) return dayOf(iso, now)
  const amount = amountOf(distance)
  if (at > now) return strings.time.later(amount)
  return brief ? amount : strings.time.ago(amount)
}

function amountOf(distance: number): string {
  if (distance < HOUR_MS * 0.99) return strings.time.minutes(Math.max(1, Math.round(distance / MINUTE_MS)))
  if (distance < DAY_MS * 0.99) return strings.time.hours(Math.round(distance / HOUR_MS))
  return strings.time.days(Math.round(distance / DAY_MS))
}
