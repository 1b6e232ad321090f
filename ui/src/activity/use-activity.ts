import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type List } from '../api/client.ts'
import type { Crawl, Graph, Host, Node, UrlExplanation } from '../api/types.ts'
import { showError, showToast } from '../kit/toast.tsx'
import { useLive } from '../live/use-live.ts'
import { strings } from './strings.ts'

/** Ten minutes, with a point every second or two. */
const MAX_POINTS = 600
const REFRESH_MS = 15_000
/** Nodes come and go in seconds. */
const NODES_MS = 3_000

/** Crawl stats, extended by live events and refreshed regularly. */
export function useCrawl() {
  const client = useQueryClient()
  useLive('crawl', (stats) => {
    client.setQueryData<Crawl>(['crawl'], (old) => {
      if (old === undefined || (old.series.at(-1)?.at ?? '') >= stats.at) return old
      return { ...old, now: stats, series: [...old.series, stats].slice(-MAX_POINTS) }
    })
  })
  return useQuery({
    queryKey: ['crawl'],
    queryFn: ({ signal }) => api.get<Crawl>('/crawl', {}, signal),
    refetchInterval: REFRESH_MS,
  })
}

export function useHosts(q: string) {
  return useInfiniteQuery({
    queryKey: ['hosts', q],
    queryFn: ({ pageParam, signal }) => api.get<List<Host>>('/hosts', { q, limit: 50, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    refetchInterval: REFRESH_MS,
  })
}

export function useNodes() {
  return useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => api.get<List<Node>>('/nodes', {}, signal),
    refetchInterval: NODES_MS,
  })
}

/** Drains a node, or undoes that. */
export function useDrain() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, draining }: { id: string; draining: boolean }) =>
      api.patch<Node>(`/nodes/${encodeURIComponent(id)}`, { draining }),
    onSuccess: ({ name }, { draining }) => {
      showToast(draining ? strings.nodes.draining(name) : strings.nodes.undone(name))
      return client.invalidateQueries({ queryKey: ['nodes'] })
    },
    onError: showError,
  })
}

/** Pauses or resumes the crawl. */
export function usePause() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (paused: boolean) => api.patch<{ isPaused: boolean }>('/crawl', { paused }),
    onSuccess: ({ isPaused }) => {
      showToast(isPaused ? strings.pause.paused : strings.pause.resumed)
      const keys = [['crawl'], ['nodes']]
      return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
    onError: showError,
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
