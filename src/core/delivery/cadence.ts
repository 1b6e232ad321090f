/** When messages are sent: immediately, at regular intervals, or at a local time of day. */
export type Cadence =
  | { readonly kind: 'immediate' }
  | { readonly kind: 'every'; readonly ms: number }
  /** Minute of the local day; `day` is 1 Monday … 7 Sunday, null for every day. */
  | { readonly kind: 'daily'; readonly minute: number; readonly day: number | null }

export const cadenceExamples = 'immediate, every 15m, hourly, daily 08:00 or weekly mon 08:00'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MIN_EVERY_MS = MINUTE_MS
const MAX_EVERY_MS = 30 * 24 * HOUR_MS
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Null if invalid. */
export function readCadence(text: string): Cadence | null {
  const words = text.trim().toLowerCase().split(/\s+/)
  const [kind, ...rest] = words
  if (words.length === 1 && kind === 'immediate') return { kind: 'immediate' }
  if (words.length === 1 && kind === 'hourly') return { kind: 'every', ms: HOUR_MS }
  if (kind === 'every' && rest.length === 1) return readEvery(rest[0]!)
  if (kind === 'daily' && rest.length <= 1) return atMinute(rest[0] ?? '08:00', null)
  if (kind !== 'weekly' || rest.length > 2) return null
  const day = days.indexOf((rest[0] ?? 'mon').slice(0, 3))
  return day < 0 ? null : atMinute(rest[1] ?? '08:00', day + 1)
}

const units = new Map([
  ['m', MINUTE_MS],
  ['min', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', 24 * HOUR_MS],
])

function readEvery(text: string): Cadence | null {
  const found = /^(\d{1,6})(m|min|h|d)$/.exec(text)
  if (found === null) return null
  const ms = Number(found[1]) * units.get(found[2]!)!
  return ms >= MIN_EVERY_MS && ms <= MAX_EVERY_MS ? { kind: 'every', ms } : null
}

function atMinute(text: string, day: number | null): Cadence | null {
  const minute = readTime(text)
  return minute === null ? null : { kind: 'daily', minute, day }
}

/** `08:00` as the minute of the day; null if it isn't a time. */
export function readTime(text: string): number | null {
  const found = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim())
  return found === null ? null : Number(found[1]) * 60 + Number(found[2])
}

export function timeText(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
