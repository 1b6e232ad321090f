import { type AccountsEngine, accountsSuite } from '../conformance/accounts/accounts-suite.testkit.ts'
import { sessionsSuite, tokensSuite } from '../conformance/accounts/credentials-suite.testkit.ts'
import { setupSuite, signInFailuresSuite } from '../conformance/accounts/sign-in-suite.testkit.ts'
import { annotationsSuite } from '../conformance/annotations-suite.testkit.ts'
import { collectionSuite } from '../conformance/collection-suite.testkit.ts'
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
import { searchSuite } from '../conformance/search-suite.testkit.ts'
import { versionsSuite } from '../conformance/versions-suite.testkit.ts'
import { createPostgresAccounts } from './accounts/accounts.ts'
import { createPostgresSessions, createPostgresTokens } from './accounts/credentials.ts'
import { createPostgresProfiles } from './accounts/profiles.ts'
import { createPostgresSetup, createPostgresSignInFailures } from './accounts/sign-in.ts'
import { createPostgresAnnotations } from './annotations/annotations.ts'
import { createPostgresOutbox } from './annotations/outbox.ts'
import { postgresCollectionEngine, postgresSearch } from './archive/archive-engines.testkit.ts'
import { createPostgresCollection } from './archive/collection.ts'
import { createPostgresObjects } from './archive/objects.ts'
import { createPostgresWatches } from './cluster/watches.ts'
import { openPool, type PostgresPool } from './connection/pool.ts'
import { createPostgresInbox } from './inbox/inbox.ts'
import { usePostgres } from './testkit/postgres.testkit.ts'
import { type PostgresSystem, postgresEngine } from './testkit/store.testkit.ts'

/** Each part on connections of its own. */
const accountsEngine: WatchingEngine & AccountsEngine & InboxEngine = {
  ...postgresEngine,
  isShared: true,
  openWatching(system) {
    const { pool, close } = open(system)
    const annotations = createPostgresAnnotations({ pool })
    return { profiles: createPostgresProfiles(pool), watches: createPostgresWatches(pool), annotations, close }
  },
  openAccounts(system) {
    const { pool, close } = open(system)
    return {
      accounts: createPostgresAccounts(pool),
      sessions: createPostgresSessions(pool),
      tokens: createPostgresTokens(pool),
      signInFailures: createPostgresSignInFailures(pool),
      setup: createPostgresSetup(pool),
      close,
    }
  },
  openInbox(system) {
    const { pool, close } = open(system)
    const objects = createPostgresObjects(pool)
    return {
      inbox: createPostgresInbox(pool),
      outbox: createPostgresOutbox(pool),
      annotations: createPostgresAnnotations({ pool }),
      collection: createPostgresCollection({ pool, objects, headerOf: () => '', textOf: async () => null }),
      close,
    }
  },
}

function open(system: StoreSystem): { pool: PostgresPool; close(): void } {
  const { address } = (system as PostgresSystem).database
  const pool = openPool({ address, maxConnections: 2, name: 'people' })
  return { pool, close: () => void pool.close() }
}

usePostgres()

frontierSuite(postgresEngine)
frontierWatchSuite(postgresEngine)
leasesSuite(postgresEngine)
runsSuite(postgresEngine)
documentsSuite(postgresEngine)
versionsSuite(postgresEngine)
objectsSuite(postgresEngine)
collectionSuite(postgresCollectionEngine)
searchSuite(postgresSearch)
profilesSuite(accountsEngine)
annotationsSuite(accountsEngine)
accountsSuite(accountsEngine)
sessionsSuite(accountsEngine)
tokensSuite(accountsEngine)
signInFailuresSuite(accountsEngine)
setupSuite(accountsEngine)
inboxSuite(accountsEngine)
inboxMarksSuite(accountsEngine)
outboxSuite(accountsEngine)
