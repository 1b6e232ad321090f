import { isAppError } from '../../core/errors.ts'
import type { IndexProgress, SearchReport, SearchRequest } from '../../core/reports/search-report.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { SearchIndex } from '../../store/contracts/search.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import { findVersions } from './find-versions.ts'
import { updateIndex } from './index-update.ts'
import { createVersionTexts } from './version-text.ts'

export type SearchableStores = {
  versions: VersionStore
  objects: ObjectStore
  openSearch(): Promise<SearchIndex>
  removeSearch(): Promise<void>
  /** Highest version id. */
  newestVersion(): Promise<number>
}

export type SearchHooks = { onProgress(progress: IndexProgress): void; onWarning(message: string): void }

/** Full-text search over the kept versions. The index is rebuilt or updated first if the request says so. */
export async function searchArchive(
  stores: SearchableStores,
  request: SearchRequest,
  hooks: SearchHooks,
): Promise<SearchReport> {
  if (request.rebuild) await stores.removeSearch()
  const { versions, objects } = stores
  const texts = createVersionTexts({ versions, objects })
  const index = await stores.openSearch()
  try {
    const { query, limit, offset } = request
    const update = { index, versions, texts, mustStop: () => false }
    const added = request.update || request.rebuild ? await catchUp(stores, update, hooks) : 0
    const startedAt = performance.now()
    const found = query === null ? nothing : await findVersions({ index, versions, texts }, query, { offset, limit })
    const tookMs = Math.round((performance.now() - startedAt) * 10) / 10
    const { items, total, totalIsLowerBound, approximate, stale } = found
    if (request.update) await tolerate(async () => index.remove(await goneForGood(versions, stale)), hooks)
    const counts = await index.counts()
    return { items, total, totalIsLowerBound, approximate, tookMs, index: { ...counts, added } }
  } finally {
    await index.close()
  }
}

/** A lost body may come back with the next fetch; a dropped one does not. */
async function goneForGood(versions: Pick<VersionStore, 'version'>, ids: readonly number[]): Promise<number[]> {
  const gone: number[] = []
  for (const id of ids) if ((await versions.version(id))?.body !== 'lost') gone.push(id)
  return gone
}

const nothing = { items: [], total: 0, totalIsLowerBound: false, approximate: false, stale: [] }

async function catchUp(
  stores: Pick<SearchableStores, 'newestVersion'>,
  update: Omit<Parameters<typeof updateIndex>[0], 'onBatch'>,
  hooks: SearchHooks,
): Promise<number> {
  const first = await update.index.watermark()
  const last = await stores.newestVersion()
  const onBatch = (watermark: number): void => hooks.onProgress({ looked: watermark - first, total: last - first })
  return (await tolerate(() => updateIndex({ ...update, onBatch }), hooks)) ?? 0
}

/** A full disk or a busy index must not prevent searching the existing index. */
async function tolerate<T>(work: () => Promise<T>, { onWarning }: SearchHooks): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error) || error.retry !== 'later') throw error
    onWarning(`${error.message}; results are from the index as it was before`)
    return undefined
  }
}
