import { existsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { AppError, type ErrorCode, isAppError } from '../../../core/errors.ts'
import { makePrivateFile } from './private-files.ts'

/** One SQLite file. Everything that touches it runs in the thread that opened it, synchronously and in short transactions. */
export type Database = {
  readonly path: string
  prepare(sql: string): StatementSync
  exec(sql: string): void
  /** Runs `work`, which only reads, so that its failures have their code. */
  read<T>(work: () => T): T
  /** The same in one read transaction: all of it sees one state, and many small reads cost less. */
  readTogether<T>(work: () => T): T
  /** Runs `work` in one write transaction; a throw rolls it back. It is `store-locked` where others write for longer than it may wait. */
  write<T>(work: () => T, maxWaitMs?: number): T
  close(): void
}

export type OpenOptions = {
  migrations: readonly Migration[]
  /** A file that must be there already: its absence is damage, not a fresh start. */
  mustExist?: boolean
  readOnly?: boolean
  cacheKib?: number
  /** So much of the file is read by mapping it into memory. */
  mappedBytes?: number
}

const MAX_WAIT_MS = 20_000
/** Between two attempts to open a file. */
const OPEN_AGAIN_MS = 5

// SQLite's primary result codes that a caller can act on; all else is store-failed.
const codeOf: Record<number, ErrorCode> = {
  5: 'store-locked',
  6: 'store-locked',
  11: 'store-damaged',
  13: 'store-full',
  26: 'store-damaged',
}

export function storeError(error: unknown, path: string): AppError {
  if (isAppError(error)) return error
  const { errcode, message, code: errno, syscall } = error as NodeJS.ErrnoException & { errcode?: number }
  let code: ErrorCode = 'internal'
  if (errcode !== undefined) code = codeOf[errcode & 0xff] ?? 'store-failed'
  else if (errno === 'ENOSPC' || errno === 'EDQUOT') code = 'store-full'
  else if (syscall !== undefined) code = 'store-failed'
  return new AppError(code, `${path}: ${message ?? String(error)}`, { cause: error })
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
      // Where two turn the same new file into one with a log, SQLite refuses one of them at once instead of letting it wait.
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
  // WAL + NORMAL: a killed process loses nothing; after a power cut the last moments may be missing, never half there.
  if (options.readOnly !== true) db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  db.exec(`PRAGMA cache_size = -${options.cacheKib ?? 8192}; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF`)
  if (options.mappedBytes !== undefined) db.exec(`PRAGMA mmap_size = ${options.mappedBytes}`)
  // The log is as long as it may stay: the later it is worked off, the more often a page in it was replaced by a newer one.
  if (options.readOnly !== true) db.exec('PRAGMA wal_autocheckpoint = 16000; PRAGMA journal_size_limit = 67108864')
}

function applyMigrations(db: DatabaseSync, path: string, { migrations, readOnly }: OpenOptions): void {
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
  const before = readVersion()
  if (readOnly === true) return
  for (const { id, sql } of migrations) {
    if (id <= before) continue
    db.exec('BEGIN IMMEDIATE')
    // Another thread or process may have opened it at the same time, and been first.
    if (readVersion() < id) db.exec(`${sql}; PRAGMA user_version = ${id}`)
    db.exec('COMMIT')
  }
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

/** A mark as a parameter of a statement: null leaves it as it is. */
export function flagOf(mark: boolean | undefined): 0 | 1 | null {
  return mark === undefined ? null : mark ? 1 : 0
}

/** A step of a schema, numbered from 1. Once released it is never edited; a change is a new step. */
export type Migration = {
  id: number
  name: string
  sql: string /** Of `sql`. A test compares them. */
  sha256?: string
}

/**
 * For work in portions in a thread that others wait for: after some milliseconds of it, or whenever it is told to, everybody else has a turn.
 * It ends altogether once it took too long.
 */
export function createTurns({ turnMs = 5, maxMs }: { turnMs?: number; maxMs: number }) {
  const startedAt = performance.now()
  let turnAt = startedAt
  return {
    /** False when the time is over. */
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
