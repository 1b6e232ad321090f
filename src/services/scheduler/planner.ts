import type { Clock } from '../../core/clock.ts'
import type { TimeWindow } from '../../core/profile.ts'
import { createInterner } from './interner.ts'
import type { Queues } from './queues.ts'
import type { SlotTable } from './slot-table.ts'
import { createOpenHours, type OpenHours } from './time-window.ts'
import type { WatchTiming } from './timing.ts'
import { flags, states, type WatchColumns } from './watch-columns.ts'

/**
 * When a watch is checked next: its interval after the last check, moved to the next opening of its time window. Time is
 * monotonic; the wall clock says how far away an opening is, and is asked again when it comes.
 */
export type Planner = {
  /** Puts a watch that is nowhere where it waits. */
  plan(slot: number, now: number): void
  /** Whether its interval has passed, windows aside. */
  isDue(slot: number, now: number): boolean
  isClosed(slot: number): boolean
  /** To be called now and then: openings were reckoned by a wall clock that may show something else by now. */
  noticeJump(now: number): void
  /** The number for a watch's column; throws `usage-wrong` for an unknown zone. */
  acquireWindows(windows: readonly TimeWindow[] | null): number
  releaseWindows(number: number): void
}

export type PlannerOptions = {
  clock: Clock
  columns: WatchColumns
  slots: SlotTable
  queues: Queues
  timing: WatchTiming
}

/** A wall clock that is off by more than this since openings were reckoned has jumped. */
const JUMP_MS = 1_000

export function createPlanner({ clock, columns, slots, queues, timing }: PlannerOptions): Planner {
  const openHours = createInterner<OpenHours>()
  let wallAhead = clock.now() - clock.monotonic()

  const dueAfter = (slot: number): number => columns.checkedAt[slot]! + timing.waitMs(slot)

  function plan(slot: number, now: number): void {
    const window = columns.window[slot]!
    if ((columns.flags[slot]! & flags.paused) !== 0) queues.stand(slot, 'paused')
    else if (window === -1) queues.enterTime(slot, 'waiting', Math.max(dueAfter(slot), now))
    else planWithin(openHours.get(window), slot, now)
  }

  function planWithin(hours: OpenHours, slot: number, now: number): void {
    const due = Math.max(dueAfter(slot), now)
    const wall = clock.now() - now
    const opening = hours.nextOpen(wall + due)
    if (opening === null) queues.stand(slot, 'shut')
    else if (opening - wall - due < 1) queues.enterTime(slot, 'waiting', due)
    else {
      const spreadMs = timing.jitterMs(slot)
      queues.enterTime(slot, 'closed', opening - wall + (hours.isOpen(opening + spreadMs) ? spreadMs : 0))
    }
  }

  return {
    plan,
    isDue: (slot, now) => dueAfter(slot) <= now,
    isClosed(slot) {
      const window = columns.window[slot]!
      return window !== -1 && !openHours.get(window).isOpen(clock.now())
    },
    noticeJump(now) {
      const ahead = clock.now() - now
      if (Math.abs(ahead - wallAhead) < JUMP_MS) return
      wallAhead = ahead
      if (queues.total('closed') === 0) return
      for (let slot = 0; slot < slots.end(); slot++) {
        if (columns.state[slot] !== states.closed) continue
        queues.leave(slot, now)
        plan(slot, now)
      }
    },
    acquireWindows(windows) {
      return windows === null ? -1 : openHours.acquire(JSON.stringify(windows), () => createOpenHours(windows))
    },
    releaseWindows(number) {
      if (number !== -1) openHours.release(number)
    },
  }
}
