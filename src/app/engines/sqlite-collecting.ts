import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { createTextMarks, responseHeader } from '../../archive/gc/dropped-bodies.ts'
import type { GcHooks, GcRequest } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import type { SearchIndex } from '../../store/contracts/search.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { rewriteFiles } from '../../store/sqlite/archive/rewrite.ts'
import { createSqliteCollection } from '../../store/sqlite/documents/collection.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { openCatalogForReading, paths } from '../../store/sqlite/folder/folder.ts'
import { lockFolder } from '../../store/sqlite/folder/lock.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { openSearch } from '../../store/sqlite/search/open-search.ts'
import type { CollectingTarget } from './target.ts'

/** How long to wait for a compression or backup that has the files. */
const HOUSEKEEPING_WAIT_MS = 10_000

/** Versions are gone through by document, which is not the order in which they lie. */
const CACHE_KIB = 32_768

export async function openFolderCollecting(request: GcRequest, hooks: GcHooks): Promise<CollectingTarget> {
  const { dataDir: folder, dryRun, config } = request
  const holder = `garbage collection by process ${process.pid} on ${hostname()}`
  const reader = openCatalogForReading(folder)
  let lock: ReturnType<typeof lockFolder> | null = null
  let db: Database = reader
  const close = (): void => {
    if (db !== reader) db.close()
    reader.close()
    lock?.release()
  }
  try {
    if (!dryRun) {
      lock = lockFolder(folder, holder, HOUSEKEEPING_WAIT_MS, 'housekeeping')
      db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: CACHE_KIB })
    }
    const archive = paths.archive(folder)
    const objects = createSqliteObjects(db, archive)
    const textOf = createTextMarks({ versions: createSqliteVersions(db), objects }, config.sources)
    const index = createIndexNotice(folder, db, hooks.onWarning)
    return {
      collection: createSqliteCollection({ db, objects, headerOf: responseHeader, textOf }),
      now: systemClock.now,
      forget: index.forget,
      rewriteFiles: () =>
        rewriteFiles({
          db,
          archive,
          compress: config.archive.compress,
          whileIdle: (work) => whileIdle(folder, holder, work),
          signal: hooks.signal,
          onProgress: (progress) => hooks.onProgress({ kind: 'rewriting', ...progress }),
        }),
      async close() {
        await index.close()
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

/** Nobody waits here: where a crawl writes, its files are left to it. */
function whileIdle(folder: string, holder: string, work: () => void): boolean {
  let lock: ReturnType<typeof lockFolder>
  try {
    lock = lockFolder(folder, holder, 0)
  } catch (error) {
    if (isAppError(error, 'store-locked')) return false
    throw error
  }
  try {
    work()
    return true
  } finally {
    lock.release()
  }
}

type IndexNotice = { forget(versionIds: number[]): Promise<void>; close(): Promise<void> }

/**
 * Takes versions out of the search index, where there is one. Search finds only what the catalogue keeps, so an index that can't be
 * told loses nothing but room.
 */
function createIndexNotice(folder: string, db: Database, onWarning: (message: string) => void): IndexNotice {
  let isOff = !existsSync(paths.search(folder))
  let index: SearchIndex | null = null
  return {
    async forget(versionIds) {
      if (isOff) return
      try {
        index ??= openSearch(folder, createSqliteVersions(db))
        await index.remove(versionIds)
      } catch (error) {
        isOff = true
        onWarning(`the search index could not be told: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
    close: async () => index?.close(),
  }
}
