import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { api } from '../api/client.ts'
import { usePages } from '../api/queries.ts'
import type { SourceList } from '../api/types.ts'
import { useLive } from '../live/use-live.ts'
import type { WatchFilter } from './watch-filter.ts'
import { changeRows, refreshRows } from './watch-rows.ts'
import { isInProgress, type WatchState } from './watch-state.tsx'

const PAGE_ROWS = 100
const FLUSH_MS = 800
const MAX_READS_PER_FLUSH = 15
const COUNT_MS = 3000
const fresh = { staleTime: 0, refetchOnWindowFocus: false, keepsPrevious: true }

export function useWatchList(filter: WatchFilter) {
  const client = useQueryClient()
  const key = useMemo(() => ['watches', filter.state, filter.q, filter.profile], [filter])
  const list = usePages<SourceList>(key, '/sources', { ...filter, limit: PAGE_ROWS }, fresh)

  /** Refreshes only the counts, so that no row moves. */
  const refreshCounts = useCallback(async () => {
    const { counts } = await api.get<SourceList>('/sources', { ...filter, limit: 1 })
    client.setQueryData<InfiniteData<SourceList>>(key, (loaded) => {
      const [first, ...others] = loaded?.pages ?? []
      if (loaded === undefined || first === undefined) return loaded
      return { ...loaded, pages: [{ ...first, counts }, ...others] }
    })
  }, [client, filter, key])

  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data])
  // All loaded rows are gone, e.g. after a removal, but more exist.
  const isRunOut = rows.length === 0 && list.hasNextPage && !list.isError
  const { isFetching, fetchNextPage } = list
  useEffect(() => {
    if (isRunOut && !isFetching) void fetchNextPage()
  }, [isRunOut, isFetching, fetchNextPage])
  return { list, rows, isRunOut, counts: list.data?.pages[0]?.counts, refreshCounts }
}

/**
 * Check events are collected and applied a few times a second at most: with thousands of watches one is always in
 * progress. The state is shown at once; everything else a finished check changed is read from the server, a few rows at a time.
 */
export function useWatchEvents(refreshCounts: () => Promise<void>): void {
  const client = useQueryClient()
  const pending = useRef(new Map<number, WatchState>())
  const finished = useRef(new Set<number>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const countsAreStale = useRef(false)
  const countedAt = useRef(0)

  const flush = useCallback(async () => {
    const states = pending.current
    pending.current = new Map()
    const shown = new Set<number>()
    changeRows(client, (source) => {
      const state = states.get(source.id)
      if (state === undefined) return source
      shown.add(source.id)
      return state === source.state ? source : { ...source, state }
    })
    // A load in progress may be older than these events: apply them again when it completes.
    const isLoading = client.isFetching({ queryKey: ['watches'] }) > 0
    if (isLoading) for (const [id, state] of states) if (!pending.current.has(id)) pending.current.set(id, state)
    for (const id of shown) if (!isInProgress(states.get(id)!)) finished.current.add(id)
    const ids = [...finished.current].slice(0, MAX_READS_PER_FLUSH)
    for (const id of ids) finished.current.delete(id)
    if ([...states.values()].some((state) => !isInProgress(state))) countsAreStale.current = true
    const isCountDue = countsAreStale.current && Date.now() - countedAt.current >= COUNT_MS
    if (isCountDue) {
      countsAreStale.current = false
      countedAt.current = Date.now()
    }
    try {
      await Promise.all([ids.length > 0 && refreshRows(client, ids), isCountDue && refreshCounts()])
    } catch {
      // The next event, or the next visit, brings it up to date.
    }
    timer.current = undefined
    if (pending.current.size + finished.current.size > 0 || countsAreStale.current)
      timer.current = setTimeout(() => void flush(), FLUSH_MS)
  }, [client, refreshCounts])

  useLive('source', ({ id, state }) => {
    pending.current.set(id, state)
    timer.current ??= setTimeout(() => void flush(), FLUSH_MS / 4)
  })
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
