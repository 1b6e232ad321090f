import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError, isAppError } from '../../../core/errors.ts'
import { storeError } from './database.ts'
import { makePrivateFile, PRIVATE_FILE } from './private-files.ts'

/**
 * `lock`: held by the one process that adds to the data folder. `housekeeping`: held to replace or remove archive files
 * (compression, collector) or to keep them all in place (backup, opening the folder); one holder at a time, during a crawl or not.
 */
export type LockName = 'lock' | 'housekeeping'

export type FolderLock = { release(): void }

/**
 * A lock is an open exclusive transaction on its own file: the operating system releases it when the process
 * dies for any reason, so there are no stale locks to clean up. Threads of one process exclude each other too.
 */
export function lockFolder(folder: string, holder: string, waitMs = 3000, name: LockName = 'lock'): FolderLock {
  const path = join(folder, `${name}.db`)
  const note = join(folder, `${name}.holder`)
  let db: DatabaseSync | null = null
  try {
    makePrivateFile(path)
    db = new DatabaseSync(path, { timeout: waitMs })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    const failure = storeError(error, path)
    if (failure.code !== 'store-locked') throw failure
    throw new AppError(
      'store-locked',
      `${folder} is in use by ${readHolder(note)}. Wait for it or stop it, or name another folder with --data.`,
      { cause: error },
    )
  }
  const held = db
  const release = (): void => {
    if (!held.isOpen) return
    held.exec('ROLLBACK')
    held.close()
  }
  try {
    writeFileSync(note, holder, { mode: PRIVATE_FILE })
  } catch (error) {
    release()
    throw storeError(error, note)
  }
  return { release }
}

/** Runs `work` while nothing is added to the folder. Returns false without running it if another process writes. */
export function whileIdle(folder: string, holder: string, work: () => void): boolean {
  let lock: FolderLock
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

/** Runs `work` with both locks held, so that no other process writes in the folder at all. */
export async function whileAlone<T>(folder: string, holder: string, work: () => Promise<T>): Promise<T> {
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

/** How `erace up` identifies itself as the holder of a folder. */
export const SERVICE = '(erace up)'

/** Whether `erace up` is running in the folder. The holder note may be from a killed process; the lock can't be. */
export function isServed(folder: string): boolean {
  if (!readHolder(join(folder, 'lock.holder')).endsWith(SERVICE)) return false
  return !whileIdle(folder, `process ${process.pid}`, () => {})
}

function readHolder(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return 'another process' // the note is only informative; the lock itself is what counts
  }
}
