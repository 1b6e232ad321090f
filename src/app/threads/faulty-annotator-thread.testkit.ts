import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { createLoggedNearDuplicates, openNearDuplicateLog } from '../../services/annotating/near-duplicate-log.ts'
import { createProcessor } from '../../services/annotating/processor.ts'
import { beat, mustEnd, runAnnotatorThread } from '../../services/annotating/processor-threads.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'
import type { AnnotatorData } from './annotator.ts'

export type Fault = 'throws' | 'runs out of memory' | 'is stuck' | 'exits'

/** The thread of the annotation engine, but for a fault in pages whose URL has `bad` in it. */
const { folder, config, orders, part, parts, died, nearDuplicateMemory, fault } = workerData as AnnotatorData & {
  fault: Fault
}

const faults = new Map<Fault, () => void>([
  [
    'throws',
    () => {
      throw new TypeError('it is not a function')
    },
  ],
  [
    'runs out of memory',
    () => {
      for (const hoard: unknown[] = []; ; ) hoard.push(Array.from({ length: 10_000 }, (_, n) => ({ n })))
    },
  ],
  [
    'is stuck',
    () => {
      for (;;);
    },
  ],
  ['exits', () => process.exit(3)],
])

const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
const stores = sqliteStores(folder, db)
const log = openNearDuplicateLog(nearDuplicateMemory, undefined, part)

await runAnnotatorThread(parentPort!, {
  mustEnd: () => mustEnd(orders),
  beat: () => beat(orders, part),
  create: async (events) =>
    createProcessor({
      stores: {
        ...stores,
        versions: {
          ...stores.versions,
          async version(id) {
            const version = await stores.versions.version(id)
            if (version?.url.includes('bad')) faults.get(fault)!()
            return version
          },
        },
      },
      nearDuplicates: createLoggedNearDuplicates(log, stores.annotations),
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
