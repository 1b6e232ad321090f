import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createPostgresAccounts } from '../../store/postgres/accounts/accounts.ts'
import { createPostgresProfiles } from '../../store/postgres/accounts/profiles.ts'
import { createPostgresSessions } from '../../store/postgres/accounts/sessions.ts'
import { createPostgresSetup } from '../../store/postgres/accounts/setup.ts'
import { createPostgresSignInFailures } from '../../store/postgres/accounts/sign-in-failures.ts'
import { createPostgresTokens } from '../../store/postgres/accounts/tokens.ts'
import { createPostgresAnnotations } from '../../store/postgres/annotations/annotations.ts'
import { createKeptCounter } from '../../store/postgres/archive/kept-counts.ts'
import { createPostgresObjects } from '../../store/postgres/archive/objects.ts'
import { createPostgresVersions } from '../../store/postgres/archive/versions.ts'
import { createPostgresWatches } from '../../store/postgres/cluster/watches.ts'
import { openPool, type PostgresPool } from '../../store/postgres/connection/pool.ts'
import { readSeed } from '../../store/postgres/connection/seed.ts'
import { createPostgresFrontierView } from '../../store/postgres/frontier/frontier-view.ts'
import { createPostgresGraphView } from '../../store/postgres/frontier/graph-view.ts'
import { createPostgresHostView } from '../../store/postgres/frontier/host-view.ts'
import { refuseWhileImporting } from '../../store/postgres/import/import-progress.ts'
import { createPostgresInbox } from '../../store/postgres/inbox/inbox.ts'
import { migrationStates } from '../../store/postgres/schema/migrate.ts'

export type PostgresStores = StoreSet & {
  readonly pool: PostgresPool
  frontier: ReturnType<typeof createPostgresFrontierView>
}

export type OpenPostgresOptions = {
  address: string
  maxConnections: number
  /** Seen in pg_stat_activity. */
  name: string
}

/** The stores of a cluster for one thread. The schema must be there: `erace migrate` makes it, and the roles do at their start. */
export async function openPostgresStores(options: OpenPostgresOptions): Promise<PostgresStores> {
  const pool = openPool(options)
  try {
    const missing = (await migrationStates(pool)).filter(({ appliedAt }) => appliedAt === null)
    if (missing.length > 0)
      throw new AppError(
        'store-refused',
        `the database lacks ${missing.length} steps of the schema; erace migrate applies them`,
      )
    await refuseWhileImporting(pool)
    return postgresStores(pool, await readSeed(pool))
  } catch (error) {
    await pool.close()
    throw error
  }
}

export function postgresStores(pool: PostgresPool, seed: readonly [number, number]): PostgresStores {
  return {
    pool,
    seed,
    accounts: createPostgresAccounts(pool),
    sessions: createPostgresSessions(pool),
    tokens: createPostgresTokens(pool),
    signInFailures: createPostgresSignInFailures(pool),
    setup: createPostgresSetup(pool),
    profiles: createPostgresProfiles(pool),
    watches: createPostgresWatches(pool),
    inbox: createPostgresInbox(pool),
    annotations: createPostgresAnnotations({ pool }),
    versions: createPostgresVersions(pool),
    objects: createPostgresObjects(pool),
    frontier: createPostgresFrontierView(pool),
    hosts: createPostgresHostView({ pool, clock: systemClock }),
    graph: createPostgresGraphView(pool),
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
