import type { ServerSecretStore } from '../../contracts/accounts/server-secrets.ts'
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
    async replace(key, expected, next) {
      const was = [expected.count, expected.lastAt]
      const becomes = [next.count, next.lastAt]
      const changed = async (sql: string, values: number[]) =>
        (await pool.query(`${sql} RETURNING 1`, [storable(key), ...values])).length === 1
      if (expected.count === 0)
        return changed('INSERT INTO failures (key, count, last_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', becomes)
      const here = 'WHERE key = $1 AND count = $2 AND last_at = $3'
      if (next.count === 0) return changed(`DELETE FROM failures ${here}`, was)
      return changed(`UPDATE failures SET count = $4, last_at = $5 ${here}`, [...was, ...becomes])
    },
    async clear(keys) {
      await pool.query('DELETE FROM failures WHERE key = ANY($1::text[])', [keys.map(storable)])
    },
    async clearBefore(at) {
      return (await pool.query('DELETE FROM failures WHERE last_at < $1 RETURNING 1', [at])).length
    },
  }
}

/** The key is stored with its hash: a role that can read this database can do more than create the first account. */
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

export function createPostgresServerSecrets(pool: PostgresPool): ServerSecretStore {
  return {
    async agree(name, fresh) {
      const [row] = await pool.query<{ secret: string }>(
        `INSERT INTO facts AS f (name, value) VALUES ($1, to_jsonb($2::text)) ON CONFLICT (name) DO UPDATE
         SET value = f.value RETURNING f.value #>> '{}' AS secret`,
        [`secret ${name}`, Buffer.from(fresh).toString('hex')],
      )
      return Buffer.from(row!.secret, 'hex')
    },
  }
}
