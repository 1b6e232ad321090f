import type { Logger } from 'pino'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Retries } from '../../core/work/retries.ts'
import { isTemporary, retry } from '../../core/work/retry.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createPostgresAccounts } from '../../store/postgres/accounts/accounts.ts'
import { createPostgresSessions, createPostgresTokens } from '../../store/postgres/accounts/credentials.ts'
import { createPostgresProfiles } from '../../store/postgres/accounts/profiles.ts'
import { createPostgresRequestCounts } from '../../store/postgres/accounts/request-counts.ts'
import {
  createPostgresServerSecrets,
  createPostgresSetup,
  createPostgresSignInFailures,
} from '../../store/postgres/accounts/sign-in.ts'
import { createPostgresCredentials } from '../../store/postgres/accounts/source-credentials.ts'
import { createPostgresAnnotations } from '../../store/postgres/annotations/annotations.ts'
import { createPostgresCollectionRuns } from '../../store/postgres/archive/collection-runs.ts'
import { createPostgresObjects } from '../../store/postgres/archive/objects.ts'
import { createPostgresKeptCounter, pingPostgres, readPostgresDisk } from '../../store/postgres/archive/status.ts'
import { createPostgresVersions } from '../../store/postgres/archive/versions.ts'
import { createPostgresCrawls } from '../../store/postgres/cluster/crawls.ts'
import { createPostgresWatches } from '../../store/postgres/cluster/watches.ts'
import { openPool, type PostgresPool } from '../../store/postgres/connection/pool.ts'
import { checkSessions } from '../../store/postgres/connection/session-check.ts'
import { createPostgresFrontierView } from '../../store/postgres/frontier/frontier-view.ts'
import { createPostgresGraphView } from '../../store/postgres/frontier/graph-view.ts'
import { createPostgresHostView } from '../../store/postgres/frontier/host-view.ts'
import { createPostgresWalks } from '../../store/postgres/frontier/walks.ts'
import { refuseWhileImporting } from '../../store/postgres/import/import-progress.ts'
import { createPostgresChannels } from '../../store/postgres/inbox/channels.ts'
import { createPostgresDeliveries } from '../../store/postgres/inbox/deliveries.ts'
import { createPostgresInbox } from '../../store/postgres/inbox/inbox.ts'
import { createPostgresModuleJournal } from '../../store/postgres/modules/module-journal.ts'
import { migrate, migrationStates, readSeed } from '../../store/postgres/schema/migrate.ts'
import { type ObjectsConfig, type OpenObjects, openObjects } from './object-backends.ts'

export type PostgresStores = StoreSet & {
  readonly pool: PostgresPool
  frontier: ReturnType<typeof createPostgresFrontierView>
}

export type OpenPostgresOptions = {
  address: string
  maxConnections: number
  /** Shown in pg_stat_activity. */
  name: string
  /** Says where bodies are; if omitted, only those in the database can be read. */
  config?: ObjectsConfig
}

/** The stores of a shared database for one thread. The schema must be up to date: `erace migrate` and the roles apply it. */
export function openPostgresStores(options: OpenPostgresOptions): Promise<PostgresStores> {
  return openWith(options, async (missing) => {
    throw new AppError('store-refused', `the database lacks ${missing} steps of the schema; erace migrate applies them`)
  })
}

/** The same for a role that starts: rejects an unsuitable pooler, and applies pending migrations. */
export async function openUpToDate({
  log,
  ...options
}: OpenPostgresOptions & { log: Logger }): Promise<PostgresStores> {
  await checkSessions(options.address)
  return openWith(options, async (_, pool) => {
    const applied = await migrate(pool)
    if (applied.length > 0) log.info({ applied }, 'the schema of the database was brought up to date')
  })
}

async function openWith(
  options: OpenPostgresOptions,
  onMissing: (steps: number, pool: PostgresPool) => Promise<void>,
): Promise<PostgresStores> {
  const pool = openPool(options)
  try {
    const missing = (await migrationStates(pool)).filter(({ appliedAt }) => appliedAt === null)
    if (missing.length > 0) await onMissing(missing.length, pool)
    await refuseWhileImporting(pool)
    const outside = options.config === undefined ? null : openObjects(pool, options.config)
    return postgresStores(pool, await readSeed(pool), outside)
  } catch (error) {
    await pool.close()
    throw error
  }
}

export type Patience = {
  retries: Retries
  /** Ends the wait. */
  signal: AbortSignal
}

/**
 * Starts something that needs the database, retrying without limit while the database can't be used yet. An error that retrying can't fix
 * (a wrong password, missing rights, a version too old or too new) is thrown at once. Resolves to null if the signal ended the wait.
 */
export async function untilAnswered<T>(begin: () => Promise<T>, { retries, signal }: Patience): Promise<T | null> {
  if (signal.aborted) return null
  try {
    return await retry(begin, {
      ...{ firstMs: 100, lastMs: 5_000, signal },
      // Migrations may take long.
      ...{ track: retries.track('starting'), mayTakeLong: true },
    })
  } catch (error) {
    if (signal.aborted && isTemporary(error)) return null
    throw error
  }
}

/** `outside`: store of bodies outside of the database, closed with the other stores. */
export function postgresStores(
  pool: PostgresPool,
  seed: readonly [number, number],
  outside: Pick<OpenObjects, 'objects' | 'close'> | null = null,
): PostgresStores {
  return {
    pool,
    seed,
    accounts: createPostgresAccounts(pool),
    sessions: createPostgresSessions(pool),
    tokens: createPostgresTokens(pool),
    signInFailures: createPostgresSignInFailures(pool),
    requestCounts: createPostgresRequestCounts(pool),
    serverSecrets: createPostgresServerSecrets(pool),
    setup: createPostgresSetup(pool),
    profiles: createPostgresProfiles(pool),
    watches: createPostgresWatches(pool),
    crawls: createPostgresCrawls(pool),
    inbox: createPostgresInbox(pool),
    annotations: createPostgresAnnotations({ pool }),
    deliveries: createPostgresDeliveries(pool),
    channels: createPostgresChannels(pool),
    credentials: createPostgresCredentials(pool),
    keyFile: null,
    versions: createPostgresVersions(pool),
    objects: outside?.objects ?? createPostgresObjects(pool),
    collectionRuns: createPostgresCollectionRuns(pool),
    moduleJournal: () => createPostgresModuleJournal(pool),
    frontier: createPostgresFrontierView(pool),
    hosts: createPostgresHostView({ pool, clock: systemClock }),
    graph: createPostgresGraphView(pool),
    walks: createPostgresWalks(pool),
    countKept: createPostgresKeptCounter(pool),
    readDisk: () => readPostgresDisk(pool),
    check: () => pingPostgres(pool),
    async close() {
      await outside?.close()
      await pool.close()
    },
  }
}
