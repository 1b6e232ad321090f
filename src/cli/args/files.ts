import { existsSync, realpathSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'

/** Room for a block list of millions of hosts; anything larger is a mistake. */
const MAX_BYTES = 256_000_000

/** Reads a file named on the command line; null, with an error added, when that fails. */
export async function readTextFile(
  path: string,
  { cwd, place, errors }: { cwd: string; place: string; errors: ValidationError[] },
): Promise<string | null> {
  try {
    const full = resolve(cwd, path)
    const { size } = await stat(full)
    if (size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(full))
  } catch (error) {
    errors.push({ place, message: reasonOf(error as NodeJS.ErrnoException) })
    return null
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
      return 'no such file'
    case 'EACCES':
      return 'permission denied'
    case 'EISDIR':
      return 'is a folder'
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'is not UTF-8 text'
    default:
      return message
  }
}

/** Trimmed lines with their line numbers, without comments and blank lines. */
function* contentLines(text: string): Generator<{ number: number; line: string }> {
  let number = 0
  for (const raw of text.split('\n')) {
    number++
    const line = raw.trim()
    if (line !== '' && !line.startsWith('#')) yield { number, line }
  }
}

/** URLs and `@FILE`s with one URL per line, as one list in the order given. `#` at the start of a line is a comment. */
export async function readSeeds(words: readonly string[], cwd: string, errors: ValidationError[]): Promise<string[]> {
  const seeds = new Set<string>()
  function add(text: string, place: string): void {
    const fault = seedError(text)
    if (fault === undefined) seeds.add(text)
    else errors.push({ place, message: fault })
  }
  for (const word of words) {
    if (!word.startsWith('@')) add(word, shorten(word))
    else {
      const path = word.slice(1)
      const text = await readTextFile(path, { cwd, place: word, errors })
      if (text === null) continue
      let lines = 0
      for (const { number, line } of contentLines(text)) {
        add(line, `${path}:${number}: ${shorten(line)}`)
        lines++
      }
      if (lines === 0) errors.push({ place: path, message: 'contains no seeds' })
    }
  }
  if (words.length === 0)
    errors.push({ place: 'SEED', message: 'give at least one URL, or @FILE with one URL per line' })
  return [...seeds]
}

function seedError(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return undefined
  // `example.org/x` is not a URL, and `localhost:80` parses as one with an unintended scheme.
  const meant = URL.parse(`https://${text}`)
  const isHost = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]|$)/.test(text) && meant !== null
  if (isHost) return `not a URL; did you mean https://${shorten(text)}?`
  return url === null ? 'not a URL' : `${shorten(url.protocol)} isn't supported, only http: and https:`
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

type OutputOptions = { cwd: string; dataDir: string; force: boolean; errors: ValidationError[] }

export const stdoutConflict = "can't write both the export and the result to standard output; name a file"

/** The absolute path of a file to write. Adds an error where writing it would lose something. */
export function checkTarget(place: string, given: string, { cwd, dataDir, force, errors }: OutputOptions): string {
  const path = resolve(cwd, given)
  const message = errorOf(path, given, dataDir, force)
  if (message !== null) errors.push({ place, message: `${given.slice(0, 200)} ${message}` })
  return path
}

function errorOf(path: string, given: string, dataDir: string, force: boolean): string | null {
  if (given === '' || given === '-' || given.endsWith('/')) return 'is not a file name'
  const folder = dirname(path)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return 'is in a folder that does not exist'
  const real = join(realpathSync(folder), basename(path))
  if (existsSync(dataDir) && real.startsWith(realpathSync(dataDir) + sep))
    return 'is inside the data folder; choose another folder'
  if (!existsSync(path)) return null
  // A device or a pipe would be replaced by a file.
  if (!statSync(path).isFile()) return 'exists and is not a regular file; use - for standard output'
  return force ? null : 'already exists; use --force to replace it'
}
