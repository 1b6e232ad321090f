import { AppError } from '../errors.ts'

/**
 * UTC offsets of a time zone. `Intl` takes microseconds per query; here each day is queried once, and a day with a change is searched for
 * its moment. Days are UTC days since 1970.
 */
export type ZoneClock = {
  /** Milliseconds to add to UTC. */
  offsetAt(at: number): number
  /** The first moment after `at`, at most a day or two away, at which the offset may change. */
  steadyUntil(at: number): number
  /** The zone's abbreviation at that time, such as CET. */
  nameAt(at: number): string
}

/** The offset before and from `changeAt` on; infinite if the offset doesn't change that day. */
type Day = { before: number; changeAt: number; after: number }

const DAY_MS = 86_400_000
const maxDays = 64
const maxZones = 700

const zones = new Map<string, ZoneClock>()

/** Whether this machine knows the zone; its list may differ from that of the machine that validated a setting. */
export function isZone(zone: string): boolean {
  try {
    zoneClock(zone)
    return true
  } catch {
    return false
  }
}

/** Throws `usage-wrong` if the name isn't an IANA zone. */
export function zoneClock(zone: string): ZoneClock {
  const known = zones.get(zone)
  if (known !== undefined) return known
  const clock = createZoneClock(zone)
  if (zones.size >= maxZones) zones.clear()
  zones.set(zone, clock)
  return clock
}

function createZoneClock(zone: string): ZoneClock {
  const offsetOf = offsetReader(zone)
  const days = new Map<number, Day>()
  let names: Intl.DateTimeFormat | null = null

  function dayOf(number: number): Day {
    const known = days.get(number)
    if (known !== undefined) return known
    const day = readDay(number * DAY_MS, offsetOf)
    if (days.size >= maxDays) days.clear()
    days.set(number, day)
    return day
  }

  return {
    offsetAt(at) {
      const day = dayOf(Math.floor(at / DAY_MS))
      return at < day.changeAt ? day.before : day.after
    },
    steadyUntil(at) {
      const number = Math.floor(at / DAY_MS)
      const { changeAt } = dayOf(number)
      return at < changeAt && changeAt < (number + 1) * DAY_MS ? changeAt : (number + 1) * DAY_MS
    },
    nameAt(at) {
      names ??= new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' })
      return names.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone
    },
  }
}

/** No zone has had two changes within a day, so equal offsets at both ends mean no change between. */
function readDay(startAt: number, offsetOf: (at: number) => number): Day {
  const before = offsetOf(startAt)
  const after = offsetOf(startAt + DAY_MS)
  if (before === after) return { before, changeAt: Number.POSITIVE_INFINITY, after }
  let low = startAt
  let high = startAt + DAY_MS
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetOf(middle) === before) low = middle
    else high = middle
  }
  return { before, changeAt: high, after }
}

function offsetReader(zone: string): (at: number) => number {
  const format = formatOf(zone)
  return (at) => {
    const fields: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(at)) fields[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields
    // The parts have no fraction of a second, which is the same in every zone.
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
  }
}

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (cause) {
    throw new AppError('usage-wrong', `not a time zone: ${zone.slice(0, 100)}`, { cause })
  }
}
