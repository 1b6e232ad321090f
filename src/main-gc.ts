import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { collectGarbage } from './cache/collector/collector.ts'
import { createPools } from './cache/collector/pool.ts'
import { responseHeader } from './cache/collector/response-header.ts'
import type { GcHooks, GcRequest } from './cli/engine.ts'
import { omitRulesOf, type SourceRule } from './config/source-rules.ts'
import { systemClock } from './core/clock.ts'
import { isAppError } from './core/errors.ts'
import type { GcFiles, GcReport } from './core/gc-report.ts'
import { createOmitRules } from './core/text/omit-rules.ts'
import { createEmbeddedCollection, type EmbeddedCollectionDeps } from './store/embedded/collection.ts'
import { type Database, openDatabase } from './store/embedded/database.ts'
import { openCatalogForReading, paths } from './store/embedded/folder.ts'
import { createKeptText } from './store/embedded/kept-text.ts'
import { lockFolder } from './store/embedded/lock.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { rewriteFiles } from './store/embedded/rewrite.ts'
import { catalogMigrations } from './store/embedded/schema-catalog.ts'
import { openSearch } from './store/embedded/search/open-search.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'
import type { SearchIndex } from './store/search.ts'

/** How long to wait for a compression or backup that has the files. */
const HOUSEKEEPING_WAIT_MS = 10_000

/** Versions are gone through by document, which is not the order in which they lie. */
const CACHE_KIB = 32_768

const noFiles: GcFiles = { rewritten: 0, removed: 0, freedBytes: 0, leftAlone: [] }

/** `erace gc` on the embedded store, beside a crawl or without one. */
export async function gc(request: GcRequest, hooks: GcHooks): Promise<GcReport> {
  const { dataDir: folder, dryRun, config } = request
  const startedAt = systemClock.monotonic()
  const reader = openCatalogForReading(folder)
  const holder = `garbage collection by process ${process.pid} on ${hostname()}`
  let lock: ReturnType<typeof lockFolder> | null = null
  let db: Database = reader
  let index: IndexNotice | null = null
  try {
    if (!dryRun) {
      lock = lockFolder(folder, holder, HOUSEKEEPING_WAIT_MS, 'housekeeping')
      db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: CACHE_KIB })
    }
    const archive = paths.archive(folder)
    index = createIndexNotice(folder, db, hooks.onWarning)
    const collected = await collectGarbage({
      store: createEmbeddedCollection({
        db,
        objects: createEmbeddedObjects(db, archive),
        headerOf: responseHeader,
        textOf: textMarks(folder, db, config.sources),
      }),
      pools: createPools(config.retention, config.sources),
      now: systemClock.now(),
      dryRun,
      signal: hooks.signal,
      onProgress: hooks.onProgress,
      onItem: hooks.onItem,
      onRemoved: index.forget,
    })
    const files =
      dryRun || hooks.signal.aborted
        ? noFiles
        : await rewriteFiles({
            db,
            archive,
            compress: config.archive.compress,
            whileIdle: (work) => whileIdle(folder, holder, work),
            signal: hooks.signal,
            onProgress: (progress) => hooks.onProgress({ kind: 'rewriting', ...progress }),
          })
    const seconds = Math.round(systemClock.monotonic() - startedAt) / 1000
    return {
      dryRun,
      ...collected,
      overflow: [...collected.overflow],
      files,
      seconds,
      finished: collected.finished && !hooks.signal.aborted,
    }
  } finally {
    await index?.close()
    if (db !== reader) db.close()
    reader.close()
    lock?.release()
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
        index ??= openSearch(folder, createEmbeddedVersions(db))
        await index.remove(versionIds)
      } catch (error) {
        isOff = true
        onWarning(`the search index could not be told: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
    close: async () => index?.close(),
  }
}

function textMarks(folder: string, db: Database, sources: readonly SourceRule[]): EmbeddedCollectionDeps['textOf'] {
  const versions = createEmbeddedVersions(db)
  const keptText = createKeptText(folder)
  const omitFor = createOmitRules(omitRulesOf(sources))
  return async (versionId) => {
    const version = await versions.version(versionId)
    if (version === null) return null
    const omit = omitFor(version.url)
    const text = await keptText(versionId, omit)
    return text === null ? null : { text, rules: omit?.id ?? 0 }
  }
}
