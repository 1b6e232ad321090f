import type { TimeWindow } from '../../core/profile.ts'
import { windowDefaults } from '../../xml/profile/profile.ts'
import { type PlainValues, shown } from './plain-values.ts'

const MINUTES_OF_DAY = 1440

/** When a source may be checked; null for always. */
export function readWindowValues(value: unknown, place: string, values: PlainValues): TimeWindow | null {
  if (value === undefined || value === null) return null
  const given = values.record(value, place, ['zone', 'days', 'from', 'to'])
  return {
    zone: readZone(given.zone, `${place}.zone`, values),
    days: readDays(given.days, `${place}.days`, values),
    fromMinute: readMinute(given.from ?? windowDefaults.from, `${place}.from`, MINUTES_OF_DAY - 1, values),
    toMinute: readMinute(given.to ?? windowDefaults.to, `${place}.to`, MINUTES_OF_DAY, values),
  }
}

function readZone(value: unknown, place: string, values: PlainValues): string {
  const zone = values.text(value, place, { max: 64 })
  if (zone === undefined) return windowDefaults.zone
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return zone
  } catch {
    values.fault(place, `${shown(zone)} is not a time zone; expected a name such as Europe/Nicosia`)
    return windowDefaults.zone
  }
}

function readDays(value: unknown, place: string, values: PlainValues): number[] {
  if (value === undefined || value === null) return [...windowDefaults.days]
  const days = new Set<number>()
  const list = values.list(value, place, 50)
  for (const each of list) {
    const day = values.number(each, place, { min: 1, max: 7, whole: true })
    if (day !== undefined) days.add(day)
  }
  if (Array.isArray(value) && value.length === 0) values.fault(place, 'is empty, so the source would never be checked')
  return [...days].sort((a, b) => a - b)
}

function readMinute(value: unknown, place: string, max: number, values: PlainValues): number {
  const match = typeof value === 'string' ? /^ *([01]\d|2[0-4]):([0-5]\d) *$/.exec(value) : null
  const minute = match === null ? Number.NaN : Number(match[1]) * 60 + Number(match[2])
  if (minute <= max) return minute
  values.fault(place, `expected a time such as 08:00, not ${shown(value)}`)
  return 0
}
