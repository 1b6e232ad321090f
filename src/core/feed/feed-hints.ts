import type { Feed } from './feed.ts'

/** When a feed is worth asking, by its own account. */
export type FeedHints = {
  /** Since the last time; 0 where it doesn't say. */
  minMinutes: number
  /** Without news: hours (UTC), and days of the week from Sunday on. */
  skipHours: ReadonlySet<number>
  skipDays: ReadonlySet<number>
}

const maxMinutes = 7 * 24 * 60
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A feed that is quiet all day, or all week, means something else: it is not believed. */
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
 * When to ask a feed that was asked at `askedAt` and is due at `dueAt`: later than that if the feed says so, but not later than its
 * owners were promised.
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
