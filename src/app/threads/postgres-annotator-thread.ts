import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { createProcessor } from '../../services/annotating/processor.ts'
import { beat, mustEnd, runAnnotatorThread } from '../../services/annotating/processor-threads.ts'
import { openEpochs } from '../../store/contracts/cluster/held-epochs.ts'
import { createPostgresAnnotations } from '../../store/postgres/annotations/annotations.ts'
import { createPostgresNearDuplicates } from '../../store/postgres/annotations/near-duplicates.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { openObjects } from '../engines/object-backends.ts'
import { postgresStores } from '../engines/postgres-stores.ts'
import type { PostgresAnnotatorData } from './annotator.ts'

/** A filtering processor in a thread of its own, for the partitions that this process holds in a cluster. */
const { address, config, name, seed, epochs, clockOffsetMs, orders, part, parts, died } =
  workerData as PostgresAnnotatorData

const pool = openPool({ address, maxConnections: config.cluster.connections, name })
const outside = openObjects(pool, config)
const held = openEpochs(epochs)
const epochOf = (partition: number): number | null => held.epochOf(partition) || null
const offset = new Float64Array(clockOffsetMs)

await runAnnotatorThread(parentPort!, {
  mustEnd: () => mustEnd(orders),
  beat: () => beat(orders, part),
  create: async (events) =>
    createProcessor({
      stores: {
        ...postgresStores(pool, seed, outside),
        annotations: createPostgresAnnotations({ pool, partitions: held.held, epochOf }),
      },
      nearDuplicates: createPostgresNearDuplicates({ pool, epochOf }),
      config,
      clock: { ...systemClock, now: () => Math.round(systemClock.now() + offset[0]!) },
      keyOf: createKeys(config, seed),
      part,
      parts,
      died,
      events,
    }),
})
await outside.close()
await pool.close()
