import type { SearchHooks } from './cli/engine.ts'
import { isAppError } from './core/errors.ts'
import type { SearchReport, SearchRequest } from './core/search-report.ts'
import type { Database } from './store/embedded/database.ts'
import { openCatalogForReading, paths } from './store/embedded/folder.ts'
import { createEmbeddedObjects } from './store/embedded/objects.ts'
import { findVersions } from './store/embedded/search/find-versions.ts'
import { updateIndex } from './store/embedded/search/index-update.ts'
import { explainDamage, openSearch, removeSearch } from './store/embedded/search/open-search.ts'
import { createVersionTexts } from './store/embedded/search/version-text.ts'
import { createEmbeddedVersions } from './store/embedded/versions.ts'
import type { VersionStore } from './store/versions.ts'

/** `erace search` on the embedded store, beside whoever writes there. */
export async function search(folder: string, request: SearchRequest, hooks: SearchHooks): Promise<SearchReport> {
  const catalog = openCatalogForReading(folder)
  try {
    if (request.rebuild) removeSearch(folder)
    return await searchIn(folder, catalog, request, hooks)
  } catch (error) {
    throw isOfIndex(error, folder) ? explainDamage(error) : error
  } finally {
    catalog.close()
  }
}

async function searchIn(
  folder: string,
  catalog: Database,
  request: SearchRequest,
  hooks: SearchHooks,
): Promise<SearchReport> {
  const versions = createEmbeddedVersions(catalog)
  const texts = createVersionTexts({ versions, objects: createEmbeddedObjects(catalog, paths.archive(folder)) })
  const index = openSearch(folder, versions)
  try {
    const { query, limit, offset } = request
    const update = { index, versions, texts, mustStop: () => false }
    const added = request.update || request.rebuild ? await catchUp(catalog, update, hooks) : 0
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

/** A lost body may come back, with the next fetch; a dropped one does not. */
async function goneForGood(versions: Pick<VersionStore, 'version'>, ids: readonly number[]): Promise<number[]> {
  const gone: number[] = []
  for (const id of ids) if ((await versions.version(id))?.body !== 'lost') gone.push(id)
  return gone
}

const nothing = { items: [], total: 0, totalIsLowerBound: false, approximate: false, stale: [] }

async function catchUp(
  catalog: Database,
  update: Omit<Parameters<typeof updateIndex>[0], 'onBatch'>,
  hooks: SearchHooks,
): Promise<number> {
  const first = await update.index.watermark()
  const { last } = catalog.prepare('SELECT coalesce(max(id), 0) AS last FROM versions').get() as { last: number }
  const onBatch = (watermark: number): void => hooks.onProgress({ looked: watermark - first, total: last - first })
  return (await tolerate(() => updateIndex({ ...update, onBatch }), hooks)) ?? 0
}

/** A full disk or a busy index need not keep anybody from finding what is indexed. */
async function tolerate<T>(work: () => Promise<T>, { onWarning }: SearchHooks): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isAppError(error) || error.retry !== 'later') throw error
    onWarning(`${error.message}; this answer is from what was indexed before`)
    return undefined
  }
}

const isOfIndex = (error: unknown, folder: string): boolean =>
  error instanceof Error && error.message.includes(paths.search(folder))
