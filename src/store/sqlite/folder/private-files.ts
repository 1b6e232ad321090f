import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Readable by the owner only, regardless of the umask: files contain pages behind a password, profiles, hashes of secrets. */
export const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077

/**
 * Creates the folder if it doesn't exist. An existing one keeps its mode, which may have been set on purpose. Each step is a call of its own:
 * with `recursive`, Node never returns where a file system refuses new folders as missing, as `/proc` does.
 */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makePrivateFolder(dirname(path))
  try {
    mkdirSync(path, PRIVATE_FOLDER)
  } catch (error) {
    // Another process may have been faster.
    if (existsSync(path)) return
    throw error
  }
  chmodSync(path, PRIVATE_FOLDER)
}

/** Creates an empty file for a database if it doesn't exist. SQLite gives its WAL the same mode. */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) return
  closeSync(openSync(path, 'a', PRIVATE_FILE))
  chmodSync(path, PRIVATE_FILE)
}

/** Whether other users of this machine have any access to the folder. */
export function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
}
