import type { Clock } from '../../core/clock.ts'
import { askFeedAt, feedHints } from '../../core/feed/feed-hints.ts'
import type { TimeWindow } from '../../core/profile.ts'
import type { Queues } from './queues/queues.ts'
import type { WatchTiming } from './timing.ts'
import { dueIn } from './value/rhythm.ts'
import type { WatchEntry } from './watch-entry.ts'
import { createOpenHours, type OpenHours } from './windows/time-window.ts'

/**
 * Plans the next check of a watch: one interval after the last check, or later if a feed says so and its owners allow it; moved to the
 * next opening of its time window. Times are monotonic; the wall clock says how far away an opening is, and is read again when it comes.
 */
export type Planner = {
  /** Enters a watch that is in no queue into the right one. */
  plan(entry: WatchEntry, now: number): void
  /** Whether its interval has passed, regardless of windows. */
  isDue(entry: WatchEntry, now: number): boolean
  isClosed(entry: WatchEntry): boolean
  /** Call regularly: plans closed watches again if the wall clock has jumped since their openings were computed. */
  noticeJump(now: number): void
  /** Null for always open; throws `usage-wrong` for an unknown zone. */
  hoursOf(windows: readonly TimeWindow[] | null): OpenHours | null
}

export type PlannerOptions = {
  clock: Clock
  entries: ReadonlyMap<number, WatchEntry>
  queues: Queues
  timing: WatchTiming
}

/** Drift of the wall clock against the monotonic one that counts as a jump. */
const JUMP_MS = 1_000
/** Maximum number of cached sets of windows. */
const MAX_SHARED = 1_000

export function createPlanner({ clock, entries, queues, timing }: PlannerOptions): Planner {
  const shared = new Map<string, OpenHours>()
  let wallAhead = clock.now() - clock.monotonic()

  function dueAfter(entry: WatchEntry): number {
    const { checkedAt, everyMs, everyMaxMs, schedule, rhythm } = entry
    const waitMs = timing.waitMs(entry)
    if (schedule === null && rhythm === null) return checkedAt + waitMs
    const ahead = clock.now() - clock.monotonic()
    const bounds = { leastMs: Math.min(everyMs, waitMs), mostMs: Math.max(everyMaxMs, waitMs) }
    const due = dueIn(entry.failures === 0 ? rhythm : null, checkedAt + ahead, waitMs, bounds) - ahead
    if (schedule === null) return due
    const [askedAt, dueAt, promisedAt] = [checkedAt + ahead, due + ahead, checkedAt + everyMaxMs + ahead]
    return askFeedAt(feedHints({ schedule }), { askedAt, dueAt, promisedAt }) - ahead
  }

  function plan(entry: WatchEntry, now: number): void {
    const due = Math.max(dueAfter(entry), now)
    if (entry.paused) queues.setAside(entry, 'paused')
    else if (entry.hours === null) queues.enterTime(entry, 'waiting', due)
    else planWithin(entry.hours, entry, due, clock.now() - now)
  }

  function planWithin(hours: OpenHours, entry: WatchEntry, due: number, wall: number): void {
    const opening = hours.nextOpen(wall + due)
    if (opening === null) queues.setAside(entry, 'shut')
    else if (opening - wall - due < 1) queues.enterTime(entry, 'waiting', due)
    else {
      const spreadMs = timing.jitterMs(entry)
      queues.enterTime(entry, 'closed', opening - wall + (hours.isOpen(opening + spreadMs) ? spreadMs : 0))
    }
  }

  return {
    plan,
    isDue: (entry, now) => dueAfter(entry) <= now,
    isClosed: ({ hours }) => hours !== null && !hours.isOpen(clock.now()),
    noticeJump(now) {
      const ahead = clock.now() - now
      if (Math.abs(ahead - wallAhead) < JUMP_MS) return
      wallAhead = ahead
      if (queues.total('closed') === 0) return
      for (const entry of entries.values()) {
        if (entry.state !== 'closed') continue
        queues.leave(entry, now)
        plan(entry, now)
      }
    },
    hoursOf(windows) {
      if (windows === null) return null
      const key = JSON.stringify(windows)
      const hours = shared.get(key) ?? createOpenHours(windows)
      if (shared.size >= MAX_SHARED) shared.clear()
      shared.set(key, hours)
      return hours
    },
  }
}
