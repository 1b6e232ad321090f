import type { AccountStore, Failures } from '../../contracts/accounts.ts'
import { storable } from '../archive/storable-text.ts'
import type { PostgresPool } from '../connection/pool.ts'

type FailureStore = Pick<AccountStore, 'failures' | 'noteFailure' | 'forgetFailures' | 'forgetFailuresBefore'>

export function createPostgresSignInFailures(pool: PostgresPool): FailureStore {
  return {
    async failures(key) {
      const sql = 'SELECT count, last_at AS "lastAt" FROM failures WHERE key = $1'
      const [found] = await pool.query<Failures>(sql, [storable(key)])
      return found ?? { count: 0, lastAt: 0 }
    },
    async noteFailure(key, at) {
      const [noted] = await pool.query<Failures>(
        `INSERT INTO failures AS f (key, count, last_at) VALUES ($1, 1, $2) ON CONFLICT (key) DO UPDATE
         SET count = f.count + 1, last_at = excluded.last_at RETURNING count, last_at AS "lastAt"`,
        [storable(key), at],
      )
      return noted!
    },
    async forgetFailures(keys) {
      await pool.query('DELETE FROM failures WHERE key = ANY($1::text[])', [keys.map(storable)])
    },
    async forgetFailuresBefore(at) {
      return (await pool.query('DELETE FROM failures WHERE last_at < $1 RETURNING 1', [at])).length
    },
  }
}
