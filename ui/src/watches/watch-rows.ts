import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { ApiError, api } from '../api/client.ts'
import type { Source, SourceDetail, SourceList } from '../api/types.ts'

/**
 * Loaded rows are updated in place: there may be thousands, and reloading all of them for one would be slow and make the
 * table jump. Each list is cached under its filter.
 */
type Loaded = InfiniteData<SourceList, string | null>
type Change = (source: Source) => Source | null

/** Beyond this, reloading the list is cheaper. */
const MAX_SINGLE_READS = 20

export function changeRows(client: QueryClient, change: Change): void {
  client.setQueriesData<Loaded>({ queryKey: ['watches'] }, (loaded) => {
    if (loaded === undefined) return loaded
    return { ...loaded, pages: loaded.pages.map((page) => changePage(page, change)) }
  })
}

function changePage(page: SourceList, change: Change): SourceList {
  let isChanged = false
  const items: Source[] = []
  for (const source of page.items) {
    const next = change(source)
    if (next !== source) isChanged = true
    if (next !== null) items.push(next)
  }
  return isChanged ? { ...page, items } : page
}

export function dropRows(client: QueryClient, ids: readonly number[]): void {
  const gone = new Set(ids)
  changeRows(client, (source) => (gone.has(source.id) ? null : source))
}

/** Null if it has been removed meanwhile. */
async function readRow(id: number): Promise<SourceDetail | null> {
  try {
    return await api.get<SourceDetail>(`/sources/${id}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** Reads the rows again, and everything else that shows sources. */
export async function refreshRows(client: QueryClient, ids: readonly number[]): Promise<void> {
  void client.invalidateQueries({ queryKey: ['sources'] })
  void client.invalidateQueries({ queryKey: ['counts'] })
  if (ids.length > MAX_SINGLE_READS) {
    await client.invalidateQueries({ queryKey: ['watches'] })
    return
  }
  const rows = await Promise.all(ids.map(async (id) => [id, await readRow(id)] as const))
  const fresh = new Map(rows)
  changeRows(client, (source) => {
    const row = fresh.get(source.id)
    return row === undefined ? source : row
  })
}
