import { parentPort, workerData } from 'node:worker_threads'
import { type Fault, faultyVersions } from '../../../test/kit/processing-faults.ts'
import { systemClock } from '../../core/clock.ts'
import { createLockedNearDuplicates, openNearDuplicateLock } from '../../services/annotating/near-duplicate-lock.ts'
import { createProcessor } from '../../services/annotating/processor.ts'
import { beat, mustEnd, runAnnotatorThread } from '../../services/annotating/processor-threads.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'
import type { AnnotatorData } from './annotator.ts'

/** The annotation engine's thread, with a fault on pages whose URL contains `bad`. */
const { folder, config, orders, part, parts, died, nearDuplicateMemory, fault } = workerData as AnnotatorData & {
  fault: Fault
}

const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
const stores = sqliteStores(folder, db)
const lock = openNearDuplicateLock(nearDuplicateMemory, part)

await runAnnotatorThread(parentPort!, {
  mustEnd: () => mustEnd(orders),
  beat: () => beat(orders, part),
  create: async (events) =>
    createProcessor({
      stores: { ...stores, versions: faultyVersions(stores.versions, fault) },
      nearDuplicates: createLockedNearDuplicates(lock, stores.annotations),
      config,
      clock: systemClock,
      keyOf: () => null,
      part,
      parts,
      died,
      events,
    }),
})
await stores.close()
