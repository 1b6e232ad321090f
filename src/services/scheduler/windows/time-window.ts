import type { TimeWindow } from '../../../core/profile.ts'
import { type ZoneClock, zoneClock } from '../../../core/time/zone-offset.ts'

/**
 * When a source may be checked. A moment is within a window if the local time of the zone is within it, on one of its
 * days; a window over midnight belongs to the day on which it begins, and one that ends at the minute it begins lasts
 * a day. So if clocks skip the opening time, the window opens at the skip; and if an hour repeats, the window is open
 * both times.
 */
export type OpenHours = {
  isOpen(at: number): boolean
  /** The first moment within the window, not before `at`; null if it never opens. Both are wall time. */
  nextOpen(at: number): number | null
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** A week, another in case a clock change skips the whole window, and a margin. */
const searchMs = 16 * DAY_MS

/** The moments at which one of the windows is open. Throws `usage-wrong` for an unknown zone. */
export function createOpenHours(windows: readonly TimeWindow[]): OpenHours {
  const all = windows.map(createHours)
  return {
    isOpen: (at) => all.some((hours) => hours.isOpen(at)),
    nextOpen(at) {
      let first: number | null = null
      for (const hours of all) {
        const opening = hours.nextOpen(at)
        if (opening !== null && (first === null || opening < first)) first = opening
      }
      return first
    },
  }
}

function createHours(window: TimeWindow): OpenHours {
  const zone = zoneClock(window.zone)
  const local = createLocalHours(window)
  return {
    isOpen(at) {
      const shown = at + zone.offsetAt(at)
      return local(shown) === shown
    },
    nextOpen: (at) => search(at, zone, local),
  }
}

/** Goes from one period of constant UTC offset to the next. */
function search(from: number, zone: ZoneClock, local: (shown: number) => number | null): number | null {
  for (let at = from; at < from + searchMs; at = zone.steadyUntil(at)) {
    const offset = zone.offsetAt(at)
    const opening = local(at + offset)
    if (opening === null) return null
    if (opening - offset < zone.steadyUntil(at)) return opening - offset
  }
  return null
}

/** The first local time within the window that is not before `shown`, ignoring clock changes. */
function createLocalHours({ days, fromMinute, toMinute }: TimeWindow): (shown: number) => number | null {
  const opens = new Uint8Array(7)
  for (const day of days) opens[(day + 6) % 7] = 1
  const from = fromMinute * MINUTE_MS
  const to = toMinute * MINUTE_MS + (toMinute <= fromMinute ? DAY_MS : 0)
  return (shown) => {
    const today = Math.floor(shown / DAY_MS)
    // Yesterday's window may still be open; within a week every weekday occurs.
    for (let day = today - 1; day <= today + 7; day++) {
      if (opens[weekday(day)] === 1 && shown < day * DAY_MS + to) return Math.max(shown, day * DAY_MS + from)
    }
    return null
  }
}

/** 0 is Monday; 1 January 1970 was a Thursday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}
