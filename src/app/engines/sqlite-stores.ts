import { type Clock, systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createEmbeddedAccounts } from '../../store/sqlite/accounts/accounts.ts'
import { createEmbeddedProfiles } from '../../store/sqlite/accounts/profiles.ts'
import { createEmbeddedObjects } from '../../store/sqlite/archive/objects.ts'
import { createKeptCounter } from '../../store/sqlite/documents/kept-counts.ts'
import { createEmbeddedVersions } from '../../store/sqlite/documents/versions.ts'
import type { Database } from '../../store/sqlite/folder/database.ts'
import { paths, readFacts } from '../../store/sqlite/folder/folder.ts'
import { readDisk } from '../../store/sqlite/folder/status.ts'
import { createEmbeddedFrontierView } from '../../store/sqlite/frontier/frontier-view.ts'
import { createEmbeddedGraphView } from '../../store/sqlite/frontier/graph-view.ts'
import { createEmbeddedHostView } from '../../store/sqlite/frontier/host-view.ts'
import { createEmbeddedWatches } from '../../store/sqlite/frontier/watches.ts'
import { createEmbeddedAnnotations } from '../../store/sqlite/inbox/annotations.ts'
import { createEmbeddedInbox } from '../../store/sqlite/inbox/inbox.ts'

export type EmbeddedStores = StoreSet & { readonly shards: number }

/** The stores of a data folder on a catalogue that is open in this thread, and which `close` closes. */
export function embeddedStores(folder: string, db: Database, clock: Clock = systemClock): EmbeddedStores {
  const facts = readFacts(db)
  const shards = facts?.shards ?? 0
  const frontier = createEmbeddedFrontierView(folder, shards)
  const hosts = createEmbeddedHostView({ folder, db, clock })
  const countKept = createKeptCounter(db)
  return {
    seed: facts?.seed ?? [0, 0],
    shards,
    accounts: createEmbeddedAccounts(db),
    profiles: createEmbeddedProfiles(db),
    watches: createEmbeddedWatches(db),
    inbox: createEmbeddedInbox(db),
    annotations: createEmbeddedAnnotations(db),
    versions: createEmbeddedVersions(db),
    objects: createEmbeddedObjects(db, paths.archive(folder)),
    frontier,
    hosts,
    graph: createEmbeddedGraphView(db),
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
