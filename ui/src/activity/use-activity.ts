import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type List, messageOf } from '../api/client.ts'
import type { Crawl, Graph, Host, Node, UrlExplanation } from '../api/types.ts'
import { showToast } from '../kit/toast-store.ts'
import { useLive } from '../live/use-live.ts'

/** Ten minutes, a point each second or two. */
const MAX_POINTS = 600
const FRESHEN_MS = 15_000
/** Nodes come and go in seconds. */
const NODES_MS = 3_000

/** Figures of the crawl, carried on by live events and read anew now and then. */
export function useCrawl() {
  const client = useQueryClient()
  useLive('crawl', (figures) => {
    client.setQueryData<Crawl>(['crawl'], (old) => {
      if (old === undefined || (old.series.at(-1)?.at ?? '') >= figures.at) return old
      return { ...old, now: figures, series: [...old.series, figures].slice(-MAX_POINTS) }
    })
  })
  return useQuery({
    queryKey: ['crawl'],
    queryFn: ({ signal }) => api.get<Crawl>('/crawl', {}, signal),
    refetchInterval: FRESHEN_MS,
  })
}

export function useHosts(q: string) {
  return useInfiniteQuery({
    queryKey: ['hosts', q],
    queryFn: ({ pageParam, signal }) => api.get<List<Host>>('/hosts', { q, limit: 50, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    refetchInterval: FRESHEN_MS,
  })
}

export function useNodes() {
  return useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => api.get<List<Node>>('/nodes', {}, signal),
    refetchInterval: NODES_MS,
  })
}

/** Lets a node hand over its partitions, or take part again. */
export function useDrain() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, draining }: { id: string; draining: boolean }) =>
      api.patch<Node>(`/nodes/${encodeURIComponent(id)}`, { draining }),
    onSuccess: ({ name }, { draining }) => {
      showToast(draining ? `${name} hands over its partitions` : `${name} takes part again`)
      return client.invalidateQueries({ queryKey: ['nodes'] })
    },
    onError: (error) => showToast(messageOf(error), { tone: 'bad' }),
  })
}

/** Pauses the crawl, or lets it go on. */
export function usePause() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (paused: boolean) => api.patch<{ isPaused: boolean }>('/crawl', { paused }),
    onSuccess: ({ isPaused }) => {
      showToast(isPaused ? 'The crawl is paused' : 'The crawl goes on')
      const keys = [['crawl'], ['nodes']]
      return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
    onError: (error) => showToast(messageOf(error), { tone: 'bad' }),
  })
}

export function useGraph(limit: number, host: string) {
  return useQuery({
    queryKey: ['graph', limit, host],
    queryFn: ({ signal }) => api.get<Graph>('/crawl/graph', { limit, host }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useExplanation(url: string) {
  return useQuery({
    queryKey: ['explain', url],
    queryFn: ({ signal }) => api.get<UrlExplanation>('/explain', { url }, signal),
    enabled: url !== '',
    retry: false,
  })
}
