import type { CollectionEngine } from '../../conformance/collection-suite.testkit.ts'
import type { SearchEngine, SearchSystem } from '../../conformance/search-suite.testkit.ts'
import { createClusterSearchIndex } from '../search/search-index.ts'
import { createDatabase } from '../testkit/postgres.testkit.ts'
import { type ClusterSystem, clusterEngine } from '../testkit/store.testkit.ts'
import { createClusterCollection } from './collection.ts'
import { createClusterObjects } from './objects.ts'
import { createClusterVersions } from './versions.ts'

export const clusterCollectionEngine: CollectionEngine = {
  ...clusterEngine,
  openCollection(system, headerOf) {
    const { pool } = (system as ClusterSystem).database
    const objects = createClusterObjects(pool)
    return {
      collection: createClusterCollection({ pool, objects, headerOf, textOf: async () => null }),
      versions: createClusterVersions(pool),
      close() {},
    }
  },
}

/** An index alone; everything is kept until it is dropped. */
export async function createSearchSystem(): Promise<SearchSystem> {
  const { pool, destroy } = await createDatabase()
  const dropped = new Set<number>()
  return {
    open: async () =>
      createClusterSearchIndex({ pool, kept: async (ids) => new Set(ids.filter((id) => !dropped.has(id))) }),
    drop(ids) {
      for (const id of ids) dropped.add(id)
    },
    destroy,
  }
}

export const clusterSearch: SearchEngine = { name: 'cluster', create: createSearchSystem }
