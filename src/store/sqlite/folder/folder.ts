import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, isAppError } from '../../../core/errors.ts'
import { partitionCount } from '../../../core/url/partition.ts'
import type { Run, RunStore } from '../../contracts/runs.ts'
import { removeLeftovers } from '../archive/archive-copy.ts'
import { keepOwners } from '../frontier/host-owners.ts'
import { loadPartitions, type PartitionMemory } from '../frontier/partition-owners.ts'
import { type Database, openDatabase } from './database.ts'
import { type FolderLock, lockFolder } from './lock.ts'
import { isOpenToOthers, makePrivateFolder } from './private-files.ts'
import { catalogMigrations } from './schema-catalog.ts'
import { newCatalogSchema } from './schema-catalog-new.ts'
import { frontierMigrations } from './schema-frontier.ts'

/** Layout of a data folder. */
export const paths = {
  catalog: (folder: string) => join(folder, 'catalog.db'),
  frontier: (folder: string, shard: number) => join(folder, 'frontier', `${String(shard).padStart(2, '0')}.db`),
  archive: (folder: string) => join(folder, 'archive'),
  search: (folder: string) => join(folder, 'search.db'),
  /** The key of stored credentials; never part of a backup. */
  key: (folder: string) => join(folder, 'secret.key'),
  /** Copies of the databases while a sealed backup is made; the only place where they are unencrypted. */
  snapshots: (folder: string) => join(folder, 'backup.part'),
}

/** Constants of a data folder, fixed when it is created. */
export type FolderFacts = {
  shards: number
  /** Secret seed of the URL fingerprints, so that collisions can't be provoked. */
  seed: [number, number]
}

export type DataFolder = {
  facts: FolderFacts
  /** The epoch grows with every change of holder. For the owner of a partition see `partitions`. */
  lease: { epoch: number; shards: number; release(): Promise<void> }
  runs: RunStore
  /** Owner shard of each partition, shared by all threads. */
  partitions: PartitionMemory
  /** Whether archive files are waiting for compression. */
  hasClosedFiles: boolean
  /** Whether other users of this machine can access the folder. */
  isOpenToOthers: boolean
  close(): Promise<void>
}

export type OpenFolderOptions = {
  folder: string
  holder: string
  shards: number
  /** How long to wait if another process holds the folder. */
  lockWaitMs?: number
}

/** Opens the folder for writing, creating it if necessary. `shards` is only used on creation. */
export function openFolder({ folder, holder, shards, lockWaitMs }: OpenFolderOptions): DataFolder {
  for (const path of [folder, join(folder, 'frontier'), paths.archive(folder)]) makePrivateFolder(path)
  const lock = lockFolder(folder, holder, lockWaitMs)
  let db: Database | null = null
  const close = (): void => {
    db?.close()
    db = null
    lock.release()
  }
  try {
    const mustExist = existsSync(paths.frontier(folder, 0))
    db = openDatabase(paths.catalog(folder), {
      migrations: catalogMigrations,
      newSchema: newCatalogSchema,
      mustExist,
    })
    const facts = keepFacts(db, shards)
    makeFrontiers(db, folder, facts.shards)
    keepOwners(db, facts.shards, (shard) => hostsOf(folder, shard))
    tidyUnlessHeld(db, folder, holder)
    const epoch = nextEpoch(db)
    return {
      facts,
      lease: { epoch, shards: facts.shards, release: async () => lock.release() },
      runs: createRuns(db),
      partitions: loadPartitions(db),
      hasClosedFiles: db.prepare(`SELECT 1 FROM files WHERE state = 'closed'`).get() !== undefined,
      isOpenToOthers: isOpenToOthers(folder),
      close: async () => close(),
    }
  } catch (error) {
    close()
    throw error
  }
}

/** Opens the catalogue for reading, also during a crawl. A catalogue with an older schema is migrated first. */
export function openCatalogForReading(folder: string): Database {
  if (!existsSync(paths.catalog(folder))) {
    throw new AppError('store-missing', `There is no data folder at ${folder}. Name one with --data, or start a crawl.`)
  }
  const open = (): Database => openDatabase(paths.catalog(folder), { migrations: catalogMigrations, readOnly: true })
  const db = open()
  const { user_version: schema } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (schema === catalogMigrations.at(-1)!.id) return db
  db.close()
  const lock = lockFolder(folder, `process ${process.pid}, bringing it up to date`)
  try {
    openDatabase(paths.catalog(folder), { migrations: catalogMigrations }).close()
  } finally {
    lock.release()
  }
  return open()
}

export function readFacts(db: Database): FolderFacts | null {
  const rows = db.prepare('SELECT name, value FROM facts').all() as { name: string; value: string | number }[]
  const kept = new Map(rows.map(({ name, value }) => [name, value]))
  const shards = kept.get('shards')
  if (shards === undefined) return null
  const [hi, lo] = String(kept.get('seed')).split(',').map(Number)
  const isSeed = (part = Number.NaN): boolean => Number.isInteger(part) && part >= 0 && part < 2 ** 32
  if (!Number.isInteger(shards) || !(Number(shards) >= 1 && Number(shards) <= partitionCount))
    throw damagedFact(db, `says that there are ${shards} shards`)
  // With another seed, every URL would be a new one.
  if (!isSeed(hi) || !isSeed(lo)) throw damagedFact(db, 'has no valid seed of the URL fingerprints')
  return { shards: Number(shards), seed: [hi!, lo!] }
}

function damagedFact({ path }: Database, what: string): AppError {
  return new AppError('store-damaged', `${path} ${what}. Restore it from a backup.`)
}

function keepFacts(db: Database, shards: number): FolderFacts {
  const known = readFacts(db)
  if (known !== null) return known
  const random = randomBytes(8)
  const facts: FolderFacts = { shards, seed: [random.readUInt32LE(0), random.readUInt32LE(4)] }
  db.write(() => {
    const insert = db.prepare('INSERT INTO facts (name, value) VALUES (?, ?)')
    insert.run('shards', shards)
    insert.run('seed', facts.seed.join(','))
    insert.run('epoch', 0)
  })
  return facts
}

/** Creates all frontier files once: from then on a missing one is damage. */
function makeFrontiers(db: Database, folder: string, shards: number): void {
  if (db.prepare(`SELECT 1 FROM facts WHERE name = 'frontiers'`).get() !== undefined) return
  for (let shard = 0; shard < shards; shard++) {
    openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations }).close()
  }
  db.prepare(`INSERT INTO facts (name, value) VALUES ('frontiers', ?)`).run(shards)
}

function* hostsOf(folder: string, shard: number): Generator<string> {
  const frontier = openDatabase(paths.frontier(folder, shard), { migrations: frontierMigrations, mustExist: true })
  try {
    for (const row of frontier.prepare('SELECT host FROM hosts').iterate()) yield String(row.host)
  } finally {
    frontier.close()
  }
}

function nextEpoch(db: Database): number {
  return db.write(() => {
    db.prepare(`UPDATE facts SET value = value + 1 WHERE name = 'epoch'`).run()
    return (db.prepare(`SELECT value FROM facts WHERE name = 'epoch'`).get() as { value: number }).value
  })
}

/** Skips tidying while another process replaces or copies archive files: it has files that only look like leftovers. */
function tidyUnlessHeld(db: Database, folder: string, holder: string): void {
  let lock: FolderLock
  try {
    lock = lockFolder(folder, holder, 0, 'housekeeping')
  } catch (error) {
    if (isAppError(error, 'store-locked')) return
    throw error
  }
  try {
    tidyArchive(db, paths.archive(folder))
  } finally {
    lock.release()
  }
}

/**
 * Tidies files that are not in the catalogue. Leftovers of an interrupted compression are removed. Anything else may have been started by
 * a process that was killed, or be newer than a restored catalogue: it is renamed, never removed.
 */
function tidyArchive(db: Database, archive: string): void {
  removeLeftovers(db, archive)
  const known = new Set((db.prepare('SELECT name FROM files').all() as { name: string }[]).map(({ name }) => name))
  for (const name of readdirSync(archive)) {
    if (!/^erace-.*\.warc(\.gz)?(\.part)?$/.test(name) || known.has(name)) continue
    const isLeftOver = name.endsWith('.part') || known.has(`${name}.gz`) || known.has(name.replace(/\.gz$/, ''))
    if (isLeftOver) rmSync(join(archive, name))
    else renameSync(join(archive, name), join(archive, `${name}.stray`))
  }
}

function createRuns(db: Database): RunStore {
  const select = db.prepare('SELECT id, started_at, finished_at FROM runs ORDER BY id DESC LIMIT 1')
  type Row = { id: number; started_at: number; finished_at: number | null }
  const last = (): Run | null => {
    const row = select.get() as Row | undefined
    if (row === undefined) return null
    return { id: row.id, startedAt: row.started_at, finishedAt: row.finished_at, continued: true }
  }
  return {
    async begin(at) {
      const previous = last()
      if (previous !== null && previous.finishedAt === null) return previous
      const { lastInsertRowid } = db.prepare('INSERT INTO runs (started_at) VALUES (?)').run(at)
      return { id: Number(lastInsertRowid), startedAt: at, finishedAt: null, continued: false }
    },
    async finish(id, at) {
      db.prepare('UPDATE runs SET finished_at = ? WHERE id = ?').run(at, id)
    },
    last: async () => last(),
  }
}
