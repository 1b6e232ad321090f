import { type AccountsEngine, accountsSuite } from '../conformance/accounts/accounts-suite.testkit.ts'
import { sessionsSuite, tokensSuite } from '../conformance/accounts/credentials-suite.testkit.ts'
import { setupSuite, signInFailuresSuite } from '../conformance/accounts/sign-in-suite.testkit.ts'
import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { documentsSuite } from '../conformance/documents-suite.testkit.ts'
import type { StoreSystem } from '../conformance/engine.testkit.ts'
import { frontierSuite } from '../conformance/frontier-suite.testkit.ts'
import { frontierWatchSuite } from '../conformance/frontier-watch-suite.testkit.ts'
import { inboxMarksSuite } from '../conformance/inbox-marks-suite.testkit.ts'
import { type InboxEngine, inboxSuite } from '../conformance/inbox-suite.testkit.ts'
import { leasesSuite } from '../conformance/leases-suite.testkit.ts'
import { objectsSuite } from '../conformance/objects-suite.testkit.ts'
import { outboxSuite } from '../conformance/outbox-suite.testkit.ts'
import { profilesSuite, type WatchingEngine } from '../conformance/profiles-suite.testkit.ts'
import { runsSuite } from '../conformance/runs-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { createSqliteAccounts } from './accounts/accounts.ts'
import { createSqliteSessions, createSqliteTokens } from './accounts/credentials.ts'
import { createSqliteProfiles } from './accounts/profiles.ts'
import { createSqliteSetup, createSqliteSignInFailures } from './accounts/sign-in.ts'
import { createSqliteObjects } from './archive/objects.ts'
import { createSqliteCollection } from './documents/collection.ts'
import { type Database, openDatabase } from './folder/database.ts'
import { paths } from './folder/folder.ts'
import { catalogMigrations } from './folder/schema-catalog.ts'
import { createSqliteWatches } from './frontier/watches.ts'
import { createSqliteAnnotations } from './inbox/annotations.ts'
import { createSqliteInbox } from './inbox/inbox.ts'
import { createSqliteOutbox } from './inbox/outbox.ts'
import { type SqliteSystem, sqliteEngine } from './testkit/store.testkit.ts'

function openCatalog(system: StoreSystem): Database {
  const { folder } = system as SqliteSystem
  return openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
}

const watchingEngine: WatchingEngine = {
  ...sqliteEngine,
  openWatching(system) {
    const db = openCatalog(system)
    return {
      profiles: createSqliteProfiles(db),
      watches: createSqliteWatches(db),
      annotations: createSqliteAnnotations(db),
      close: () => db.close(),
    }
  },
}

const accountsEngine: AccountsEngine = {
  ...sqliteEngine,
  isShared: false,
  openAccounts(system) {
    const db = openCatalog(system)
    return {
      accounts: createSqliteAccounts(db),
      sessions: createSqliteSessions(db),
      tokens: createSqliteTokens(db),
      signInFailures: createSqliteSignInFailures(db),
      setup: createSqliteSetup(db),
      close: () => db.close(),
    }
  },
}

const inboxEngine: InboxEngine = {
  ...sqliteEngine,
  openInbox(system) {
    const db = openCatalog(system)
    const objects = createSqliteObjects(db, paths.archive((system as SqliteSystem).folder))
    return {
      inbox: createSqliteInbox(db),
      outbox: createSqliteOutbox(db),
      annotations: createSqliteAnnotations(db),
      collection: createSqliteCollection({ db, objects, headerOf: () => '', textOf: async () => null }),
      close: () => db.close(),
    }
  },
}

frontierSuite(sqliteEngine)
frontierWatchSuite(sqliteEngine)
documentsSuite(sqliteEngine)
objectsSuite(sqliteEngine)
leasesSuite(sqliteEngine)
runsSuite(sqliteEngine)
versionsSuite(sqliteEngine)
profilesSuite(watchingEngine)
annotationsSuite(watchingEngine)
accountsSuite(accountsEngine)
sessionsSuite(accountsEngine)
tokensSuite(accountsEngine)
signInFailuresSuite(accountsEngine)
setupSuite(accountsEngine)
inboxSuite(inboxEngine)
inboxMarksSuite(inboxEngine)
outboxSuite(inboxEngine)
