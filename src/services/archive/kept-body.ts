import type { VersionBody } from '../../archive/body-reader.ts'
import { AppError } from '../../core/errors.ts'
import type { Version } from '../../store/contracts/versions.ts'

/** The body of a version. Throws `body-gone` or `record-damaged` if there is none. */
export async function bodyOf<T extends VersionBody>(
  version: Version,
  reading: Promise<T>,
): Promise<T & { kind: 'body' }> {
  const kept: VersionBody = await reading
  if (kept.kind === 'body') return kept as T & { kind: 'body' }
  if (kept.kind === 'damaged') throw new AppError('record-damaged', `the body of version ${version.n} is damaged`)
  throw new AppError(kept.why === 'lost' ? 'record-damaged' : 'body-gone', absence(version, kept.why))
}

function absence({ n, reason, status }: Version, why: 'dropped' | 'lost' | 'none'): string {
  if (reason === 'gone') return `version ${n} records that the document is gone (status ${status}); it has no body`
  if (why === 'dropped') return `the body of version ${n} was deleted to save space; its metadata is kept`
  if (why === 'lost') return `the body of version ${n} was damaged; the next check fetches it again`
  return `version ${n} has no body`
}
