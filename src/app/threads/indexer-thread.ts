import { parentPort, workerData } from 'node:worker_threads'
import { createIndexKeeper } from '../../archive/search/index-keeper.ts'
import { createVersionTexts } from '../../archive/search/version-text.ts'
import { systemClock } from '../../core/clock.ts'
import { lowerThreadPriority } from '../../core/work/process.ts'
import { startThreadRetries } from '../../core/work/retries.ts'
import { serveThread } from '../../core/work/thread-host.ts'
import { createPostgresVersions } from '../../store/postgres/archive/versions.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { createLeaderLease } from '../../store/postgres/leases/leader.ts'
import { createKeptCheck, createPostgresSearchIndex } from '../../store/postgres/search/search-index.ts'
import { openObjects } from '../engines/object-backends.ts'
import { type FromIndexer, type IndexerData, indexerOrders } from './indexer.ts'

/** The thread behind `startClusterIndexer`. */
const { address, holder, leaseMs, orders, objects: where } = workerData as IndexerData
const { send, fail, close } = serveThread<'wake', FromIndexer>(parentPort!, () => keeper.wake())

lowerThreadPriority()
const pool = openPool({ address, maxConnections: 2, name: 'erace index' })
const outside = openObjects(pool, where)
const versions = createPostgresVersions(pool)
const keeper = createIndexKeeper({
  lease: createLeaderLease({ pool, name: 'indexer', holder, clock: systemClock, leaseMs }),
  update: {
    index: createPostgresSearchIndex({ pool, kept: createKeptCheck(pool) }),
    versions,
    texts: createVersionTexts({ versions, objects: outside.objects }),
  },
  clock: systemClock,
  renewMs: leaseMs / 4,
  mustEnd: () => Atomics.load(orders, indexerOrders.end) === 1,
  track: startThreadRetries(systemClock, (waiting) => send({ kind: 'waiting', waiting })).track('indexing'),
  onAdded: (count) => send({ kind: 'added', count }),
})
await keeper.run().catch(fail)
await outside.close()
await pool.close()
close()
