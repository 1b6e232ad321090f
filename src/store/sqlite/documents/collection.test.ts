import { type CollectionEngine, collectionSuite } from '../../conformance/collection-suite.testkit.ts'
import { createSqliteObjects } from '../archive/objects.ts'
import { openDatabase } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { type SqliteSystem, sqliteEngine } from '../testkit/store.testkit.ts'
import { createSqliteCollection } from './collection.ts'
import { createSqliteVersions } from './versions.ts'

const engine: CollectionEngine = {
  ...sqliteEngine,
  openCollection(system, headerOf) {
    const { folder } = system as SqliteSystem
    const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
    return {
      collection: createSqliteCollection({
        db,
        objects: createSqliteObjects(db, paths.archive(folder)),
        headerOf,
        textOf: async () => null,
      }),
      versions: createSqliteVersions(db),
      close: () => db.close(),
    }
  },
}

collectionSuite(engine)
