import type { Place, SchemaReport } from '../../cli/engine.ts'
import { AppError } from '../../core/errors.ts'
import { type ClusterPool, openPool } from '../../store/postgres/connection/pool.ts'
import { distribute, hasCitus } from '../../store/postgres/schema/citus.ts'
import { migrate, migrationStates } from '../../store/postgres/schema/migrate.ts'

/** Which steps of the schema a shared store has. Nothing is changed. */
export function readSchema(place: Place): Promise<SchemaReport> {
  return withPool(place, async (pool) => {
    const steps = await migrationStates(pool)
    const [row] = await pool.query<{ version: string }>(`SELECT current_setting('server_version') AS version`)
    return { steps, server: `PostgreSQL ${row!.version}`, citus: await hasCitus(pool) }
  })
}

export function migrateStore(place: Place): Promise<number[]> {
  return withPool(place, migrate)
}

/** The schema is made first where it is missing. */
export function distributeStore(place: Place): Promise<string[]> {
  return withPool(place, async (pool) => {
    await migrate(pool)
    return distribute(pool)
  })
}

async function withPool<T>({ store }: Place, work: (pool: ClusterPool) => Promise<T>): Promise<T> {
  if (store === null) throw new AppError('usage-wrong', 'a data folder has no schema that is migrated by hand')
  const pool = openPool({ address: store, maxConnections: 2, name: 'erace migrate' })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}
