import { createBodyReader } from '../../archive/body-reader.ts'
import { createVersionTexts } from '../../archive/search/version-text.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { createArchive } from '../../services/archive/archive.ts'
import type { OpenArchive } from '../../services/archive/archive-thread.ts'
import { catchUp, createRowsAtHand } from '../../services/archive/catch-up.ts'
import type { OpenIndex } from '../../services/archive/search-visible.ts'
import { findVersions } from '../../store/postgres/archive/versions.ts'
import { createDatabaseClock } from '../../store/postgres/connection/database-clock.ts'
import { createPostgresSearchIndex } from '../../store/postgres/search/search-index.ts'
import { openPostgresStores, type PostgresStores } from '../engines/postgres-stores.ts'

/** The archive of a cluster, for one thread, with connections of its own. */
export async function openPostgresArchive(address: string, config: Config): Promise<OpenArchive> {
  const stores = await openPostgresStores({
    address,
    maxConnections: config.cluster.connections,
    name: 'erace archive reader',
    config,
  })
  try {
    const reader = createArchive({
      stores,
      bodies: createBodyReader(stores),
      openIndex: createIndexOpener(stores),
      keyOf: createKeys(config, stores.seed),
      config,
      clock: await createDatabaseClock(stores.pool, systemClock),
    })
    return { reader, close: stores.close }
  } catch (error) {
    await stores.close()
    throw error
  }
}

/** The check which versions are kept reads many at once, and their rows are shown afterwards: so the same rows serve both. */
function createIndexOpener({ pool, versions, objects }: PostgresStores): () => Promise<OpenIndex> {
  const texts = createVersionTexts({ versions, objects })
  const atHand = createRowsAtHand(versions)
  const index = createPostgresSearchIndex({
    pool,
    async kept(ids) {
      const rows = await findVersions(pool, ids)
      atHand.put(rows)
      return new Set(rows.filter(({ body }) => body === 'kept').map(({ id }) => id))
    },
  })
  return async () => {
    atHand.clear()
    await catchUp({ index, versions, texts })
    return { index, versions: atHand }
  }
}
