import type { Clock } from '../../../core/clock.ts'
import type { PostgresPool } from './pool.ts'

/**
 * The wall clock of the database, for times that one process of a cluster writes and another one reads: when a host may be asked again,
 * when a check began. Machines may disagree about the time; here they all go by one clock, carried on by each machine's own steady
 * one. How far off it is depends on how long the answer took, so of several answers the quickest counts.
 */
export type DatabaseClock = Clock & {
  /** Compares the clocks again. A failure leaves them as they were. */
  adjust(): Promise<void>
}

type Look = { wallMs: number; at: number; tookMs: number }

const LOOKS_AT_FIRST = 3
/** Steady clocks drift apart: after so long any answer is better than an old one. */
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
