import type { SetupStore } from '../../contracts/accounts/setup.ts'
import type { SignInFailureStore, SignInFailures } from '../../contracts/accounts/sign-in-failures.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

export function createPostgresSignInFailures(pool: PostgresPool): SignInFailureStore {
  return {
    async find(key) {
      const sql = 'SELECT count, last_at AS "lastAt" FROM failures WHERE key = $1'
      const [found] = await pool.query<SignInFailures>(sql, [storable(key)])
      return found ?? { count: 0, lastAt: 0 }
    },
    async record(key, at) {
      const [recorded] = await pool.query<SignInFailures>(
        `INSERT INTO failures AS f (key, count, last_at) VALUES ($1, 1, $2) ON CONFLICT (key) DO UPDATE
         SET count = f.count + 1, last_at = excluded.last_at RETURNING count, last_at AS "lastAt"`,
        [storable(key), at],
      )
      return recorded!
    },
    async clear(keys) {
      await pool.query('DELETE FROM failures WHERE key = ANY($1::text[])', [keys.map(storable)])
    },
    async clearBefore(at) {
      return (await pool.query('DELETE FROM failures WHERE last_at < $1 RETURNING 1', [at])).length
    },
  }
}

/** The key itself is stored beside its hash: a role that can read this database can do more than make the first account. */
export function createPostgresSetup(pool: PostgresPool): SetupStore {
  return {
    async agree(fresh) {
      const [row] = await pool.query<{ key: string }>(
        `INSERT INTO facts AS f (name, value) VALUES ('setup-key', to_jsonb($1::text)) ON CONFLICT (name) DO UPDATE
         SET value = f.value RETURNING f.value #>> '{}' AS key`,
        [fresh],
      )
      return row!.key
    },
    async hash() {
      const [row] = await pool.query<{ hash: string }>(`SELECT value #>> '{}' AS hash FROM facts WHERE name = 'setup'`)
      return row === undefined ? null : Buffer.from(row.hash, 'hex')
    },
    async setHash(hash) {
      if (hash === null) await pool.query(`DELETE FROM facts WHERE name IN ('setup', 'setup-key')`)
      else
        await pool.query(
          `INSERT INTO facts (name, value) VALUES ('setup', to_jsonb($1::text)) ON CONFLICT (name) DO UPDATE
           SET value = excluded.value`,
          [Buffer.from(hash).toString('hex')],
        )
    },
  }
}
