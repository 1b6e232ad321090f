import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { ValidationError } from '../../config/validation-errors.ts'

export type PlaceOptions = { cwd: string; dataDir: string; force: boolean; errors: ValidationError[] }

/** The absolute path of a file that is to be written, once it is clear that nothing is lost by it. */
export function checkTarget(place: string, given: string, { cwd, dataDir, force, errors }: PlaceOptions): string {
  const path = resolve(cwd, given)
  const message = errorOf(path, given, dataDir, force)
  if (message !== null) errors.push({ place, message: `${given.slice(0, 200)} ${message}` })
  return path
}

function errorOf(path: string, given: string, dataDir: string, force: boolean): string | null {
  if (given === '' || given === '-' || given.endsWith('/')) return 'is no name of a file'
  const folder = dirname(path)
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return 'lies in a folder that is not there'
  const real = join(realpathSync(folder), basename(path))
  if (existsSync(dataDir) && real.startsWith(realpathSync(dataDir) + sep))
    return 'lies in the data folder, which has nothing but its own files'
  if (!existsSync(path)) return null
  // A device or a pipe would be replaced by a file.
  if (!statSync(path).isFile()) return 'is there and no file; - is standard output, to be sent anywhere'
  return force ? null : 'is there already; --force replaces it'
}
