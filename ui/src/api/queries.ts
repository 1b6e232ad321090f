import { type UseMutationOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, type Query } from './client.ts'

type Options = {
  enabled?: boolean
  retry?: boolean
  staleTime?: number
  refetchInterval?: number
  refetchOnWindowFocus?: boolean
  /** The last answer stays visible while the next one loads. */
  keepsPrevious?: boolean
}

function optionsOf({ keepsPrevious = false, ...options }: Options) {
  return { ...options, ...(keepsPrevious && { placeholderData: <T>(before: T) => before }) }
}

type GetOptions<T> = Options & {
  /** Delay until the next refetch, depending on the last answer; false for none. */
  refetchAfter?: (data: T | undefined) => number | false
}

export function useGet<T>(
  queryKey: readonly unknown[],
  path: string,
  query: Query = {},
  { refetchAfter, ...options }: GetOptions<T> = {},
) {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<T>(path, query, signal),
    ...optionsOf(options),
    ...(refetchAfter && {
      refetchInterval: ({ state }: { state: { data: T | undefined } }) => refetchAfter(state.data),
    }),
  })
}

type PagesOptions<Page> = Options & { refetchAfter?: (pages: readonly Page[]) => number | false }

/** A list that is read page by page. */
export function usePages<Page extends { next: string | null }>(
  queryKey: readonly unknown[],
  path: string,
  query: Query,
  { refetchAfter, ...options }: PagesOptions<Page> = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => api.get<Page>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    ...optionsOf(options),
    ...(refetchAfter && {
      refetchInterval: ({ state }: { state: { data: { pages: Page[] } | undefined } }) =>
        refetchAfter(state.data?.pages ?? []),
    }),
  })
}

type PageState = { hasNextPage: boolean; isFetchingNextPage: boolean; isFetchNextPageError: boolean }

/** Whether a page may be loaded without being asked for. After a failure, only the user tries again. */
export function mayLoadMore({ hasNextPage, isFetchingNextPage, isFetchNextPageError }: PageState): boolean {
  return hasNextPage && !isFetchingNextPage && !isFetchNextPageError
}

/** Invalidates everything cached under these names; visible queries are refetched. */
export function useRefresh(): (...names: string[]) => void {
  const client = useQueryClient()
  return useCallback(
    (...names) => {
      for (const name of names) void client.invalidateQueries({ queryKey: [name] })
    },
    [client],
  )
}

/** A mutation on the server that invalidates everything cached under the names in `changes`. */
export function useChange<T, Variables = void>(
  changes: readonly string[],
  mutationFn: (variables: Variables) => Promise<T>,
  { onSuccess, ...options }: Omit<UseMutationOptions<T, Error, Variables>, 'mutationFn'> = {},
) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn,
    ...options,
    onSuccess: (...args) => {
      refresh(...changes)
      return onSuccess?.(...args)
    },
  })
}
