import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'

type OutputOptions = { cwd: string; dataDir: string; force: boolean; errors: ValidationError[] }

export const stdoutConflict = "can't write both the export and the result to standard output; name a file"

/** The absolute path of a file to write. Adds an error if writing it would lose something. */
export function checkTarget(place: string, given: string, { cwd, dataDir, force, errors }: OutputOptions): string {
  const path = resolve(cwd, given)
  const message = errorOf(path, given, dataDir, force)
  if (message !== null) errors.push({ place, message: `${given.slice(0, 200)} ${message}` })
  return path
}

/** The absolute path of a folder to write files into, which may or may not exist. */
export function checkFolder(place: string, given: string, { cwd, dataDir, errors }: OutputOptions): string {
  const path = resolve(cwd, given)
  const exists = existsSync(path)
  const real = exists ? realpathSync(path) : path
  const data = existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir)
  const isData = real === data || real.startsWith(data + sep)
  const message =
    exists && !statSync(path).isDirectory()
      ? 'exists and is not a folder'
      : isData
        ? 'is inside the data folder; choose another folder'
        : !exists && !existsSync(dirname(path))
          ? 'is in a folder that does not exist'
          : null
  if (message !== null) errors.push({ place, message: `${given.slice(0, 200)} ${message}` })
  return path
}

const compressedName = /\.(gz|tgz|zst|tzst|xz|txz|bz2|tbz2?|zip|7z|br|lz4)$/i

/** Adds an error for a name that promises a compression other than the known ones: no program could open the file by its name. */
export function checkCompression(
  place: string,
  given: string,
  { known, errors }: { known: readonly string[]; errors: ValidationError[] },
): void {
  const ending = compressedName.exec(given)?.[1]?.toLowerCase()
  if (ending === undefined || known.includes(ending)) return
  const advice = known.length === 0 ? 'choose a name without it' : `use .${known.join(', .')} or none`
  errors.push({ place, message: `${given.slice(0, 200)} can't be compressed as .${ending}; ${advice}` })
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
