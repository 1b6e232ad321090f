/**
 * When a source changes: for each hour of the day and each day of the week (UTC, Sunday first), the number of its changes and the hours
 * it was observed. Without the latter, hours with many checks would look like hours with many changes.
 */
export type Rhythm = { hours: Counts; days: Counts }
export type Counts = { changes: number[]; watched: number[] }

const HOUR_MS = 3_600_000
/** A change located less precisely than this says nothing about the hour. */
const MAX_UNSURE_MS = 3 * HOUR_MS
const MAX_WATCHED_MS = 7 * 24 * HOUR_MS
/** Weight of the uniform prior (all hours alike), in changes. */
const EVEN = 12
/** From this many changes on, all counts are halved so that the past fades. */
const MAX_COUNTED = 200
const MAX_STEPS = 31 * 24

/** The interval over which a source was observed, and the interval in which it changed; null if it didn't. */
export type Watched = { from: number; to: number; changed: { from: number; to: number } | null }

/** Adds one check. Returns null while nothing is known. */
export function noteWatched(rhythm: Rhythm | null, { from, to, changed }: Watched): Rhythm | null {
  const unsureMs = changed === null ? 0 : changed.to - changed.from
  if (!(to > from) || to - from > MAX_WATCHED_MS || !(unsureMs <= MAX_UNSURE_MS)) return rhythm
  // Most sources never change: store nothing for them.
  if (rhythm === null && changed === null) return null
  const { hours, days } = faded(rhythm ?? { hours: noCounts(24), days: noCounts(7) })
  for (let at = from; at < to; ) {
    const next = Math.min(to, (Math.floor(at / HOUR_MS) + 1) * HOUR_MS)
    const date = new Date(at)
    add(hours.watched, date.getUTCHours(), (next - at) / HOUR_MS)
    add(days.watched, date.getUTCDay(), (next - at) / HOUR_MS)
    at = next
  }
  if (changed !== null) {
    const date = new Date((changed.from + changed.to) / 2)
    add(hours.changes, date.getUTCHours(), 1)
    add(days.changes, date.getUTCDay(), 1)
  }
  return { hours, days }
}

const noCounts = (length: number): Counts => ({
  changes: new Array<number>(length).fill(0),
  watched: new Array<number>(length).fill(0),
})

function faded({ hours, days }: Rhythm): Rhythm {
  const by = total(hours.changes) >= MAX_COUNTED ? 0.5 : 1
  const some = (counts: readonly number[]): number[] => counts.map((count) => count * by)
  const both = ({ changes, watched }: Counts): Counts => ({ changes: some(changes), watched: some(watched) })
  return { hours: both(hours), days: both(days) }
}

/** Rounds to two decimals: precise enough, and short when stored. */
function add(counts: number[], at: number, more: number): void {
  counts[at] = Math.round((counts[at]! + more) * 100) / 100
}

/**
 * Due time of the next check: when as many changes are expected as in `waitMs` of average hours. A source that changes on weekday
 * mornings is checked often then, and rarely at night.
 */
export function dueIn(
  rhythm: Rhythm | null,
  from: number,
  waitMs: number,
  { leastMs, mostMs }: { leastMs: number; mostMs: number },
): number {
  if (rhythm === null || total(rhythm.hours.changes) < EVEN) return from + waitMs
  let left = waitMs
  let at = from
  for (let step = 0; left > 0 && step < MAX_STEPS; step++) {
    const next = (Math.floor(at / HOUR_MS) + 1) * HOUR_MS
    const pace = paceAt(rhythm, at)
    if (left <= (next - at) * pace) at += left / pace
    else at = next
    if (at < next) break
    left -= (next - Math.max(from, next - HOUR_MS)) * pace
  }
  return Math.min(Math.max(at, from + leastMs), from + mostMs)
}

/** Expected changes at this time, relative to an average hour. */
function paceAt({ hours, days }: Rhythm, at: number): number {
  const date = new Date(at)
  return share(hours, date.getUTCHours()) * share(days, date.getUTCDay())
}

/** Rate relative to the mean, shrunk towards it where there is little data. */
function share({ changes, watched }: Counts, at: number): number {
  const mean = total(changes) / total(watched)
  const pull = EVEN / mean / changes.length
  return (changes[at]! + pull * mean) / (watched[at]! + pull) / mean
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** Validates a stored rhythm; null if it isn't one. */
export function rhythmOf(saved: unknown): Rhythm | null {
  const { hours, days } = (saved ?? {}) as Partial<Rhythm>
  return isCounts(hours, 24) && isCounts(days, 7) ? { hours: hours!, days: days! } : null
}

function isCounts(value: Partial<Counts> | undefined, length: number): boolean {
  const isRow = (row: unknown): boolean =>
    Array.isArray(row) && row.length === length && row.every((count) => Number.isFinite(count) && count >= 0)
  return isRow(value?.changes) && isRow(value?.watched)
}
