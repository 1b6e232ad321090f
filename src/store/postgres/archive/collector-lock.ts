import { AppError } from '../../../core/errors.ts'
import type { PostgresPool } from '../connection/pool.ts'

export type CollectorLock = { release(): Promise<void> }

/** Any number that nobody else uses for an advisory lock. */
const LOCK = 7_252_020

/** Goes by an index of its own: however many versions there are, those that are marked are few. */
export const takeMarksBack = 'UPDATE versions SET leaving = false WHERE leaving'

/**
 * One collector at a time: two would only do the same work twice. Whoever is killed loses the lock with its connection. Versions that it was
 * about to take are marked still, and nobody would refer to them any more; so the marks go first.
 */
export async function lockCollector(pool: PostgresPool): Promise<CollectorLock> {
  const client = await pool.connection()
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [LOCK])
    if (rows[0]?.mine !== true) throw new AppError('store-locked', 'another garbage collection is under way')
    await pool.query(takeMarksBack)
  } catch (error) {
    client.release(true)
    throw error
  }
  return {
    // The connection ends, and with it the lock.
    release: async () => client.release(true),
  }
}
