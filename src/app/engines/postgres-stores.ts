import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createClusterAccounts } from '../../store/postgres/accounts/accounts.ts'
import { createClusterProfiles } from '../../store/postgres/accounts/profiles.ts'
import { createClusterAnnotations } from '../../store/postgres/annotations/annotations.ts'
import { createKeptCounter } from '../../store/postgres/archive/kept-counts.ts'
import { createClusterObjects } from '../../store/postgres/archive/objects.ts'
import { createClusterVersions } from '../../store/postgres/archive/versions.ts'
import { createClusterWatches } from '../../store/postgres/cluster/watches.ts'
import { type ClusterPool, openPool } from '../../store/postgres/connection/pool.ts'
import { readSeed } from '../../store/postgres/connection/seed.ts'
import { createClusterFrontierView } from '../../store/postgres/frontier/frontier-view.ts'
import { createClusterGraphView } from '../../store/postgres/frontier/graph-view.ts'
import { createClusterHostView } from '../../store/postgres/frontier/host-view.ts'
import { refuseWhileMoving } from '../../store/postgres/import/import-progress.ts'
import { createClusterInbox } from '../../store/postgres/inbox/inbox.ts'
import { migrationStates } from '../../store/postgres/schema/migrate.ts'

export type ClusterStores = StoreSet & {
  readonly pool: ClusterPool
  frontier: ReturnType<typeof createClusterFrontierView>
}

export type OpenClusterOptions = {
  address: string
  maxConnections: number
  /** Seen in pg_stat_activity. */
  name: string
}

/** The stores of a cluster for one thread. The schema must be there: `erace migrate` makes it, and the roles do at their start. */
export async function openClusterStores(options: OpenClusterOptions): Promise<ClusterStores> {
  const pool = openPool(options)
  try {
    const missing = (await migrationStates(pool)).filter(({ appliedAt }) => appliedAt === null)
    if (missing.length > 0)
      throw new AppError(
        'store-refused',
        `the database lacks ${missing.length} steps of the schema; erace migrate applies them`,
      )
    await refuseWhileMoving(pool)
    return clusterStores(pool, await readSeed(pool))
  } catch (error) {
    await pool.close()
    throw error
  }
}

export function clusterStores(pool: ClusterPool, seed: readonly [number, number]): ClusterStores {
  return {
    pool,
    seed,
    accounts: createClusterAccounts(pool),
    profiles: createClusterProfiles(pool),
    watches: createClusterWatches(pool),
    inbox: createClusterInbox(pool),
    annotations: createClusterAnnotations({ pool }),
    versions: createClusterVersions(pool),
    objects: createClusterObjects(pool),
    frontier: createClusterFrontierView(pool),
    hosts: createClusterHostView({ pool, clock: systemClock }),
    graph: createClusterGraphView(pool),
    countKept: createKeptCounter(pool),
    async readDisk() {
      const [row] = await pool.query<{ bytes: number; archive: number }>(
        `SELECT pg_database_size(current_database()) AS bytes, pg_total_relation_size('records') AS archive`,
      )
      return { archiveFiles: 0, archiveBytes: row!.archive, databaseBytes: row!.bytes - row!.archive, freeBytes: null }
    },
    async check() {
      await pool.query('SELECT 1')
    },
    close: () => pool.close(),
  }
}
