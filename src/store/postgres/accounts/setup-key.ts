import type { PostgresPool } from '../connection/pool.ts'

const NAME = 'setup-key'

/**
 * The key of the set-up link, until there is an account. Here it is kept as it is: processes that were started apart tell the same
 * link, and who may read the database may do more than make the first account.
 */
export function createSetupKey(pool: PostgresPool) {
  return {
    /** The key that holds: this one, unless there is one already. */
    async agree(fresh: string): Promise<string> {
      const [row] = await pool.query<{ key: string }>(
        `INSERT INTO facts AS f (name, value) VALUES ($1, to_jsonb($2::text)) ON CONFLICT (name) DO UPDATE
         SET value = f.value RETURNING f.value #>> '{}' AS key`,
        [NAME, fresh],
      )
      return row!.key
    },
    async forget(): Promise<void> {
      await pool.query('DELETE FROM facts WHERE name = $1', [NAME])
    },
  }
}
