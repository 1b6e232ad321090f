import { hostname } from 'node:os'
import { createBodyReader } from '../../archive/body-reader.ts'
import { isWholeRecord } from '../../archive/warc/record-check.ts'
import type { Engine, Target } from '../../cli/engine.ts'
import { createClusterControl } from '../../cluster/control.ts'
import { AppError } from '../../core/errors.ts'
import { importFolder as importInto } from '../../services/import/import-folder.ts'
import type { ImportTarget } from '../../store/contracts/import.ts'
import { moveAll } from '../../store/postgres/archive/move-records.ts'
import { createPostgresObjects } from '../../store/postgres/archive/objects.ts'
import { insideKeeper } from '../../store/postgres/archive/record-keeper.ts'
import { createPostgresVersions } from '../../store/postgres/archive/versions.ts'
import { createPostgresNodes, readClusterFacts } from '../../store/postgres/cluster/nodes.ts'
import { hasCitus } from '../../store/postgres/connection/citus-extension.ts'
import { openPool, type PostgresPool } from '../../store/postgres/connection/pool.ts'
import { openImportTarget } from '../../store/postgres/import/import-target.ts'
import { distribute as distributeTables } from '../../store/postgres/schema/citus.ts'
import { migrate as applyMigrations, migrationStates, serverVersion } from '../../store/postgres/schema/migrate.ts'
import { openImportSource } from '../../store/sqlite/import/import-source.ts'
import { openObjects } from '../engines/object-backends.ts'
import { openPostgresStores } from '../engines/postgres-stores.ts'

const CONNECTIONS = 2
const IMPORT_CONNECTIONS = 6

/** `erace top` */
export const control: Engine['control'] = async ({ store }) => {
  if (store === null) throw new AppError('usage-wrong', 'a data folder has no cluster')
  const stores = await openPostgresStores({ address: store, maxConnections: CONNECTIONS, name: 'erace top' })
  const { pool, frontier, annotations } = stores
  const { countTasks } = annotations
  const facts = () => readClusterFacts(pool)
  return {
    ...createClusterControl({ nodes: createPostgresNodes(pool), frontier, countTasks, facts }),
    close: stores.close,
  }
}

/** The migrations of a shared store, applied and pending. Nothing is changed. */
export const schema: Engine['schema'] = (target) =>
  withPool(target, async (pool) => {
    const steps = await migrationStates(pool)
    return { steps, server: await serverVersion(pool), citus: await hasCitus(pool) }
  })

export const migrate: Engine['migrate'] = (target) => withPool(target, applyMigrations)

/** Applies pending migrations first. */
export const distribute: Engine['distribute'] = (target) =>
  withPool(target, async (pool) => {
    await applyMigrations(pool)
    return distributeTables(pool)
  })

async function withPool<T>({ store }: Pick<Target, 'store'>, work: (pool: PostgresPool) => Promise<T>): Promise<T> {
  if (store === null) throw new AppError('usage-wrong', "a data folder's schema needs no migration by hand")
  const pool = openPool({ address: store, maxConnections: CONNECTIONS, name: 'erace migrate' })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

/** `erace migrate --from … --to …` */
export const importFolder: Engine['importFolder'] = async (folder, store, hooks, config) => {
  const holder = `process ${process.pid} on ${hostname()} (migrate)`
  const source = openImportSource({ folder, holder, isWhole: isWholeRecord })
  try {
    const pool = openPool({ address: store, maxConnections: IMPORT_CONNECTIONS, name: 'erace migrate' })
    let target: ImportTarget | null = null
    try {
      await applyMigrations(pool)
      const outside = config === undefined ? null : openObjects(pool, config)
      target = await openImportTarget(pool, outside?.createKeeper('migrate') ?? insideKeeper)
      const objects = outside?.objects ?? createPostgresObjects(pool)
      const versions = createPostgresVersions(pool)
      const bodies = createBodyReader({ versions, objects })
      return await importInto({ source, target, hooks, versions, objects, bodies, isWhole: isWholeRecord })
    } finally {
      await (target ?? pool).close()
    }
  } finally {
    source.close()
  }
}

/** `erace migrate --objects` */
export const moveObjects: Engine['moveObjects'] = async ({ store, config }, { signal, onProgress }) => {
  if (store === null) throw new AppError('usage-wrong', 'a data folder keeps its bodies in its own archive')
  const pool = openPool({ address: store, maxConnections: CONNECTIONS, name: 'erace migrate' })
  const { objects, segments, target, createKeeper, close } = openObjects(pool, config)
  const keeper = createKeeper('migrate')
  try {
    await applyMigrations(pool)
    const moved = await moveAll({ pool, objects, segments, keeper, signal, onProgress }, target?.kind ?? null)
    return { ...moved, to: config.objects.store, interrupted: signal.aborted }
  } finally {
    await keeper.close()
    await close()
    await pool.close()
  }
}
