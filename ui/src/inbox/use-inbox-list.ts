import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { api, isOffline } from '../api/client.ts'
import type { Annotation } from '../api/types.ts'
import { savedItems, saveItems } from '../offline/storage.ts'
import { takeArrivals } from './arrivals.ts'
import { findItem, type InboxPage, itemKey, listKey } from './inbox-cache.ts'
import { type InboxFilters, matches } from './inbox-filters.ts'
import { pageKeyOf, rowsOf } from './inbox-rows.ts'

const PAGE_ITEMS = 50
const VISIT_MS = 60_000

let leftAt = 0

/** Returning from a document within a minute resumes the list; later everything is refetched. */
function beginVisit(client: QueryClient): void {
  if (Date.now() - leftAt < VISIT_MS) return
  client.removeQueries({ queryKey: ['annotations'] })
  takeArrivals()
}

async function fetchPage(filters: InboxFilters, cursor: string, signal: AbortSignal): Promise<InboxPage> {
  try {
    const page = await api.get<InboxPage>(
      '/annotations',
      { ...filters, group: 'page', cursor, limit: PAGE_ITEMS },
      signal,
    )
    void saveItems(page.items)
    return page
  } catch (error) {
    if (!isOffline(error)) throw error
    const items = rowsOf(await savedItems()).filter((item) => matches(filters, item) !== false)
    if (items.length === 0) throw error
    return { items: cursor === '' ? items : [], next: null, isSaved: true }
  }
}

/** An item opened by its URL may be marked as read before a list requested at the same time knows about it. */
function withOpened(client: QueryClient, page: InboxPage): InboxPage {
  const isRead = ({ id, read }: Annotation) => read || client.getQueryData<Annotation>(itemKey(id))?.read === true
  return { ...page, items: page.items.map((item) => ({ ...item, read: isRead(item) })) }
}

function useList(filters: InboxFilters, enabled: boolean) {
  const client = useQueryClient()
  return useInfiniteQuery({
    queryKey: listKey(filters),
    queryFn: async ({ pageParam, signal }) => withOpened(client, await fetchPage(filters, pageParam, signal)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    enabled,
  })
}

/** Archived rows leave the list at once; read and unstarred ones stay until the next visit. */
function visibleItems(pages: readonly InboxPage[] | undefined, state: InboxFilters['state']): Annotation[] {
  const all = pages?.flatMap(({ items }) => items) ?? []
  // A page that changed while the list was being read appears again further down, with the changes still in this state.
  const met = new Set<string>()
  return all.filter((item) => {
    const key = pageKeyOf(item)
    if (met.has(key)) return false
    met.add(key)
    return item.archived === (state === 'archived')
  })
}

/** The list for these filters. `shown` are the filters in effect: `unread` falls back to `all` when nothing is unread. */
export function useInboxList(filters: InboxFilters, isDefaultState: boolean) {
  const client = useQueryClient()
  useState(() => beginVisit(client))
  useEffect(() => {
    return () => {
      leftAt = Date.now()
    }
  }, [])
  const wanted = useList(filters, true)
  const isEmpty = wanted.data?.pages[0]?.items.length === 0
  const fellBack = isDefaultState && isEmpty
  const everything = useMemo(() => ({ ...filters, state: 'all' as const }), [filters])
  const fallback = useList(everything, fellBack)
  const list = fellBack ? fallback : wanted
  const shown = fellBack ? everything : filters
  const items = useMemo(() => visibleItems(list.data?.pages, shown.state), [list.data, shown.state])
  // When every loaded item has left the list, the next page takes their place.
  const { hasNextPage, isFetching, isError, fetchNextPage } = list
  const needsMore = items.length === 0 && hasNextPage && !isFetching && !isError
  useEffect(() => {
    if (needsMore) void fetchNextPage()
  }, [needsMore, fetchNextPage])
  const isSaved = list.data?.pages.some((page) => page.isSaved === true) === true
  return { list, items, shown, fellBack, isSaved }
}

/** An item that may be in no list, as when its URL was shared. */
export function useItem(id: number | null) {
  const client = useQueryClient()
  return useQuery({
    queryKey: itemKey(id ?? 0),
    queryFn: async ({ signal }) => {
      try {
        return await api.get<Annotation>(`/annotations/${id}`, {}, signal)
      } catch (error) {
        const saved = isOffline(error) ? (await savedItems()).find((item) => item.id === id) : undefined
        if (saved === undefined) throw error
        return saved
      }
    },
    initialData: () => (id === null ? undefined : findItem(client, id)),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: id !== null,
  })
}
