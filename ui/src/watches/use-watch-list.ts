import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { api } from '../api/client.ts'
import type { SourceList } from '../api/types.ts'
import { useLive } from '../live/use-live.ts'
import { queryOf, type WatchFilter } from './watch-filter.ts'
import { changeRows, refreshRows } from './watch-rows.ts'
import { isUnderWay, type WatchState } from './watch-state.ts'

const PAGE_ROWS = 100
const FLUSH_MS = 800
const MAX_READS_PER_FLUSH = 15
const COUNT_MS = 3000

export function useWatchList(filter: WatchFilter) {
  const client = useQueryClient()
  const key = useMemo(() => ['watches', filter.state, filter.q, filter.profile], [filter])
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      api.get<SourceList>('/sources', { ...queryOf(filter), limit: PAGE_ROWS, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    staleTime: 0,
    refetchOnWindowFocus: false,
    placeholderData: (before) => before,
  })

  /** Counts alone: the rows stay where they are. */
  const refreshCounts = useCallback(async () => {
    const { counts } = await api.get<SourceList>('/sources', { ...queryOf(filter), limit: 1 })
    client.setQueryData<InfiniteData<SourceList>>(key, (loaded) => {
      const [first, ...others] = loaded?.pages ?? []
      if (loaded === undefined || first === undefined) return loaded
      return { ...loaded, pages: [{ ...first, counts }, ...others] }
    })
  }, [client, filter, key])

  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data])
  // All that was loaded is gone, as after a removal, and more is there.
  const isRunOut = rows.length === 0 && list.hasNextPage && !list.isError
  const { isFetching, fetchNextPage } = list
  useEffect(() => {
    if (isRunOut && !isFetching) void fetchNextPage()
  }, [isRunOut, isFetching, fetchNextPage])
  return { list, rows, isRunOut, counts: list.data?.pages[0]?.counts, refreshCounts }
}

/**
 * Events of checks are gathered and worked off a few times a second at most: with thousands of watches there is always
 * one under way. The state is shown at once; what else a finished check changed is read from the server, some rows at a time.
 */
export function useWatchEvents(refreshCounts: () => Promise<void>): void {
  const client = useQueryClient()
  const heard = useRef(new Map<number, WatchState>())
  const finished = useRef(new Set<number>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const countsAreOld = useRef(false)
  const countedAt = useRef(0)

  const flush = useCallback(async () => {
    const states = heard.current
    heard.current = new Map()
    const shown = new Set<number>()
    changeRows(client, (source) => {
      const state = states.get(source.id)
      if (state === undefined) return source
      shown.add(source.id)
      return state === source.state ? source : { ...source, state }
    })
    // What is being loaded just now may be older than what was heard: then it is said again when it is there.
    const isLoading = client.isFetching({ queryKey: ['watches'] }) > 0
    if (isLoading) for (const [id, state] of states) if (!heard.current.has(id)) heard.current.set(id, state)
    for (const id of shown) if (!isUnderWay(states.get(id)!)) finished.current.add(id)
    const ids = [...finished.current].slice(0, MAX_READS_PER_FLUSH)
    for (const id of ids) finished.current.delete(id)
    if ([...states.values()].some((state) => !isUnderWay(state))) countsAreOld.current = true
    const isCountDue = countsAreOld.current && Date.now() - countedAt.current >= COUNT_MS
    if (isCountDue) {
      countsAreOld.current = false
      countedAt.current = Date.now()
    }
    try {
      await Promise.all([ids.length > 0 && refreshRows(client, ids), isCountDue && refreshCounts()])
    } catch {
      // The next event, or the next visit, brings it up to date.
    }
    timer.current = undefined
    if (heard.current.size + finished.current.size > 0 || countsAreOld.current)
      timer.current = setTimeout(() => void flush(), FLUSH_MS)
  }, [client, refreshCounts])

  useLive('source', ({ id, state }) => {
    heard.current.set(id, state)
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
