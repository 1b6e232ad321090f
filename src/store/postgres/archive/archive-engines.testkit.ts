import type { CollectionEngine } from '../../conformance/collection-suite.testkit.ts'
import type { SearchEngine, SearchSystem } from '../../conformance/search-suite.testkit.ts'
import { createPostgresSearchIndex } from '../search/search-index.ts'
import { createDatabase } from '../testkit/postgres.testkit.ts'
import { type PostgresSystem, postgresEngine } from '../testkit/store.testkit.ts'
import { createPostgresCollection } from './collection.ts'
import { createPostgresObjects } from './objects.ts'
import { createPostgresVersions } from './versions.ts'

export const postgresCollectionEngine: CollectionEngine = {
  ...postgresEngine,
  openCollection(system, headerOf) {
    const { pool } = (system as PostgresSystem).database
    const objects = createPostgresObjects(pool)
    return {
      collection: createPostgresCollection({ pool, objects, headerOf, textOf: async () => null }),
      versions: createPostgresVersions(pool),
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
      createPostgresSearchIndex({ pool, kept: async (ids) => new Set(ids.filter((id) => !dropped.has(id))) }),
    drop(ids) {
      for (const id of ids) dropped.add(id)
    },
    destroy,
  }
}

export const postgresSearch: SearchEngine = { name: 'cluster', create: createSearchSystem }
