import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { createLockedNearDuplicates, openNearDuplicateLock } from '../../services/annotating/near-duplicate-lock.ts'
import { createProcessor } from '../../services/annotating/processor.ts'
import { beat, mustEnd, runAnnotatorThread } from '../../services/annotating/processor-threads.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'
import type { AnnotatorData } from './annotator.ts'

/** A filtering processor in a thread of its own, on the embedded store. */
const { folder, config, orders, part, parts, died, nearDuplicateMemory } = workerData as AnnotatorData

const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: 4096 })
const stores = sqliteStores(folder, db)
const lock = openNearDuplicateLock(nearDuplicateMemory, part)

await runAnnotatorThread(parentPort!, {
  mustEnd: () => mustEnd(orders),
  beat: () => beat(orders, part),
  create: async (events) =>
    createProcessor({
      stores,
      nearDuplicates: createLockedNearDuplicates(lock, stores.annotations),
      config,
      clock: systemClock,
      keyOf: createKeys(config, stores.seed),
      part,
      parts,
      died,
      events,
    }),
})
await stores.close()
