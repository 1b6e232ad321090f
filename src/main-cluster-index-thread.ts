import { parentPort, workerData } from 'node:worker_threads'
import { createIndexKeeper } from './cache/search-index/index-keeper.ts'
import { createVersionTexts } from './cache/search-index/version-text.ts'
import { systemClock } from './core/clock.ts'
import { stepBack } from './core/step-back.ts'
import { type FromIndexer, type IndexerData, indexerOrders } from './main-cluster-index.ts'
import { createLeaderLease } from './store/cluster/leader.ts'
import { createClusterObjects } from './store/cluster/objects.ts'
import { openPool } from './store/cluster/pool.ts'
import { createClusterSearchIndex, createKeptCheck } from './store/cluster/search-index.ts'
import { createClusterVersions } from './store/cluster/versions.ts'

/** The thread behind `startClusterIndexer`. */
const { address, holder, leaseMs, orders } = workerData as IndexerData
const port = parentPort!
const tell = (message: FromIndexer): void => port.postMessage(message)

stepBack()
const pool = openPool({ address, maxConnections: 2, name: 'erace index' })
const versions = createClusterVersions(pool)
const keeper = createIndexKeeper({
  lease: createLeaderLease({ pool, name: 'indexer', holder, clock: systemClock, leaseMs }),
  update: {
    index: createClusterSearchIndex({ pool, kept: createKeptCheck(pool) }),
    versions,
    texts: createVersionTexts({ versions, objects: createClusterObjects(pool) }),
  },
  clock: systemClock,
  renewMs: leaseMs / 4,
  mustEnd: () => Atomics.load(orders, indexerOrders.end) === 1,
  onWaiting: (reason) => tell({ kind: 'waiting', reason }),
  onAdded: (count) => tell({ kind: 'added', count }),
})
port.on('message', keeper.wake)
try {
  await keeper.run()
} finally {
  await pool.close()
  port.close()
}
