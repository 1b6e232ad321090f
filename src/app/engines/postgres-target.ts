import type { CollectingTarget } from '../../archive/gc/collection-run.ts'
import { createTextMarks, responseHeader } from '../../archive/gc/dropped-bodies.ts'
import type { GcHooks, GcRequest } from '../../cli/engine.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import type { GcFiles } from '../../core/reports/gc-report.ts'
import { lastCollectionOf } from '../../store/contracts/collection-runs.ts'
import { findPostgresFaults, giveUpPostgresDamage } from '../../store/postgres/archive/checks.ts'
import { createPostgresCollection, lockCollector } from '../../store/postgres/archive/collection.ts'
import { rewriteAllSegments } from '../../store/postgres/archive/rewrite-segments.ts'
import { readPostgresStatus } from '../../store/postgres/archive/status.ts'
import { newestVersion } from '../../store/postgres/archive/versions.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import type { PostgresPool } from '../../store/postgres/connection/pool.ts'
import type { SessionLock } from '../../store/postgres/connection/session-lock.ts'
import {
  createKeptCheck,
  createPostgresSearchIndex,
  removeSearchIndex,
} from '../../store/postgres/search/search-index.ts'
import { type OpenObjects, openObjects } from './object-backends.ts'
import { openPostgresStores } from './postgres-stores.ts'
import type { TargetStores } from './target.ts'

/** A command does one thing at a time, and reads a few records at once. */
const MAX_CONNECTIONS = 4

/** A shared store, while others may use it. */
export async function openPostgresTarget(address: string, config: Config): Promise<TargetStores> {
  const stores = await openPostgresStores({ address, maxConnections: MAX_CONNECTIONS, name: 'erace', config })
  const { pool } = stores
  return {
    ...stores,
    readStatus: async () => ({
      ...(await readPostgresStatus(pool)),
      disk: await stores.readDisk(),
      lastCollection: lastCollectionOf(await stores.collectionRuns.last()),
    }),
    newestVersion: () => newestVersion(pool),
    openSearch: async () => createPostgresSearchIndex({ pool, kept: createKeptCheck(pool) }),
    removeSearch: () => removeSearchIndex(pool),
    explainSearchError: (error) => error,
    findFaults: () => findPostgresFaults(pool),
    // Other users of a shared store don't interfere.
    whileAlone: (work) => work(),
    async giveUp(damage) {
      const records = damage.flatMap((found) => (found.kind === 'record' ? [found] : []))
      const damaged = records.map(({ versionId, offset }) => ({ versionId, record: offset }))
      return { lost: await giveUpPostgresDamage(pool, damaged), forgottenFiles: 0 }
    },
  }
}

/** The database reclaims its space itself; files outside of it are rewritten if they are mostly garbage. */
export async function openPostgresCollecting(
  address: string,
  { dryRun, config }: GcRequest,
  hooks: GcHooks,
): Promise<CollectingTarget> {
  const stores = await openPostgresStores({ address, maxConnections: MAX_CONNECTIONS, name: 'erace gc', config })
  const { pool, objects } = stores
  const outside = openObjects(pool, config)
  let lock: SessionLock | null = null
  const close = async (): Promise<void> => {
    await lock?.release()
    await outside.close()
    await stores.close()
  }
  try {
    if (!dryRun) lock = await lockCollector(pool)
    const clock = await createDatabaseClock(pool, systemClock)
    const index = createPostgresSearchIndex({ pool, kept: createKeptCheck(pool) })
    const textOf = createTextMarks(stores, config.sources)
    return {
      deliveries: stores.deliveries,
      runs: stores.collectionRuns,
      collection: createPostgresCollection({ pool, objects, headerOf: responseHeader, textOf }),
      now: clock.now,
      async forget(versionIds) {
        try {
          await index.remove(versionIds)
        } catch (error) {
          // Search only finds kept versions: an outdated index wastes space, nothing more.
          hooks.onWarning(`could not update the search index: ${(error as Error).message}`)
        }
      },
      ...(outside.backends.size > 0 && { rewriteFiles: () => rewriteOutside(pool, outside, hooks) }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function rewriteOutside(
  pool: PostgresPool,
  { backends, segments, objects, createKeeper }: OpenObjects,
  { signal, onProgress }: GcHooks,
): Promise<GcFiles> {
  const keeper = createKeeper('gc')
  try {
    return await rewriteAllSegments([...backends.values()], {
      ...{ pool, objects, keeper, segments, signal },
      onRewrite: (progress) => onProgress({ kind: 'rewriting', ...progress }),
    })
  } finally {
    await keeper.close()
  }
}
