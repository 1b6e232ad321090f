import type { AccountsEngine } from '../../conformance/accounts-suite.testkit.ts'
import type { StoreSystem } from '../../conformance/engine.testkit.ts'
import type { InboxEngine } from '../../conformance/inbox-suite.testkit.ts'
import type { WatchingEngine } from '../../conformance/profiles-suite.testkit.ts'
import { createClusterAnnotations } from '../annotations/annotations.ts'
import { createClusterCollection } from '../archive/collection.ts'
import { createClusterObjects } from '../archive/objects.ts'
import { createClusterWatches } from '../cluster/watches.ts'
import { type ClusterPool, openPool } from '../connection/pool.ts'
import { createClusterInbox } from '../inbox/inbox.ts'
import { type ClusterSystem, clusterEngine } from '../testkit/store.testkit.ts'
import { createClusterAccounts } from './accounts.ts'
import { createClusterProfiles } from './profiles.ts'

/** What people say and what is told to them: each part on connections of its own. */
export const clusterPeopleEngine: WatchingEngine & AccountsEngine & InboxEngine = {
  ...clusterEngine,
  openWatching(system) {
    const { pool, close } = open(system)
    const annotations = createClusterAnnotations({ pool })
    return { profiles: createClusterProfiles(pool), watches: createClusterWatches(pool), annotations, close }
  },
  openAccounts(system) {
    const { pool, close } = open(system)
    return { accounts: createClusterAccounts(pool), close }
  },
  openInbox(system) {
    const { pool, close } = open(system)
    const objects = createClusterObjects(pool)
    return {
      inbox: createClusterInbox(pool),
      annotations: createClusterAnnotations({ pool }),
      collection: createClusterCollection({ pool, objects, headerOf: () => '', textOf: async () => null }),
      close,
    }
  },
}

function open(system: StoreSystem): { pool: ClusterPool; close(): void } {
  const { address } = (system as ClusterSystem).database
  const pool = openPool({ address, maxConnections: 2, name: 'people' })
  return { pool, close: () => void pool.close() }
}
