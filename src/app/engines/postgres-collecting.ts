import { createTextMarks, responseHeader } from '../../archive/gc/dropped-bodies.ts'
import type { GcHooks, GcRequest } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { createPostgresCollection } from '../../store/postgres/archive/collection.ts'
import { type CollectorLock, lockCollector } from '../../store/postgres/archive/collector-lock.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { createKeptCheck, createPostgresSearchIndex } from '../../store/postgres/search/search-index.ts'
import { openPostgresStores } from './postgres-stores.ts'
import type { CollectingTarget } from './target.ts'

const MAX_CONNECTIONS = 4

/** The room of what is collected is given back by the database itself: there are no files to be rewritten. */
export async function openPostgresCollecting(
  address: string,
  { dryRun, config }: GcRequest,
  hooks: GcHooks,
): Promise<CollectingTarget> {
  const stores = await openPostgresStores({ address, maxConnections: MAX_CONNECTIONS, name: 'erace gc' })
  const { pool, objects } = stores
  let lock: CollectorLock | null = null
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
      collection: createPostgresCollection({ pool, objects, headerOf: responseHeader, textOf }),
      now: clock.now,
      async forget(versionIds) {
        try {
          await index.remove(versionIds)
        } catch (error) {
          // Search finds only what is kept: an index that was not told loses nothing but room.
          hooks.onWarning(`the search index could not be told: ${(error as Error).message}`)
        }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
