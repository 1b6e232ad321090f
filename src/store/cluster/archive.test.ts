import { type CollectionEngine, collectionSuite } from '../conformance/collection-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { archiveEngine, type ArchiveSystem } from './archive-system.testkit.ts'
import { createClusterCollection } from './collection.ts'
import { createClusterObjects } from './objects.ts'
import { usePostgres } from './postgres.testkit.ts'
import { createClusterVersions } from './versions.ts'

usePostgres()

documentsSuite(archiveEngine)
versionsSuite(archiveEngine)
objectsSuite(archiveEngine)

const collectionEngine: CollectionEngine = {
  ...archiveEngine,
  openCollection(system, headerOf) {
    const { pool } = system as ArchiveSystem
    const objects = createClusterObjects(pool)
    return {
      collection: createClusterCollection({ pool, objects, headerOf, textOf: async () => null }),
      versions: createClusterVersions(pool),
      close() {},
    }
  },
}

collectionSuite(collectionEngine)
