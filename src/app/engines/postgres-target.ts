import type { CollectingTarget } from '../../archive/gc/collection-run.ts'
import { createTextMarks, responseHeader } from '../../archive/gc/dropped-bodies.ts'
import type { GcHooks, GcRequest } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { lastCollectionOf } from '../../store/contracts/collection-runs.ts'
import { findPostgresFaults, giveUpPostgresDamage } from '../../store/postgres/archive/checks.ts'
import { createPostgresCollection, lockCollector } from '../../store/postgres/archive/collection.ts'
import { readPostgresStatus } from '../../store/postgres/archive/status.ts'
import { newestVersion } from '../../store/postgres/archive/versions.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import type { SessionLock } from '../../store/postgres/connection/session-lock.ts'
import {
  createKeptCheck,
  createPostgresSearchIndex,
  removeSearchIndex,
} from '../../store/postgres/search/search-index.ts'
import { openPostgresStores } from './postgres-stores.ts'
import type { TargetStores } from './target.ts'

/** A command does one thing at a time, and reads a few records at once. */
const MAX_CONNECTIONS = 4

/** A shared store, while others may use it. */
export async function openPostgresTarget(address: string): Promise<TargetStores> {
  const stores = await openPostgresStores({ address, maxConnections: MAX_CONNECTIONS, name: 'erace' })
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
    // Others that work on a shared store don't get in the way.
    whileAlone: (work) => work(),
    async giveUp(damage) {
      const records = damage.flatMap((found) => (found.kind === 'record' ? [found] : []))
      const damaged = records.map(({ versionId, offset }) => ({ versionId, record: offset }))
      return { lost: await giveUpPostgresDamage(pool, damaged), forgottenFiles: 0 }
    },
  }
}

/** The database reclaims the space itself: there are no files to rewrite. */
export async function openPostgresCollecting(
  address: string,
  { dryRun, config }: GcRequest,
  hooks: GcHooks,
): Promise<CollectingTarget> {
  const stores = await openPostgresStores({ address, maxConnections: MAX_CONNECTIONS, name: 'erace gc' })
  const { pool, objects } = stores
  let lock: SessionLock | null = null
  const close = async (): Promise<void> => {
    await lock?.release()
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
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
