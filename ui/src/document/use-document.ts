import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, type List } from '../api/client.ts'
import type { Diff, Document, Link, Version } from '../api/types.ts'
import type { DiffChoice } from './choices.ts'

export function useDocument(id: string) {
  return useQuery({
    queryKey: ['documents', id],
    queryFn: ({ signal }) => api.get<Document>(`/documents/${id}`, {}, signal),
  })
}

const PAGE = 200
/** More than a user browses by hand; older ones are reachable by number in the URL. */
const MAX_VERSIONS = 2000

/** The versions of a document, oldest first. */
export function useVersions(id: string): { versions: Version[]; isLoading: boolean; error: unknown } {
  const query = useInfiniteQuery({
    queryKey: ['documents', id, 'versions'],
    queryFn: ({ pageParam, signal }) =>
      api.get<List<Version>>(`/documents/${id}/versions`, { limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const items = data?.pages.flatMap((page) => page.items) ?? []
  const wantsMore = hasNextPage && !isFetchingNextPage && items.length < MAX_VERSIONS
  useEffect(() => {
    if (wantsMore) void fetchNextPage()
  }, [wantsMore, fetchNextPage])
  return { versions: items.toReversed(), isLoading: query.isPending, error: query.error }
}

export function useDiff(id: string, choice: DiffChoice & { from: number; to: number }, enabled: boolean) {
  const { from, to, form, isWhole, isRaw, ignoresSpace, showsIgnored } = choice
  const context = isWhole ? WHOLE : 3
  const ignored = showsIgnored ? 'show' : undefined
  const query = { from, to, form, context, raw: isRaw, ignoreSpace: ignoresSpace, ignored }
  return useQuery({
    queryKey: ['documents', id, 'diff', query],
    queryFn: ({ signal }) => api.get<Diff>(`/documents/${id}/diff`, query, signal),
    enabled,
    placeholderData: keepPreviousData,
  })
}

/** Context lines around a change: all of them. */
export const WHOLE = 1_000_000

export function useVersionText(version: number | null) {
  return useQuery({
    queryKey: ['versions', version, 'text'],
    queryFn: () => api.text(`/versions/${version}/text`),
    enabled: version !== null,
  })
}

export function useLinks(document: string, version: number | null) {
  return useInfiniteQuery({
    queryKey: ['documents', document, 'links', version],
    queryFn: ({ pageParam, signal }) =>
      api.get<List<Link>>(`/documents/${document}/links`, { version, limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    enabled: version !== null,
  })
}
