import { type CollectionEngine, collectionSuite } from '../../conformance/collection-suite.testkit.ts'
import { createEmbeddedObjects } from '../archive/objects.ts'
import { openDatabase } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { type EmbeddedSystem, embeddedEngine } from '../testkit/store.testkit.ts'
import { createEmbeddedCollection } from './collection.ts'
import { createEmbeddedVersions } from './versions.ts'

const engine: CollectionEngine = {
  ...embeddedEngine,
  openCollection(system, headerOf) {
    const { folder } = system as EmbeddedSystem
    const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
    return {
      collection: createEmbeddedCollection({
        db,
        objects: createEmbeddedObjects(db, paths.archive(folder)),
        headerOf,
        textOf: async () => null,
      }),
      versions: createEmbeddedVersions(db),
      close: () => db.close(),
    }
  },
}

collectionSuite(engine)
