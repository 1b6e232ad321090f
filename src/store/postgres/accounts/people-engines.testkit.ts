import type { AccountsEngine } from '../../conformance/accounts/accounts-suite.testkit.ts'
import type { StoreSystem } from '../../conformance/engine.testkit.ts'
import type { InboxEngine } from '../../conformance/inbox-suite.testkit.ts'
import type { WatchingEngine } from '../../conformance/profiles-suite.testkit.ts'
import { createPostgresAnnotations } from '../annotations/annotations.ts'
import { createPostgresOutbox } from '../annotations/outbox.ts'
import { createPostgresCollection } from '../archive/collection.ts'
import { createPostgresObjects } from '../archive/objects.ts'
import { createPostgresWatches } from '../cluster/watches.ts'
import { openPool, type PostgresPool } from '../connection/pool.ts'
import { createPostgresInbox } from '../inbox/inbox.ts'
import { type PostgresSystem, postgresEngine } from '../testkit/store.testkit.ts'
import { createPostgresAccounts } from './accounts.ts'
import { createPostgresProfiles } from './profiles.ts'
import { createPostgresSessions } from './sessions.ts'
import { createPostgresSetup } from './setup.ts'
import { createPostgresSignInFailures } from './sign-in-failures.ts'
import { createPostgresTokens } from './tokens.ts'

/** What people say and what is told to them: each part on connections of its own. */
export const postgresAccountsEngine: WatchingEngine & AccountsEngine & InboxEngine = {
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
