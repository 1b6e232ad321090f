import { openStores } from '../app/engines/open-engine.ts'
import { createBodyReader } from '../archive/body-reader.ts'
import { compareVersions } from '../archive/history/compare.ts'
import { readHistory } from '../archive/history/history.ts'
import { createVersionFinder } from '../archive/history/version-finder.ts'
import { searchArchive } from '../archive/search/search-archive.ts'
import type { ConfigInput } from '../config/config-input.ts'
import { AppError } from '../core/errors.ts'
import { parseSearchQuery } from '../core/search-query/parse-query.ts'
import { createKeys } from '../crawl/normalize/document-keys.ts'
import { createPageReader } from './page.ts'
import { targetOf } from './settings.ts'
import type { Archive } from './surface.ts'

const READ_AT_ONCE = 200
const MAX_HITS = 100

/** Opens a data folder, or a shared store by its `postgres://` address. */
export async function openArchive(place: string, { config }: { config?: ConfigInput } = {}): Promise<Archive> {
  const where = /^postgres(?:ql)?:\/\//.test(place) ? { store: place } : { data: place }
  const target = await targetOf({ ...where, ...(config !== undefined && { config }) })
  const stores = await openStores(target, 'read')
  const { versions } = stores
  const pageOf = createPageReader(stores)
  const finder = createVersionFinder({ versions, keyOf: createKeys(target.config, stores.seed) })
  const parts = { versions, bodies: createBodyReader(stores), finder }
  const close = (): Promise<void> => stores.close()
  return {
    page: async (address) => pageOf((await finder.find(address)).version),
    async *versions({ after = 0 } = {}) {
      for (let last = after; ; ) {
        const found = await versions.versions({ after: last, limit: READ_AT_ONCE })
        for (const version of found) yield pageOf(version)
        if (found.length < READ_AT_ONCE) return
        last = found.at(-1)!.id
      }
    },
    history: async (url, { limit = 100, changes = false } = {}) =>
      readHistory(parts, await finder.document(url), { limit, changes }),
    diff: async (url, options = {}) =>
      compareVersions(parts, await finder.document(url), {
        ...{ from: undefined, to: undefined, form: 'lines', context: 3, raw: false },
        ...options,
      }),
    async search(text, { limit = 10, offset = 0, update = true } = {}) {
      const parsed = parseSearchQuery(text)
      if (parsed.kind !== 'query') throw new AppError('usage-wrong', parsed.errors.join('; '))
      const request = { query: parsed.query, limit: Math.min(limit, MAX_HITS), offset, update, rebuild: false }
      try {
        return await searchArchive(stores, request, { onProgress() {}, onWarning() {} })
      } catch (error) {
        throw stores.explainSearchError(error)
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
