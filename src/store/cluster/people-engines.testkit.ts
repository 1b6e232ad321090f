import type { CollectionStore } from '../collection.ts'
import type { AccountsEngine } from '../conformance/accounts-suite.testkit.ts'
import type { StoreEngine, StoreSystem } from '../conformance/engine.testkit.ts'
import type { InboxEngine } from '../conformance/inbox-suite.testkit.ts'
import type { WatchingEngine } from '../conformance/profiles-suite.testkit.ts'
import { createClusterAccounts } from './accounts.ts'
import { createClusterAnnotations } from './annotations.ts'
import { createClusterInbox } from './inbox.ts'
import { type ClusterPool, openPool } from './pool.ts'
import { createClusterProfiles } from './profiles.ts'
import { createClusterWatches } from './watches.ts'

export type PeopleEngineOptions = {
  addressOf(system: StoreSystem): string
  openCollection(pool: ClusterPool): Pick<CollectionStore, 'find'>
}

/** An engine with what people say and what is told to them: each part on connections of its own. */
export function withPeople(
  engine: StoreEngine,
  { addressOf, openCollection }: PeopleEngineOptions,
): WatchingEngine & AccountsEngine & InboxEngine {
  const open = (system: StoreSystem): { pool: ClusterPool; close(): void } => {
    const pool = openPool({ address: addressOf(system), maxConnections: 2, name: 'people' })
    return { pool, close: () => void pool.close() }
  }
  return {
    ...engine,
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
      const annotations = createClusterAnnotations({ pool })
      return { inbox: createClusterInbox(pool), annotations, collection: openCollection(pool), close }
    },
  }
}
