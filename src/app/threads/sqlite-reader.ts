import { statSync } from 'node:fs'
import { createBodyReader } from '../../archive/body-reader.ts'
import { createVersionTexts } from '../../archive/search/version-text.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { createArchive } from '../../services/archive/archive.ts'
import type { OpenArchive } from '../../services/archive/archive-thread.ts'
import { catchUp, createRowsAtHand } from '../../services/archive/catch-up.ts'
import type { OpenIndex } from '../../services/archive/search-visible.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { SearchIndex } from '../../store/contracts/search.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import { createSqliteProfiles } from '../../store/sqlite/accounts/profiles.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createNewestVersion, createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import type { Database } from '../../store/sqlite/folder/database.ts'
import { openCatalogForReading, paths, readFacts } from '../../store/sqlite/folder/folder.ts'
import { createSqliteFrontierView } from '../../store/sqlite/frontier/frontier-view.ts'
import { createSqliteWatches } from '../../store/sqlite/frontier/watches.ts'
import { createSqliteInbox } from '../../store/sqlite/inbox/inbox.ts'
import { explainDamage, openSearch } from '../../store/sqlite/search/search-index.ts'

/** The archive of a data folder, for one thread. */
export function openSqliteArchive(folder: string, config: Config): OpenArchive {
  const db = openCatalogForReading(folder)
  const versions = createSqliteVersions(db)
  const objects = createSqliteObjects(db, paths.archive(folder))
  const facts = readFacts(db)
  const frontier = createSqliteFrontierView(folder, facts?.shards ?? 0)
  const search = createSearchPlace(folder, db, { versions, objects })
  const reader = createArchive({
    stores: {
      versions,
      objects,
      profiles: createSqliteProfiles(db),
      watches: createSqliteWatches(db),
      inbox: createSqliteInbox(db),
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

/** Keeps the index open, unless it was rebuilt: then another file has replaced it. */
function createSearchPlace(
  folder: string,
  catalog: Database,
  { versions, objects }: { versions: VersionStore; objects: ObjectStore },
) {
  const texts = createVersionTexts({ versions, objects })
  const newestVersion = createNewestVersion(catalog)
  const fileOf = (): number => statSync(paths.search(folder), { throwIfNoEntry: false })?.ino ?? 0
  const atHand = createRowsAtHand(versions)
  let opened: { index: SearchIndex; file: number } | null = null

  async function close(): Promise<void> {
    const last = opened
    opened = null
    await last?.index.close()
  }

  async function isBehind(index: SearchIndex): Promise<boolean> {
    return (await index.watermark()) < newestVersion()
  }

  return {
    close,
    async openIndex(): Promise<OpenIndex> {
      atHand.clear()
      try {
        if (opened !== null && opened.file !== fileOf()) await close()
        opened ??= { index: openSearch(folder, atHand), file: fileOf() }
        const { index } = opened
        if (await isBehind(index)) await catchUp({ index, versions, texts })
        return { index, versions: atHand }
      } catch (error) {
        await close()
        throw explainDamage(error)
      }
    },
  }
}
