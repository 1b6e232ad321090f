import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { AppError, type ErrorCode, isAppError } from '../../../core/errors.ts'
import { makePrivateFile } from './private-files.ts'

/** One SQLite file. All access is from the thread that opened it, synchronous and in short transactions. */
export type Database = {
  readonly path: string
  prepare(sql: string): StatementSync
  exec(sql: string): void
  /** Runs `work`, which only reads, and converts its errors to store errors. */
  read<T>(work: () => T): T
  /** As `read`, in one read transaction: a consistent snapshot, and cheaper for many small reads. */
  readTogether<T>(work: () => T): T
  /** Runs `work` in one write transaction; a throw rolls it back. Throws `store-locked` if others write for longer than `maxWaitMs`. */
  write<T>(work: () => T, maxWaitMs?: number): T
  close(): void
}

export type OpenOptions = {
  migrations: readonly Migration[]
  /** What all migrations lead to. A new file gets it at once, which takes a twentieth of the time. */
  newSchema?: string
  /** The file must already exist: its absence is damage, not a fresh start. */
  mustExist?: boolean
  readOnly?: boolean
  cacheKib?: number
  /** Maximum number of bytes of the file accessed through mmap. */
  mappedBytes?: number
}

const MAX_WAIT_MS = 20_000
/** Delay between two attempts to open a file. */
const OPEN_AGAIN_MS = 5

// SQLite's primary result codes that a caller can act on; all others are store-failed.
const codeOf: Record<number, ErrorCode> = {
  5: 'store-locked',
  6: 'store-locked',
  11: 'store-damaged',
  13: 'store-full',
  26: 'store-damaged',
}

/** No room for the index of a log that has to be created next to a database, even to read it. */
const NO_ROOM_FOR_INDEX = 4874
const CANNOT_OPEN = 14

export function storeError(error: unknown, path: string): AppError {
  if (isAppError(error)) return error
  const { errcode, message, code: errno, syscall } = error as NodeJS.ErrnoException & { errcode?: number }
  let code: ErrorCode = 'internal'
  if (errcode === NO_ROOM_FOR_INDEX) code = 'store-full'
  else if (errcode !== undefined) code = codeOf[errcode & 0xff] ?? 'store-failed'
  else if (errno === 'ENOSPC' || errno === 'EDQUOT') code = 'store-full'
  else if (syscall !== undefined) code = 'store-failed'
  // Of SQLite's 64-bit integers, those beyond 2^53 are never stored.
  else if (errno === 'ERR_OUT_OF_RANGE' && /too large to be represented/.test(message)) code = 'store-damaged'
  let reason = message ?? String(error)
  if (errcode === NO_ROOM_FOR_INDEX) reason = 'the disk is full'
  else if (errcode !== undefined && (errcode & 0xff) === CANNOT_OPEN && !isWritable(dirname(path)))
    reason = `this process may not write to ${dirname(path)}, which even reading a database requires; copy the data folder, or make it writable`
  return new AppError(code, `${path}: ${reason}`, { cause: error })
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

export function openDatabase(path: string, options: OpenOptions): Database {
  if ((options.mustExist === true || options.readOnly === true) && !existsSync(path)) {
    throw new AppError(
      'store-damaged',
      `${path} is missing. Restore it from a backup; it is not recreated, because that would lose its content.`,
    )
  }
  const endAt = performance.now() + MAX_WAIT_MS
  for (;;) {
    try {
      return openOnce(path, options)
    } catch (error) {
      // If two switch the same new file to WAL mode, SQLite refuses one of them at once instead of making it wait.
      if (!isAppError(error, 'store-locked') || performance.now() > endAt) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_AGAIN_MS)
    }
  }
}

function openOnce(path: string, options: OpenOptions): Database {
  let db: DatabaseSync | null = null
  try {
    if (options.readOnly !== true) makePrivateFile(path)
    db = new DatabaseSync(path, { readOnly: options.readOnly === true, timeout: MAX_WAIT_MS })
    configure(db, options)
    applyMigrations(db, path, options)
    return wrap(db, path)
  } catch (error) {
    db?.close()
    throw storeError(error, path)
  }
}

function configure(db: DatabaseSync, options: OpenOptions): void {
  // WAL + NORMAL: a killed process loses nothing; a power cut may lose the last transactions, but never part of one.
  if (options.readOnly !== true) db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  db.exec(`PRAGMA cache_size = -${options.cacheKib ?? 8192}; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF`)
  if (options.mappedBytes !== undefined) db.exec(`PRAGMA mmap_size = ${options.mappedBytes}`)
  // Checkpoints are rare, with a large WAL: the later a checkpoint, the more page versions in it were superseded by newer ones.
  if (options.readOnly !== true) db.exec('PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 67108864')
}

function applyMigrations(db: DatabaseSync, path: string, { migrations, newSchema, readOnly }: OpenOptions): void {
  const newest = migrations.at(-1)?.id ?? 0
  const readVersion = (): number => {
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (version > newest) {
      throw new AppError(
        'store-too-new',
        `${path} has schema ${version}, this program knows ${newest}. Use the newer program.`,
      )
    }
    return version
  }
  // Another thread or process may have done it first.
  const migrate = ({ id, sql }: Pick<Migration, 'id' | 'sql'>, isNeeded: (version: number) => boolean): void => {
    db.exec('BEGIN IMMEDIATE')
    if (isNeeded(readVersion())) db.exec(`${sql}; PRAGMA user_version = ${id}`)
    db.exec('COMMIT')
  }
  let before = readVersion()
  if (readOnly === true) return
  if (before === 0 && newSchema !== undefined) {
    migrate({ id: newest, sql: newSchema }, (version) => version === 0)
    before = readVersion()
  }
  for (const migration of migrations) if (migration.id > before) migrate(migration, (version) => version < migration.id)
}

function wrap(db: DatabaseSync, path: string): Database {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const beginReading = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  function within<T>(start: StatementSync, work: () => T): T {
    try {
      start.run()
      const result = work()
      commit.run()
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw storeError(error, path)
    }
  }
  return {
    path,
    prepare: (sql) => db.prepare(sql),
    exec: (sql) => db.exec(sql),
    read(work) {
      try {
        return work()
      } catch (error) {
        throw storeError(error, path)
      }
    },
    readTogether: (work) => within(beginReading, work),
    write(work, maxWaitMs) {
      if (maxWaitMs === undefined) return within(begin, work)
      db.exec(`PRAGMA busy_timeout = ${Math.ceil(maxWaitMs)}`)
      try {
        return within(begin, work)
      } finally {
        db.exec(`PRAGMA busy_timeout = ${MAX_WAIT_MS}`)
      }
    },
    close: () => db.close(),
  }
}

/** A mark as a statement parameter: null leaves it unchanged. */
export function flagOf(mark: boolean | undefined): 0 | 1 | null {
  return mark === undefined ? null : mark ? 1 : 0
}

/** A schema migration, numbered from 1. Once released it is never edited; a change is a new migration. */
export type Migration = {
  id: number
  name: string
  sql: string /** Hash of `sql`. A test compares them. */
  sha256?: string
}

/**
 * Cooperative time slicing for batch work on a busy thread: yields to the event loop after every `turnMs` of work, and stops after
 * `maxMs` in total.
 */
export function createTurns({ turnMs = 5, maxMs }: { turnMs?: number; maxMs: number }) {
  const startedAt = performance.now()
  let turnAt = startedAt
  return {
    /** Yields if the turn is over. False once the total time is used up. */
    async next(): Promise<boolean> {
      if (performance.now() - turnAt >= turnMs) {
        await new Promise((resolve) => setImmediate(resolve))
        turnAt = performance.now()
      }
      return turnAt - startedAt < maxMs
    },
  }
}

export type Turns = ReturnType<typeof createTurns>
