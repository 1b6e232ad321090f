import { existsSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import type { Damage } from '../../archive/verify/verify.ts'
import type { Target } from '../../cli/engine.ts'
import { AppError } from '../../core/errors.ts'
import { checkDatabases } from '../../store/sqlite/folder/checks.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { openCatalogForReading, openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { lockFolder } from '../../store/sqlite/folder/lock.ts'
import { type ArchiveDamage, giveUpDamaged } from '../../store/sqlite/folder/repair.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { readStatus } from '../../store/sqlite/folder/status.ts'
import { explainDamage, openSearch, removeSearch } from '../../store/sqlite/search/open-search.ts'
import { sqliteStores } from './sqlite-stores.ts'
import type { Purpose, Repair, TargetStores } from './target.ts'

/** A data folder, beside whoever else uses it. */
export async function openSqliteTarget(target: Target, purpose: Purpose): Promise<TargetStores> {
  const { dataDir: folder } = target
  if (purpose === 'make') await makeFolder(target)
  const db = purpose === 'look' ? openCatalogForReading(folder) : openToChange(folder)
  const stores = sqliteStores(folder, db)
  return {
    ...stores,
    readStatus: async () => readStatus(folder),
    async newestVersion() {
      return (db.prepare('SELECT coalesce(max(id), 0) AS id FROM versions').get() as { id: number }).id
    },
    openSearch: async () => openSearch(folder, stores.versions),
    removeSearch: async () => removeSearch(folder),
    explainSearchFault: (error) =>
      error instanceof Error && error.message.includes(paths.search(folder)) ? explainDamage(error) : error,
    findFaults: async () => checkDatabases(folder),
    whileAlone: (work) => whileAlone(folder, work),
    giveUp: async (damage) => giveUp(folder, damage),
  }
}

function openToChange(folder: string): Database {
  if (!existsSync(paths.catalog(folder)))
    throw new AppError('store-missing', `There is no data folder at ${folder}. Name one with --data.`)
  return openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
}

async function whileAlone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const holder = `process ${process.pid} on ${hostname()} (verify)`
  const lock = lockFolder(folder, holder)
  try {
    const housekeeping = lockFolder(folder, holder, undefined, 'housekeeping')
    try {
      return await work()
    } finally {
      housekeeping.release()
    }
  } finally {
    lock.release()
  }
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
    return giveUpDamaged(db, damage)
  } finally {
    db.close()
  }
}

/** Profiles and accounts may come before anything was fetched. */
async function makeFolder({ dataDir: folder, config }: Target): Promise<void> {
  if (existsSync(paths.catalog(folder))) return
  const shards = config.crawl.threads === 0 ? availableParallelism() : config.crawl.threads
  await openFolder({ folder, holder: `process ${process.pid} on ${hostname()}`, shards }).close()
}
