import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import { storeError } from '../folder/database.ts'
import { lockFolder } from '../folder/lock.ts'
import { makePrivateFolder } from '../folder/private-files.ts'

/** A folder for work in progress. It is locked while in use: the content of an unlocked one was left by a process that died. */
export type WorkFolder = {
  path: string
  /** Removes the folder with everything still in it. */
  remove(): void
}

const isLockFile = (name: string): boolean => /^lock\.(?:db(?:-journal)?|holder)$/.test(name)

export function takeWorkFolder(path: string): WorkFolder {
  try {
    makePrivateFolder(path)
    const names = readdirSync(path)
    if (names.length > 0 && !existsSync(join(path, 'lock.db'))) {
      throw new AppError(
        'store-failed',
        `${path} is needed for work in progress and holds something else. Move it away.`,
      )
    }
    const lock = lockFolder(path, `process ${process.pid} on ${hostname()}`, 0)
    empty(path)
    return {
      path,
      remove() {
        empty(path)
        lock.release()
        removeLock(path)
      },
    }
  } catch (error) {
    throw storeError(error, path)
  }
}

function empty(path: string): void {
  for (const name of readdirSync(path))
    if (!isLockFile(name)) rmSync(join(path, name), { recursive: true, force: true })
}

/** Keeps the folder if another process has taken it at this moment. */
function removeLock(path: string): void {
  for (const name of readdirSync(path).filter(isLockFile)) rmSync(join(path, name), { force: true })
  try {
    rmdirSync(path)
  } catch (error) {
    if (!hasCode(error, ['ENOTEMPTY', 'EEXIST', 'ENOENT'])) throw error
  }
}

/** Makes new file names survive a power cut. Ignored on systems where folders can't be synced. */
export function syncFolder(path: string): void {
  let fd: number | null = null
  try {
    fd = openSync(path, 'r')
    fsyncSync(fd)
  } catch (error) {
    if (!hasCode(error, ['EISDIR', 'EINVAL', 'EPERM', 'EACCES', 'ENOTSUP'])) throw error
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
