import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { profilesSuite, type WatchingEngine } from '../conformance/profiles-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { createEmbeddedAnnotations } from './annotations.ts'
import { openDatabase } from './database.ts'
import { paths } from './folder.ts'
import { createEmbeddedProfiles } from './profiles.ts'
import { catalogMigrations } from './schema-catalog.ts'
import { type EmbeddedSystem, embeddedEngine } from './store.testkit.ts'
import { createEmbeddedWatches } from './watches.ts'

const watchingEngine: WatchingEngine = {
  ...embeddedEngine,
  openWatching(system) {
    const { folder } = system as EmbeddedSystem
    const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
    return {
      profiles: createEmbeddedProfiles(db),
      watches: createEmbeddedWatches(db),
      annotations: createEmbeddedAnnotations(db),
      close: () => db.close(),
    }
  },
}

frontierSuite(embeddedEngine)
frontierWatchSuite(embeddedEngine)
documentsSuite(embeddedEngine)
objectsSuite(embeddedEngine)
leasesSuite(embeddedEngine)
runsSuite(embeddedEngine)
versionsSuite(embeddedEngine)
profilesSuite(watchingEngine)
annotationsSuite(watchingEngine)
