import type { PostgresPool } from './pool.ts'

export type SessionLock = { release(): Promise<void> }

/**
 * A lock that one process holds at a time; null while another holds it. A killed process loses it with its connection. The server notices
 * a closed connection only after some time, so `release` unlocks explicitly: once it resolves, the lock is free.
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
      // If the connection broke, the lock is gone with it.
      await client.query('SELECT pg_advisory_unlock($1)', [key]).catch(() => {})
      client.release(true)
    },
  }
}
