import { existsSync, rmSync } from 'node:fs'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { SearchIndex } from '../../contracts/search.ts'
import type { VersionStore } from '../../contracts/versions.ts'
import { paths } from '../folder/folder.ts'
import { openSqliteSearchIndex } from './search-index.ts'

/** The index of a data folder, made when it is not there. */
export function openSearch(folder: string, versions: Pick<VersionStore, 'version'>): SearchIndex {
  const kept = async (ids: readonly number[]): Promise<ReadonlySet<number>> => {
    const alive = new Set<number>()
    for (const id of ids) if ((await versions.version(id))?.body === 'kept') alive.add(id)
    return alive
  }
  return openSqliteSearchIndex({ path: paths.search(folder), kept })
}

/**
 * Removes versions from the index of a data folder, if it has one. Search only finds versions that the catalogue keeps, so an index that
 * can't be updated wastes space, nothing more: it is reported once and left alone.
 */
export function createSearchRemover(
  folder: string,
  versions: Pick<VersionStore, 'version'>,
  onWarning: (message: string) => void,
) {
  let isOff = !existsSync(paths.search(folder))
  let index: SearchIndex | null = null
  return {
    async remove(versionIds: number[]): Promise<void> {
      if (isOff) return
      try {
        index ??= openSearch(folder, versions)
        await index.remove(versionIds)
      } catch (error) {
        isOff = true
        onWarning(`could not update the search index: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
    close: async (): Promise<void> => index?.close(),
  }
}

/** Throws the index away, whatever state it is in. Who still has it open works on with what is then nobody's. */
export function removeSearch(folder: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${paths.search(folder)}${suffix}`, { force: true })
}

/** Unlike other files of the data folder, this one can be made anew: whoever meets the damage is told so. */
export function explainDamage(error: unknown): unknown {
  if (!isAppError(error, 'store-damaged')) return error
  return new AppError(
    'store-damaged',
    `${error.message}; the archive is whole, and erace search --rebuild makes the index anew`,
    { cause: error },
  )
}
