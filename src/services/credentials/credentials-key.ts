import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { AppError } from '../../core/errors.ts'

/**
 * The key that seals stored credentials. It comes from the configuration (the key itself, or the path of a file with it), or from a file
 * in the data folder. It is read on first use, so that no key is needed without credentials.
 */
export type CredentialsKey = {
  /** The file or setting that has the key. */
  place: string
  /** Throws `credentials-locked` if there is none. */
  read(): Buffer
  /** Creates the key file in the data folder if it is needed and missing. If two processes try at once, one creates it. */
  make(): void
}

export type CredentialsKeyOptions = {
  /** The configured key or path; '' if not set. */
  given: string
  /** The key file in the data folder; null if the key must be configured. */
  file: string | null
}

export const KEY_BYTES = 32
const OWNER_ONLY = 0o600

export function createCredentialsKey({ given, file }: CredentialsKeyOptions): CredentialsKey {
  let known: Buffer | null = null

  function find(): Buffer {
    if (given !== '' && !given.startsWith('/')) return keyOf(given, 'credentials.key')
    const path = given === '' ? file : given
    if (path !== null) return keyOf(readKeyFile(path), path)
    throw locked(
      'credentials need a key: set credentials.key on every machine, to the same 64 hexadecimal digits or to a file with them',
    )
  }

  return {
    place: given.startsWith('/') ? given : given === '' && file !== null ? file : 'credentials.key',
    read: () => (known ??= find()),
    make() {
      if (given === '' && file !== null) makeKeyFile(file)
    },
  }
}

/** 32 bytes, as 64 hexadecimal digits or in Base64. */
function keyOf(text: string, place: string): Buffer {
  const word = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(word) ? Buffer.from(word, 'hex') : Buffer.from(word, 'base64')
  if (key.length !== KEY_BYTES) throw locked(`${place} has no key of ${KEY_BYTES} bytes in it`)
  return key
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    throw locked(`the key of credentials can't be read from ${path} (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Atomic: a half-written key would lock everything that others seal meanwhile. */
function makeKeyFile(path: string): void {
  const part = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const handle = openSync(path, 'r')
    closeSync(handle)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return
  }
  const handle = openSync(part, 'wx', OWNER_ONLY)
  try {
    writeSync(handle, `${randomBytes(KEY_BYTES).toString('hex')}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    linkSync(part, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(part)
  }
}

const locked = (message: string): AppError => new AppError('credentials-locked', message)
