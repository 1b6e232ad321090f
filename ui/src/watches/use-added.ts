import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { Source, SourceDetail, SourceImported, SourceList } from '../api/types.ts'
import { asListLine } from './addresses.ts'

/** More than these go as one list. */
const MAX_SINGLE = 10

/** Added on this visit: shown above all others, from the moment of the key press on, whatever the filter is. */
export type Added = { uri: string; source: Source | null }
export type AddFault = { uri: string; message: string }

function faultOf(error: unknown): string {
  const detail = error instanceof ApiError ? error.details[0]?.message : undefined
  return detail ?? messageOf(error)
}

/** By the import, which refuses what is no address, or is watched already, and says so. */
function importAll(addresses: readonly string[]): Promise<SourceImported> {
  return api.post<SourceImported>('/sources/import', { text: addresses.map(asListLine).join('\n'), format: 'list' })
}

async function addOne(uri: string): Promise<Source | null> {
  const { profiles, skipped } = await importAll([uri])
  const [profile] = profiles
  if (profile === undefined) throw new Error(skipped[0]?.why ?? 'it could not be added')
  const { items } = await api.get<SourceList>('/sources', { profile: profile.id, limit: 1 })
  return items[0] ?? null
}

export function useAdded(refreshCounts: () => Promise<void>) {
  const client = useQueryClient()
  const [added, setAdded] = useState<readonly Added[]>([])
  const [faults, setFaults] = useState<readonly AddFault[]>([])
  const [told, setTold] = useState('')

  async function addEach(addresses: readonly string[]): Promise<AddFault[]> {
    const failed: AddFault[] = []
    for (const uri of addresses) {
      try {
        const source = await addOne(uri)
        setAdded((all) => all.map((each) => (each.uri === uri && each.source === null ? { uri, source } : each)))
      } catch (error) {
        failed.push({ uri, message: faultOf(error) })
        setAdded((all) => all.filter((each) => each.uri !== uri || each.source !== null))
      }
    }
    return failed
  }

  async function addList(addresses: readonly string[]): Promise<AddFault[]> {
    try {
      const { skipped } = await importAll(addresses)
      void client.invalidateQueries({ queryKey: ['watches'] })
      return skipped.map(({ text, why }) => ({ uri: text, message: why }))
    } catch (error) {
      return [{ uri: `${addresses.length} addresses`, message: faultOf(error) }]
    }
  }

  /** Resolves to what could not be added, so that it can be mended. */
  async function add(addresses: readonly string[]): Promise<readonly AddFault[]> {
    const single = addresses.length <= MAX_SINGLE
    setFaults([])
    setTold('')
    if (single) setAdded((all) => [...addresses.map((uri) => ({ uri, source: null })), ...all])
    const failed = await (single ? addEach(addresses) : addList(addresses))
    const count = addresses.length - failed.length
    setFaults(failed)
    setTold(count > 0 ? `${count === 1 ? 'It is' : `${count} addresses are`} watched from now on.` : '')
    for (const queryKey of [['profiles'], ['sources'], ['counts']]) void client.invalidateQueries({ queryKey })
    refreshCounts().catch(() => undefined)
    return failed
  }

  return { added: useFreshRows(added), faults, told, add }
}

/** Kept fresh by the live events, which make all that is under this key be read anew. */
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
