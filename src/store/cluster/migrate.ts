import { AppError } from '../../core/errors.ts'
import { type ClusterPool, checkServer } from './pool.ts'
import { postgresError } from './postgres-error.ts'
import { clusterMigrations } from './schema.ts'

export type MigrationState = { id: number; name: string; appliedAt: string | null }

/** Any number that nobody else uses for an advisory lock. */
const LOCK = 7_252_019

/** What has been applied, and what has not. */
export async function migrationStates(pool: ClusterPool): Promise<MigrationState[]> {
  await checkServer(pool)
  const [table] = await pool.query<{ there: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS there`)
  const rows =
    table?.there === true
      ? await pool.query<{ id: number; at: string }>(
          `SELECT id, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at FROM migrations`,
        )
      : []
  const newest = clusterMigrations.at(-1)?.id ?? 0
  const tooNew = rows.find(({ id }) => id > newest)
  if (tooNew !== undefined)
    throw new AppError(
      'store-too-new',
      `the database has schema ${tooNew.id}, this program knows ${newest}. Use the newer program.`,
    )
  const appliedAt = new Map(rows.map(({ id, at }) => [id, at]))
  return clusterMigrations.map(({ id, name }) => ({ id, name, appliedAt: appliedAt.get(id) ?? null }))
}

/** Applies what is missing, each step once, whoever else tries at the same time. Returns which. */
export async function migrate(pool: ClusterPool): Promise<number[]> {
  const client = await pool.connection()
  const applied: number[] = []
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (id int PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())',
    )
    const states = await migrationStates(pool)
    for (const { id, name, sql } of clusterMigrations) {
      if (states.find((state) => state.id === id)?.appliedAt !== null) continue
      await client.query(
        `BEGIN; ${sql}; INSERT INTO migrations (id, name) VALUES (${id}, '${name.replaceAll("'", "''")}'); COMMIT`,
      )
      applied.push(id)
    }
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK])
    client.release()
    return applied
  } catch (error) {
    // The connection ends, and with it the lock and whatever was begun.
    client.release(error as Error)
    throw postgresError(error)
  }
}
