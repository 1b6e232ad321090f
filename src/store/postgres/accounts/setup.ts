import type { SetupStore } from '../../contracts/accounts/setup.ts'
import type { PostgresPool } from '../connection/pool.ts'

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
