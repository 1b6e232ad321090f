import type { Logger } from 'pino'
import type { AppError } from '../../core/errors.ts'
import { isTemporary, retry } from '../../core/retry.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { readSeed } from '../../store/postgres/connection/seed.ts'
import { refuseWhileImporting } from '../../store/postgres/import/import-progress.ts'
import { migrate, migrationStates } from '../../store/postgres/schema/migrate.ts'
import { type OpenPostgresOptions, type PostgresStores, postgresStores } from './postgres-stores.ts'

export type Patience = {
  log: Logger
  /** Ends the waiting. */
  signal: AbortSignal
}

const MIN_WAIT_MS = 100
const MAX_WAIT_MS = 5_000

/**
 * Begins something that needs the database. One that does not answer is waited for, as long as it takes; what can never work (a wrong
 * password, missing rights, too old or too new a database) fails at once. Null when the wait was ended.
 */
export async function untilAnswered<T>(begin: () => Promise<T>, { log, signal }: Patience): Promise<T | null> {
  if (signal.aborted) return null
  try {
    return await retry(begin, {
      firstMs: MIN_WAIT_MS,
      lastMs: MAX_WAIT_MS,
      signal,
      onWait(error, againInMs) {
        const { code, message } = error as AppError
        log.warn({ code, error: message, againInMs }, 'the database does not answer; waiting for it')
      },
    })
  } catch (error) {
    if (signal.aborted && isTemporary(error)) return null
    throw error
  }
}

/** The stores of a cluster for a role that begins, with all that the schema lacked. Null when `signal` ended the wait for them. */
export function openPostgresAtStart(options: OpenPostgresOptions & Patience): Promise<PostgresStores | null> {
  return untilAnswered(() => openUpToDate(options), options)
}

/** The stores of a cluster; what the schema lacks is applied. */
export async function openUpToDate({
  log,
  ...options
}: OpenPostgresOptions & Pick<Patience, 'log'>): Promise<PostgresStores> {
  const pool = openPool(options)
  try {
    const states = await migrationStates(pool)
    if (states.some(({ appliedAt }) => appliedAt === null)) {
      const applied = await migrate(pool)
      if (applied.length > 0) log.info({ applied }, 'the schema of the database was brought up to date')
    }
    await refuseWhileImporting(pool)
    return postgresStores(pool, await readSeed(pool))
  } catch (error) {
    await pool.close()
    throw error
  }
}
