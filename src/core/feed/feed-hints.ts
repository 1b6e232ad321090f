import type { Feed } from './feed.ts'

/** When a feed should be polled, according to itself. */
export type FeedHints = {
  /** Minutes since the last poll; 0 if not stated. */
  minMinutes: number
  /** Without news: hours (UTC), and days of the week, 0 being Sunday. */
  skipHours: ReadonlySet<number>
  skipDays: ReadonlySet<number>
}

const maxMinutes = 7 * 24 * 60
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A feed that claims to be quiet all day or all week is not believed. */
export function feedHints({ schedule }: Pick<Feed, 'schedule'>): FeedHints {
  const hours = new Set(schedule.skipHours)
  const days = new Set(schedule.skipDays)
  return {
    minMinutes: Math.min(schedule.ttlMinutes ?? 0, maxMinutes),
    skipHours: hours.size < 24 ? hours : new Set(),
    skipDays: days.size < 7 ? days : new Set(),
  }
}

/**
 * When to poll a feed that was polled at `askedAt` and is due at `dueAt`: later if the feed says so, but not later than promised to its
 * owners.
 */
export function askFeedAt(
  { minMinutes, skipHours, skipDays }: FeedHints,
  { askedAt, dueAt, promisedAt }: { askedAt: number; dueAt: number; promisedAt: number },
): number {
  let at = Math.max(dueAt, askedAt + minMinutes * minuteMs)
  while (at < promisedAt) {
    const date = new Date(at)
    if (!skipHours.has(date.getUTCHours()) && !skipDays.has(date.getUTCDay())) return at
    at = (Math.floor(at / hourMs) + 1) * hourMs
  }
  return Math.max(dueAt, promisedAt)
}
