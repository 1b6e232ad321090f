import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import type { Logger } from 'pino'
import { createBodyReader } from '../../archive/body-reader.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Retries } from '../../core/work/retries.ts'
import { createVersionReader } from '../../crawl/parts/kept-answer.ts'
import { startModuleHost } from '../../crawl/parts/module-host.ts'
import { openSpoolFolder } from '../../crawl/parts/rewindable-body.ts'
import type { ModuleJournal } from '../../store/contracts/module-journal.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import { createSqliteObjects } from '../../store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../../store/sqlite/documents/versions.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteModuleJournal } from '../../store/sqlite/modules/module-journal.ts'
import { filesOf, hasModules, type Modules } from './module-use.ts'

export type ModulesOptions = {
  config: Config
  run: number
  journal: ModuleJournal
  stores: { versions: Pick<VersionStore, 'version'>; objects: Pick<ObjectStore, 'read'> }
  /** Folder for long bodies while modules need them. */
  spoolParent: string
  log: Logger
  retries: Retries
}

export async function startModules(options: ModulesOptions): Promise<Modules> {
  if (!options.config.parts.storage.includes('archive'))
    throw new AppError(
      'config-invalid',
      'parts.storage: must name `archive`, too: versions are compared with what it keeps',
    )
  const { config, run, journal, stores, log, retries } = options
  const { modules, storage, output, pageTimeMs, memoryBytes, maxFaults, checkpointEveryMs } = config.parts
  const spool = openSpoolFolder(options.spoolParent)
  const host = await startModuleHost({
    ...{ modules, storages: filesOf(storage), output: resolve(output), run, journal, clock: systemClock },
    readVersion: createVersionReader({ versions: stores.versions, bodies: createBodyReader(stores) }),
    limits: { pageTimeMs, memoryBytes, maxFaults, checkpointEveryMs },
    track: retries.track('writing what modules are handed'),
    log: (level, message, fields) => log[level](fields, message),
  })
  return {
    ...host,
    connect() {
      const { port1, port2 } = new MessageChannel()
      host.connect(port1)
      return { port: port2, wanted: host.wanted, spool: spool.folder }
    },
    async end() {
      await host.close()
      spool.remove()
    },
  }
}

export type FolderModulesOptions = Pick<ModulesOptions, 'config' | 'run' | 'log' | 'retries'> & { folder: string }

/** Modules on a data folder, for the process that has it open; null if the settings name none. */
export async function startFolderModules({ folder, ...options }: FolderModulesOptions): Promise<Modules | null> {
  if (!hasModules(options.config)) return null
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  try {
    const modules = await startModules({
      ...options,
      journal: createSqliteModuleJournal(db),
      stores: { versions: createSqliteVersions(db), objects: createSqliteObjects(db, paths.archive(folder)) },
      spoolParent: join(folder, 'spool'),
    })
    return {
      ...modules,
      async end() {
        await modules.end()
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Modules on a shared store; null if the settings name none. */
export async function startSharedModules(
  options: Omit<ModulesOptions, 'journal' | 'spoolParent'> & { stores: StoreSet },
): Promise<Modules | null> {
  if (!hasModules(options.config)) return null
  try {
    const journal = options.stores.moduleJournal()
    return await startModules({ ...options, journal, spoolParent: join(tmpdir(), 'erace-spool') })
  } catch (error) {
    await options.stores.close()
    throw error
  }
}
