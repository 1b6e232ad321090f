import { type Clock, systemClock } from './core/clock.ts'
import { AppError } from './core/errors.ts'
import { createEmbeddedAccounts } from './store/embedded/accounts.ts'
import { createEmbeddedAnnotations } from './store/embedded/annotations.ts'
import type { Database } from './store/embedded/database.ts'
import { paths, readFacts } from './store/embedded/folder.ts'
import { createEmbeddedFrontierView } from './store/embedded/frontier-view.ts'
import { createEmbeddedGraphView } from './store/embedded/graph-view.ts'
import { createEmbeddedHostView } from './store/embedded/host-view.ts'
import { createEmbeddedInbox } from './store/embedded/inbox.ts'
import { createKeptCounter } from './store/embedded/kept-counts.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { createEmbeddedProfiles } from './store/embedded/profiles.ts'
import { readDisk } from './store/embedded/status.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'
import { createEmbeddedWatches } from './store/embedded/watches.ts'
import type { StoreSet } from './store/store-set.ts'

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
