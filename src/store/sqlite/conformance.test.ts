import { type AccountsEngine, accountsSuite } from '../conformance/accounts-suite.testkit.ts'
import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import type { StoreSystem } from '../conformance/engine.testkit.ts'
import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { inboxMarksSuite } from '../conformance/inbox-marks-suite.testkit.ts'
import { type InboxEngine, inboxSuite } from '../conformance/inbox-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { profilesSuite, type WatchingEngine } from '../conformance/profiles-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { createEmbeddedAccounts } from './accounts/accounts.ts'
import { createEmbeddedProfiles } from './accounts/profiles.ts'
import { createEmbeddedObjects } from './archive/objects.ts'
import { createEmbeddedCollection } from './documents/collection.ts'
import { type Database, openDatabase } from './folder/database.ts'
import { paths } from './folder/folder.ts'
import { catalogMigrations } from './folder/schema-catalog.ts'
import { createEmbeddedWatches } from './frontier/watches.ts'
import { createEmbeddedAnnotations } from './inbox/annotations.ts'
import { createEmbeddedInbox } from './inbox/inbox.ts'
import { type EmbeddedSystem, embeddedEngine } from './testkit/store.testkit.ts'

function openCatalog(system: StoreSystem): Database {
  const { folder } = system as EmbeddedSystem
  return openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
}

const watchingEngine: WatchingEngine = {
  ...embeddedEngine,
  openWatching(system) {
    const db = openCatalog(system)
    return {
      profiles: createEmbeddedProfiles(db),
      watches: createEmbeddedWatches(db),
      annotations: createEmbeddedAnnotations(db),
      close: () => db.close(),
    }
  },
}

const accountsEngine: AccountsEngine = {
  ...embeddedEngine,
  openAccounts(system) {
    const db = openCatalog(system)
    return { accounts: createEmbeddedAccounts(db), close: () => db.close() }
  },
}

const inboxEngine: InboxEngine = {
  ...embeddedEngine,
  openInbox(system) {
    const db = openCatalog(system)
    const objects = createEmbeddedObjects(db, paths.archive((system as EmbeddedSystem).folder))
    return {
      inbox: createEmbeddedInbox(db),
      annotations: createEmbeddedAnnotations(db),
      collection: createEmbeddedCollection({ db, objects, headerOf: () => '', textOf: async () => null }),
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
accountsSuite(accountsEngine)
inboxSuite(inboxEngine)
inboxMarksSuite(inboxEngine)
