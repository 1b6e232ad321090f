import { AppError } from '../../../core/errors.ts'

const OLDEST = 15

/** What is wrong with a server of this version (as `server_version_num` says it, 150004 for 15.4); null when nothing is. */
export function versionFault(number: number): AppError | null {
  const major = Math.floor(number / 10_000)
  if (major >= OLDEST) return null
  const name = Number.isFinite(number) ? `${major}.${number % 10_000}` : 'of an unknown version'
  return new AppError(
    'store-refused',
    `PostgreSQL ${name} is too old; ${OLDEST} or later is needed: upgrade the server`,
  )
}
