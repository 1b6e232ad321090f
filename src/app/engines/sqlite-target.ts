import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import type { CollectingTarget } from '../../archive/gc/collection-run.ts'
import { createTextMarks, responseHeader } from '../../archive/gc/dropped-bodies.ts'
import type { Damage } from '../../archive/verify/verify.ts'
import { isWholeRecord } from '../../archive/warc/record-check.ts'
import type { GcHooks, GcRequest, Target } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { shardsOf } from '../../crawl/crawl-settings.ts'
import { lastCollectionOf } from '../../store/contracts/collection-runs.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { rewriteFiles } from '../../store/sqlite/archive/rewrite.ts'
import { createSqliteCollection } from '../../store/sqlite/documents/collection.ts'
import { createSqliteCollectionRuns } from '../../store/sqlite/documents/collection-runs.ts'
import { createNewestVersion, createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { type ArchiveDamage, checkDatabases, giveUpSqliteDamage } from '../../store/sqlite/folder/checks.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { openCatalogForReading, openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { type FolderLock, lockFolder, whileAlone, whileIdle } from '../../store/sqlite/folder/lock.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { readStatus } from '../../store/sqlite/folder/status.ts'
import { createSqliteDeliveries } from '../../store/sqlite/inbox/deliveries.ts'
import { createSearchRemover, explainDamage, openSearch, removeSearch } from '../../store/sqlite/search/search-index.ts'
import { sqliteStores } from './sqlite-stores.ts'
import type { Purpose, Repair, TargetStores } from './target.ts'

const holderOf = (purpose: string): string => `process ${process.pid} on ${hostname()} (${purpose})`

/** A data folder, while others may use it. */
export async function openSqliteTarget(target: Target, purpose: Purpose): Promise<TargetStores> {
  const { dataDir: folder } = target
  if (purpose === 'create') await makeFolder(target)
  const db = purpose === 'read' ? openCatalogForReading(folder) : openToChange(folder)
  const stores = sqliteStores(folder, db)
  const newestVersion = createNewestVersion(db)
  return {
    ...stores,
    readStatus: async () => ({
      ...readStatus(folder),
      lastCollection: lastCollectionOf(await stores.collectionRuns.last()),
    }),
    newestVersion: async () => newestVersion(),
    openSearch: async () => openSearch(folder, stores.versions),
    removeSearch: async () => removeSearch(folder),
    explainSearchError: (error) =>
      error instanceof Error && error.message.includes(paths.search(folder)) ? explainDamage(error) : error,
    findFaults: async () => checkDatabases(folder),
    whileAlone: (work) => whileAlone(folder, holderOf('verify'), work),
    giveUp: async (damage) => giveUp(folder, damage),
  }
}

function openToChange(folder: string): Database {
  if (!existsSync(paths.catalog(folder)))
    throw new AppError('store-missing', `There is no data folder at ${folder}. Name one with --data.`)
  return openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
}

function giveUp(folder: string, found: readonly Damage[]): Repair {
  const damage: ArchiveDamage = { versionIds: [], missingFiles: [], shortFiles: [] }
  for (const each of found) {
    if (each.kind === 'record') damage.versionIds.push(each.versionId)
    else if (each.size === null) damage.missingFiles.push(each.fileId)
    else damage.shortFiles.push(each.fileId)
  }
  const db = openToChange(folder)
  try {
    return giveUpSqliteDamage(db, damage)
  } finally {
    db.close()
  }
}

/** Profiles and accounts may be created before anything is fetched. */
async function makeFolder({ dataDir: folder, config }: Target): Promise<void> {
  if (existsSync(paths.catalog(folder))) return
  const holder = `process ${process.pid} on ${hostname()}`
  await openFolder({ folder, holder, shards: shardsOf(config) }).close()
}

/** How long to wait for a compression or backup that holds the files. */
const HOUSEKEEPING_WAIT_MS = 10_000
/** A large cache: versions are read by document, which isn't the order they are stored in. */
const CACHE_KIB = 32_768

export async function openFolderCollecting(
  request: GcRequest,
  hooks: GcHooks,
  { waitMs } = { waitMs: HOUSEKEEPING_WAIT_MS },
): Promise<CollectingTarget> {
  const { dataDir: folder, dryRun, config } = request
  const holder = `garbage collection by process ${process.pid} on ${hostname()}`
  const reader = openCatalogForReading(folder)
  let lock: FolderLock | null = null
  let db: Database = reader
  const close = (): void => {
    if (db !== reader) db.close()
    reader.close()
    lock?.release()
  }
  try {
    if (!dryRun) {
      lock = lockFolder(folder, holder, waitMs, 'housekeeping')
      db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: CACHE_KIB })
    }
    const archive = paths.archive(folder)
    const objects = createSqliteObjects(db, archive)
    const versions = createSqliteVersions(db)
    const textOf = createTextMarks({ versions, objects }, config.sources)
    const search = createSearchRemover(folder, versions, hooks.onWarning)
    return {
      deliveries: createSqliteDeliveries(db),
      runs: createSqliteCollectionRuns(db),
      collection: createSqliteCollection({ db, objects, headerOf: responseHeader, textOf }),
      now: systemClock.now,
      forget: search.remove,
      rewriteFiles: () =>
        rewriteFiles({
          isWhole: isWholeRecord,
          ...{ db, archive, compress: config.archive.compress, signal: hooks.signal },
          whileIdle: (work) => whileIdle(folder, holder, work),
          onProgress: (progress) => hooks.onProgress({ kind: 'rewriting', ...progress }),
        }),
      async close() {
        await search.close()
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}
