import type { Clock } from '../../../core/clock.ts'
import type { PostgresPool } from './pool.ts'

/**
 * The wall clock of the database, for times that one process of a cluster writes and another one reads: when a host may be asked again,
 * when a check began. Machines may disagree about the time, so all use this clock, extrapolated by each machine's monotonic clock.
 * The error depends on the round-trip time, so of several answers the fastest counts.
 */
export type DatabaseClock = Clock & {
  /** Compares the clocks again. A failure leaves them as they were. */
  adjust(): Promise<void>
}

type Look = { wallMs: number; at: number; tookMs: number }

const LOOKS_AT_FIRST = 3
/** Monotonic clocks drift apart: after this time any new answer is better than the old one. */
const MAX_AGE_MS = 60_000
const AS_GOOD = 2

export async function createDatabaseClock(pool: PostgresPool, machine: Clock): Promise<DatabaseClock> {
  let best: Look | null = null

  async function adjust(): Promise<void> {
    const sentAt = machine.monotonic()
    const [row] = await pool.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms',
    )
    const at = machine.monotonic()
    const look = { wallMs: row!.ms + (at - sentAt) / 2, at, tookMs: at - sentAt }
    if (best === null || look.tookMs <= AS_GOOD * best.tookMs || at - best.at > MAX_AGE_MS) best = look
  }

  for (let looks = 0; looks < LOOKS_AT_FIRST; looks++) await adjust()
  return {
    ...machine,
    now: () => Math.round(best!.wallMs + machine.monotonic() - best!.at),
    adjust,
  }
}
