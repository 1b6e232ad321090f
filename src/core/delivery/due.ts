import { zoneClock } from '../time/zone-offset.ts'
import type { Cadence } from './cadence.ts'

/** Minutes of the local day in which nothing is sent. If `from` is later than `to`, they cross midnight. */
export type QuietHours = { readonly zone: string; readonly fromMinute: number; readonly toMinute: number }

export type DeliveryPolicy = {
  readonly cadence: Cadence
  /** IANA name: the time zone of `daily` and `weekly`. */
  readonly zone: string
  readonly quiet: QuietHours | null
  /** From this urgency on, messages wait neither for the cadence nor for the end of quiet hours; null for never. */
  readonly breaksThrough: number | null
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * When to send something found now. Messages due at the same moment are sent together. If clocks are put back and a local time occurs
 * twice, the first counts; if they are put forward and it is skipped, the moment after the gap.
 */
export function dueAt({ cadence, zone, quiet, breaksThrough }: DeliveryPolicy, urgency: number, now: number): number {
  if (breaksThrough !== null && urgency >= breaksThrough) return now
  const at = nextOf(cadence, zone, now)
  return quiet === null ? at : endOfQuiet(quiet, at)
}

function nextOf(cadence: Cadence, zone: string, now: number): number {
  if (cadence.kind === 'immediate') return now
  if (cadence.kind === 'every') return (Math.floor(now / cadence.ms) + 1) * cadence.ms
  const day = localDay(zone, now)
  // A week and a day, since today's time may have passed, or be skipped.
  for (let n = 0; n <= 8; n++) {
    if (cadence.day !== null && weekday(day + n) !== cadence.day) continue
    const at = momentOf(zone, day + n, cadence.minute)
    if (at > now) return at
  }
  throw new RangeError(`no time of ${JSON.stringify(cadence)} follows ${now}`)
}

/** The end of the quiet hours that `at` is in, or `at`. */
export function endOfQuiet({ zone, fromMinute, toMinute }: QuietHours, at: number): number {
  if (fromMinute === toMinute) return at
  const day = localDay(zone, at)
  // Quiet hours that began yesterday may still last.
  for (const start of [day - 1, day]) {
    const from = momentOf(zone, start, fromMinute)
    const to = momentOf(zone, fromMinute < toMinute ? start : start + 1, toMinute)
    if (at >= from && at < to) return to
  }
  return at
}

/** Days since 1970 in local time. */
function localDay(zone: string, at: number): number {
  return Math.floor((at + zoneClock(zone).offsetAt(at)) / DAY_MS)
}

/** 1 Monday … 7 Sunday; 1 January 1970 was a Thursday. */
function weekday(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

/** The first moment at which local time is this or, if it is skipped that day, later. */
export function momentOf(zone: string, day: number, minute: number): number {
  const clock = zoneClock(zone)
  const local = day * DAY_MS + minute * MINUTE_MS
  // Offsets differ by at most an hour or so within a day: try those of the days around, and take the earliest match.
  const candidates = [local - DAY_MS, local, local + DAY_MS].map((near) => local - clock.offsetAt(near))
  const exact = candidates.filter((at) => at + clock.offsetAt(at) === local)
  if (exact.length > 0) return Math.min(...exact)
  // Skipped: the moment of the clock change.
  let at = Math.min(...candidates) - MINUTE_MS
  while (at + clock.offsetAt(at) < local) at = Math.min(clock.steadyUntil(at), at + MINUTE_MS)
  return at
}
