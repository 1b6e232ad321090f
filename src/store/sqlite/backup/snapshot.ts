import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { AppError } from '../../../core/errors.ts'
import { accessOf } from '../../../core/url/access.ts'
import { storeError } from '../folder/database.ts'
import { openCatalogForReading, paths, readFacts } from '../folder/folder.ts'

/**
 * A consistent snapshot of all databases of a folder, also during writes. A request that is done in one frontier has
 * its document in the catalogue and its links in the frontiers of their owners. To preserve this in the copy, the writers of
 * all frontiers are blocked while a read transaction begins on each of them and, last, on the catalogue. The read
 * transactions see that state while they are open; SQLite's WAL grows in the meantime.
 */
export type Snapshots = {
  documents: number
  versions: number
  /** Archive files with their length according to the catalogue. */
  files: { name: string; length: number }[]
  /** Whether there are credentials, or documents fetched with some, which outlive the credentials. */
  hasPrivate(): boolean
  /** Writes the copies into a folder: `catalog.db` and `frontier-NN.db`. */
  copyTo(folder: string, onBytes: (done: number, total: number) => void, signal?: AbortSignal): Promise<SnapshotCopy[]>
  close(): void
}

/** `name` is the path of the database within a data folder. */
export type SnapshotCopy = { name: string; path: string }

const BUSY_MS = 20_000
/** Pages copied per step without interruption: 16 MB. */
const PAGES_PER_STEP = 4096

type Source = { name: string; path: string; db: DatabaseSync }

export function openSnapshots(folder: string): Snapshots {
  const shards = countFrontiers(folder)
  const frontiers = Array.from({ length: shards }, (_, shard) => paths.frontier(folder, shard))
  const gates: DatabaseSync[] = []
  const sources: Source[] = []
  const close = (): void => {
    for (const { db } of sources.splice(0)) db.close()
    // Closed last, since SQLite removes the WAL only if the last connection is writable.
    for (const gate of gates.splice(0)) gate.close()
  }
  let path = folder
  try {
    for (path of frontiers) gates.push(openExisting(path, false))
    for (path of [paths.catalog(folder), ...frontiers])
      sources.push({ name: nameIn(folder, path), path, db: openExisting(path, true) })
    for (const [shard, gate] of gates.entries()) {
      path = frontiers[shard]!
      gate.exec('BEGIN IMMEDIATE')
    }
    for (const source of sources.toReversed()) {
      path = source.path
      source.db.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    }
    for (const gate of gates) gate.exec('ROLLBACK')
    path = paths.catalog(folder)
    return {
      ...readCounts(sources[0]!.db),
      hasPrivate: () => sources.some(({ db }) => holdsPrivate(db)),
      copyTo: (target, onBytes, signal) => copyAll(sources, target, onBytes, signal),
      close,
    }
  } catch (error) {
    close()
    throw storeError(error, path)
  }
}

function countFrontiers(folder: string): number {
  const catalog = openCatalogForReading(folder)
  try {
    // Frontiers are created together, after the catalogue: before that there is nothing to back up.
    const isMade = catalog.prepare(`SELECT 1 FROM facts WHERE name = 'frontiers'`).get() !== undefined
    const facts = readFacts(catalog)
    if (isMade && facts !== null) return facts.shards
    throw new AppError('store-missing', `The data folder at ${folder} has not been used yet.`)
  } catch (error) {
    throw storeError(error, paths.catalog(folder))
  } finally {
    catalog.close()
  }
}

function openExisting(path: string, readOnly: boolean): DatabaseSync {
  if (!existsSync(path)) throw new AppError('store-damaged', `${path} is missing. Restore it from a backup.`)
  return new DatabaseSync(path, { readOnly, timeout: BUSY_MS })
}

function nameIn(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/')
}

function readCounts(catalog: DatabaseSync): Pick<Snapshots, 'documents' | 'versions' | 'files'> {
  const counts = catalog
    .prepare('SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM versions) AS versions')
    .get() as { documents: number; versions: number }
  const files = catalog.prepare('SELECT name, length FROM files ORDER BY id').all() as Snapshots['files']
  return { ...counts, files }
}

/** Checks only tables that exist: the folder may be from a version without credentials. */
function holdsPrivate(db: DatabaseSync): boolean {
  const tables = new Set(
    db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .all()
      .map(({ name }) => name),
  )
  if (tables.has('credentials') && db.prepare('SELECT 1 FROM credentials').get() !== undefined) return true
  const places = { documents: 'url', watches: 'uri', queue: 'url' }
  return Object.entries(places).some(([table, column]) => {
    if (!tables.has(table)) return false
    const marked = db.prepare(`SELECT ${column} AS url FROM ${table} WHERE instr(${column}, '://~') > 0`)
    for (const { url } of marked.iterate()) if (accessOf(String(url)).credentials !== '') return true
    return false
  })
}

async function copyAll(
  sources: readonly Source[],
  target: string,
  onBytes: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<SnapshotCopy[]> {
  const pageBytes = sources.map(({ db }) => Number(Object.values(db.prepare('PRAGMA page_size').get()!)[0]))
  const sizes = sources.map(
    ({ db }, at) => Number(Object.values(db.prepare('PRAGMA page_count').get()!)[0]) * pageBytes[at]!,
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const copies: SnapshotCopy[] = []
  let before = 0
  for (const [at, { name, path, db }] of sources.entries()) {
    const copy = join(target, name.replace('/', '-'))
    try {
      await backup(db, copy, {
        rate: PAGES_PER_STEP,
        progress({ totalPages, remainingPages }) {
          signal?.throwIfAborted()
          onBytes(before + (totalPages - remainingPages) * pageBytes[at]!, total)
        },
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw storeError(error, path)
    }
    signal?.throwIfAborted()
    before += sizes[at]!
    onBytes(before, total)
    copies.push({ name, path: copy })
  }
  return copies
}
