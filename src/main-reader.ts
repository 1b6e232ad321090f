import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { createBodyReader } from './cache/body-reader.ts'
import { systemClock } from './core/clock.ts'
import { isAppError } from './core/errors.ts'
import type { ReaderData } from './main-archive.ts'
import { createKeys } from './main-keys.ts'
import { createArchive } from './services/archive/archive.ts'
import { type OpenArchive, serveArchive } from './services/archive/archive-thread.ts'
import type { OpenIndex } from './services/archive/search-visible.ts'
import type { Database } from './store/embedded/database.ts'
import { openCatalogForReading, paths, readFacts } from './store/embedded/folder.ts'
import { createEmbeddedFrontierView } from './store/embedded/frontier-view.ts'
import { createEmbeddedInbox } from './store/embedded/inbox.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { createEmbeddedProfiles } from './store/embedded/profiles.ts'
import { updateIndex } from './store/embedded/search/index-update.ts'
import { explainDamage, openSearch } from './store/embedded/search/open-search.ts'
import { createVersionTexts } from './store/embedded/search/version-text.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'
import { createEmbeddedWatches } from './store/embedded/watches.ts'
import type { ObjectStore } from './store/objects.ts'
import type { SearchIndex } from './store/search.ts'
import type { Version, VersionStore } from './store/versions.ts'

/** New versions are indexed by whoever has time; what is missing is added before a search, for so long. */
const CATCH_UP_MS = 400

/** The thread that reads the archive. What it has opened stays open between requests. */
serveArchive(parentPort!, () => openArchive(workerData as ReaderData))

function openArchive({ folder, config }: ReaderData): OpenArchive {
  const db = openCatalogForReading(folder)
  const versions = createEmbeddedVersions(db)
  const objects = createEmbeddedObjects(db, paths.archive(folder))
  const facts = readFacts(db)
  const frontier = createEmbeddedFrontierView(folder, facts?.shards ?? 0)
  const search = createSearchPlace(folder, db, { versions, objects })
  const reader = createArchive({
    stores: {
      versions,
      objects,
      profiles: createEmbeddedProfiles(db),
      watches: createEmbeddedWatches(db),
      inbox: createEmbeddedInbox(db),
      frontier,
    },
    bodies: createBodyReader({ versions, objects }),
    openIndex: search.openIndex,
    keyOf: createKeys(config, facts?.seed ?? [0, 0]),
    config,
    clock: systemClock,
  })
  return {
    reader,
    async close() {
      await search.close()
      frontier.close()
      db.close()
    },
  }
}

/** The index stays open, unless somebody makes it anew: then there is another file in its place. */
function createSearchPlace(
  folder: string,
  catalog: Database,
  { versions, objects }: { versions: VersionStore; objects: ObjectStore },
) {
  const texts = createVersionTexts({ versions, objects })
  const newest = catalog.prepare('SELECT coalesce(max(id), 0) AS id FROM versions')
  const fileOf = (): number => statSync(paths.search(folder), { throwIfNoEntry: false })?.ino ?? 0
  /** Rows that one search has asked for: the index looks whether they are kept, and then they are shown. */
  const atHand = new Map<number, Promise<Version | null>>()
  const remembering: Pick<VersionStore, 'version'> = {
    version(id) {
      const known = atHand.get(id) ?? versions.version(id)
      atHand.set(id, known)
      return known
    },
  }
  let opened: { index: SearchIndex; file: number } | null = null

  async function close(): Promise<void> {
    const last = opened
    opened = null
    await last?.index.close()
  }

  async function catchUp(index: SearchIndex): Promise<void> {
    const { id } = catalog.read(() => newest.get()) as { id: number }
    if ((await index.watermark()) >= id) return
    const endAt = performance.now() + CATCH_UP_MS
    try {
      await updateIndex({ index, versions, texts, mustStop: () => performance.now() > endAt, onBatch: () => {} })
    } catch (error) {
      // A full disk or a busy index need not keep anybody from finding what is indexed.
      if (!isAppError(error) || error.retry === 'never') throw error
    }
  }

  return {
    close,
    async openIndex(): Promise<OpenIndex> {
      atHand.clear()
      try {
        if (opened !== null && opened.file !== fileOf()) await close()
        opened ??= { index: openSearch(folder, remembering), file: fileOf() }
        await catchUp(opened.index)
        return { index: opened.index, versions: remembering }
      } catch (error) {
        await close()
        throw explainDamage(error)
      }
    },
  }
}
