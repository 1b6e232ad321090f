import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'

/** What is kept is for its owner only, whatever the umask: pages behind a password, profiles, hashes of secrets. */
export const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077

/** Makes the folder if it isn't there. An existing one keeps its mode: somebody may have chosen it. */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER })
  chmodSync(path, PRIVATE_FOLDER)
}

/** Makes an empty file for a database, if it isn't there. SQLite gives its log the same mode. */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) return
  closeSync(openSync(path, 'a', PRIVATE_FILE))
  chmodSync(path, PRIVATE_FILE)
}

/** Whether other users of this machine may read the folder or change it. */
export function isOpenToOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0
}
