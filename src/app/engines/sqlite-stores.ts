import { type Clock, systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createSqliteAccounts } from '../../store/sqlite/accounts/accounts.ts'
import { createSqliteSessions, createSqliteTokens } from '../../store/sqlite/accounts/credentials.ts'
import { createSqliteProfiles } from '../../store/sqlite/accounts/profiles.ts'
import {
  createSqliteServerSecrets,
  createSqliteSetup,
  createSqliteSignInFailures,
} from '../../store/sqlite/accounts/sign-in.ts'
import { createSqliteCredentials } from '../../store/sqlite/accounts/source-credentials.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createSqliteCollectionRuns } from '../../store/sqlite/documents/collection-runs.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import type { Database } from '../../store/sqlite/folder/database.ts'
import { paths, readFacts } from '../../store/sqlite/folder/folder.ts'
import { createSqliteKeptCounter, readDisk } from '../../store/sqlite/folder/status.ts'
import { createSqliteCrawls } from '../../store/sqlite/frontier/crawls.ts'
import { createSqliteFrontierView } from '../../store/sqlite/frontier/frontier-view.ts'
import { createSqliteGraphView } from '../../store/sqlite/frontier/graph-view.ts'
import { createSqliteHostView } from '../../store/sqlite/frontier/host-view.ts'
import { createSqliteWalks } from '../../store/sqlite/frontier/walks.ts'
import { createSqliteWatches } from '../../store/sqlite/frontier/watches.ts'
import { createSqliteAnnotations } from '../../store/sqlite/inbox/annotations.ts'
import { createSqliteChannels } from '../../store/sqlite/inbox/channels.ts'
import { createSqliteDeliveries } from '../../store/sqlite/inbox/deliveries.ts'
import { createSqliteInbox } from '../../store/sqlite/inbox/inbox.ts'
import { createSqliteModuleJournal } from '../../store/sqlite/modules/module-journal.ts'

export type SqliteStores = StoreSet & { readonly shards: number }

/** The stores of a data folder on a catalogue already open in this thread; `close` closes it. */
export function sqliteStores(folder: string, db: Database, clock: Clock = systemClock): SqliteStores {
  const facts = readFacts(db)
  const shards = facts?.shards ?? 0
  const frontier = createSqliteFrontierView(folder, shards)
  const hosts = createSqliteHostView({ folder, db, clock })
  const countKept = createSqliteKeptCounter(db)
  return {
    seed: facts?.seed ?? [0, 0],
    shards,
    accounts: createSqliteAccounts(db),
    sessions: createSqliteSessions(db),
    tokens: createSqliteTokens(db),
    signInFailures: createSqliteSignInFailures(db),
    requestCounts: null,
    serverSecrets: createSqliteServerSecrets(db),
    setup: createSqliteSetup(db),
    profiles: createSqliteProfiles(db),
    watches: createSqliteWatches(db),
    crawls: createSqliteCrawls(db),
    inbox: createSqliteInbox(db),
    annotations: createSqliteAnnotations(db),
    deliveries: createSqliteDeliveries(db),
    channels: createSqliteChannels(db),
    credentials: createSqliteCredentials(db),
    keyFile: paths.key(folder),
    versions: createSqliteVersions(db),
    objects: createSqliteObjects(db, paths.archive(folder)),
    collectionRuns: createSqliteCollectionRuns(db),
    moduleJournal: () => createSqliteModuleJournal(db),
    frontier,
    hosts,
    graph: createSqliteGraphView(db),
    walks: createSqliteWalks(db),
    countKept,
    readDisk: async () => readDisk(folder),
    async check() {
      if (db.read(() => readFacts(db)) === null) throw new AppError('store-failed', 'the store is empty')
    },
    async close() {
      frontier.close()
      hosts.close()
      db.close()
    },
  }
}
