import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api, detailOf } from '../api/client.ts'
import { useRefresh } from '../api/queries.ts'
import type { Source, SourceDetail, SourceImported, SourceList } from '../api/types.ts'
import { asListLine } from './addresses.ts'
import { strings } from './strings.ts'

/** Longer lists are sent in one request. */
const MAX_SINGLE = 10

/** Maximum number of search results among which an added address is looked up. */
const MAX_ALIKE = 50

/** Added during this visit: shown on top at once, even if the filter would hide it. */
export type Added = { uri: string; source: Source | null }
export type AddError = { uri: string; message: string }

/** Uses the import, which rejects invalid or duplicate addresses with a reason. All go into the user's default profile. */
function importAll(addresses: readonly string[]): Promise<SourceImported> {
  const text = addresses.map(asListLine).join('\n')
  return api.post<SourceImported>('/sources/import', { text, format: 'list', into: 'default' })
}

export async function addOne(address: string): Promise<Source | null> {
  const { sources, skipped } = await importAll([address])
  const [added] = sources
  if (added === undefined) throw new Error(skipped[0]?.why ?? strings.add.failed)
  const { profile, uri } = added
  const { items } = await api.get<SourceList>('/sources', { profile, q: uri, limit: MAX_ALIKE })
  return items.find((source) => source.uri === uri) ?? null
}

export function useAdded(refreshCounts: () => Promise<void>) {
  const refresh = useRefresh()
  const [added, setAdded] = useState<readonly Added[]>([])
  const [errors, setErrors] = useState<readonly AddError[]>([])
  const [notice, setNotice] = useState('')

  async function addEach(addresses: readonly string[]): Promise<AddError[]> {
    const failed: AddError[] = []
    for (const uri of addresses) {
      try {
        const source = await addOne(uri)
        setAdded((all) => all.map((each) => (each.uri === uri && each.source === null ? { uri, source } : each)))
      } catch (error) {
        failed.push({ uri, message: detailOf(error) })
        setAdded((all) => all.filter((each) => each.uri !== uri || each.source !== null))
      }
    }
    return failed
  }

  async function addList(addresses: readonly string[]): Promise<AddError[]> {
    try {
      const { skipped } = await importAll(addresses)
      refresh('watches')
      return skipped.map(({ text, why }) => ({ uri: text, message: why }))
    } catch (error) {
      return [{ uri: strings.add.addresses(addresses.length), message: detailOf(error) }]
    }
  }

  /** Resolves to the addresses that could not be added, so that they can be corrected. */
  async function add(addresses: readonly string[]): Promise<readonly AddError[]> {
    const single = addresses.length <= MAX_SINGLE
    setErrors([])
    setNotice('')
    if (single) setAdded((all) => [...addresses.map((uri) => ({ uri, source: null })), ...all])
    const failed = await (single ? addEach(addresses) : addList(addresses))
    const count = addresses.length - failed.length
    setErrors(failed)
    setNotice(count > 0 ? strings.add.added(count) : '')
    refresh('profiles', 'sources', 'counts')
    refreshCounts().catch(() => undefined)
    return failed
  }

  return { added: useFreshRows(added), errors, notice, add }
}

/** Live events invalidate everything under this query key, which keeps the rows fresh. */
function useFreshRows(added: readonly Added[]): readonly Added[] {
  const ids = added.flatMap(({ source }) => (source === null ? [] : [source.id]))
  const reads = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['sources', 'detail', id],
      queryFn: () => api.get<SourceDetail>(`/sources/${id}`),
      retry: false,
    })),
  })
  const byId = new Map(ids.map((id, at) => [id, reads[at]]))
  return added.flatMap((each) => {
    const read = each.source === null ? undefined : byId.get(each.source.id)
    const isGone = read?.error instanceof ApiError && read.error.status === 404
    return isGone ? [] : [{ uri: each.uri, source: read?.data ?? each.source }]
  })
}
