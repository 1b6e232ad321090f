import type { Clock } from '../../core/clock.ts'
import type { ClusterPool } from './pool.ts'

/**
 * The wall clock of the database, for whatever one process of a cluster writes and another one reads: when a host may be asked again,
 * when a check began. Machines may disagree about the time; here they all go by one clock. Time spans are still measured by
 * each machine's own steady clock.
 */
export type DatabaseClock = Clock & {
  /** Compares the clocks again. A failure leaves them as they were. */
  adjust(): Promise<void>
}

export async function createDatabaseClock(pool: ClusterPool, machine: Clock): Promise<DatabaseClock> {
  let offsetMs = 0

  async function adjust(): Promise<void> {
    const before = machine.monotonic()
    const [row] = await pool.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms',
    )
    const tookMs = machine.monotonic() - before
    offsetMs = row!.ms + tookMs / 2 - machine.now()
  }

  await adjust()
  return { ...machine, now: () => Math.round(machine.now() + offsetMs), adjust }
}
