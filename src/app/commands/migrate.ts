import type { SchemaReport, Target } from '../../cli/engine.ts'
import { AppError } from '../../core/errors.ts'
import { openPool, type PostgresPool } from '../../store/postgres/connection/pool.ts'
import { distribute, hasCitus } from '../../store/postgres/schema/citus.ts'
import { migrate, migrationStates } from '../../store/postgres/schema/migrate.ts'

/** Which steps of the schema a shared store has. Nothing is changed. */
export function readSchema(target: Target): Promise<SchemaReport> {
  return withPool(target, async (pool) => {
    const steps = await migrationStates(pool)
    const [row] = await pool.query<{ version: string }>(`SELECT current_setting('server_version') AS version`)
    return { steps, server: `PostgreSQL ${row!.version}`, citus: await hasCitus(pool) }
  })
}

export function migrateStore(target: Target): Promise<number[]> {
  return withPool(target, migrate)
}

/** The schema is made first where it is missing. */
export function distributeStore(target: Target): Promise<string[]> {
  return withPool(target, async (pool) => {
    await migrate(pool)
    return distribute(pool)
  })
}

async function withPool<T>({ store }: Target, work: (pool: PostgresPool) => Promise<T>): Promise<T> {
  if (store === null) throw new AppError('usage-wrong', 'a data folder has no schema that is migrated by hand')
  const pool = openPool({ address: store, maxConnections: 2, name: 'erace migrate' })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}
