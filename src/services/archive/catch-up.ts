import { type IndexUpdate, updateIndex } from '../../archive/search/index-update.ts'
import { isAppError } from '../../core/errors.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'

/** New versions are indexed in the background; a search first adds missing ones, for at most this long. */
const CATCH_UP_MS = 400
/** Maximum wait for the index lock. Its holder adds the same versions anyway, and may take long on a busy machine. */
const MAX_WAIT_MS = 100

/** Adds missing versions to the index, as far as there is time. */
export async function catchUp({ index, versions, texts }: Pick<IndexUpdate, 'index' | 'versions' | 'texts'>) {
  const endAt = performance.now() + CATCH_UP_MS
  try {
    const mustStop = () => performance.now() > endAt
    await updateIndex({ index, versions, texts, mustStop, onBatch: () => {}, maxWaitMs: MAX_WAIT_MS })
  } catch (error) {
    // A full disk or a busy index must not prevent searching what is indexed.
    if (!isAppError(error) || error.retry === 'never') throw error
  }
}

/** Rows read during one search: the index checks that they still exist, and then they are shown. */
export type RowsAtHand = Pick<VersionStore, 'version'> & {
  put(rows: readonly Version[]): void
  clear(): void
}

export function createRowsAtHand(versions: Pick<VersionStore, 'version'>): RowsAtHand {
  const atHand = new Map<number, Promise<Version | null>>()
  return {
    version(id) {
      const known = atHand.get(id) ?? versions.version(id)
      atHand.set(id, known)
      return known
    },
    put(rows) {
      for (const row of rows) atHand.set(row.id, Promise.resolve(row))
    },
    clear: () => atHand.clear(),
  }
}
