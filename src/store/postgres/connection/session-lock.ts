import type { PostgresPool } from './pool.ts'

export type SessionLock = { release(): Promise<void> }

/**
 * A lock that one process has at a time; null while another has it. A killed process loses it with its connection. The server notices
 * the end of a connection some time later, so `release` gives the lock back itself: when it is done, others find it free.
 */
export async function trySessionLock(pool: PostgresPool, key: number): Promise<SessionLock | null> {
  const client = await pool.connection()
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [key])
    if (rows[0]?.mine !== true) {
      client.release()
      return null
    }
  } catch (error) {
    client.release(true)
    throw error
  }
  return {
    async release() {
      // Where the connection broke, the lock went with it.
      await client.query('SELECT pg_advisory_unlock($1)', [key]).catch(() => {})
      client.release(true)
    },
  }
}
