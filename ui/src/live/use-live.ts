import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import type { Annotation, InboxCounts, Source, Stats } from '../api/types.ts'
import { type EventName, listen, startStream } from './stream.ts'

type LiveEvents = {
  hello: { unread: number }
  /** Too many items were missed to send them one by one. */
  reset: Record<string, unknown>
  annotation: Annotation
  counts: Partial<InboxCounts>
  source: { id: number; state: Source['state'] }
  /** A channel was added, changed or removed, or began to fail or to work again. */
  channel: { id: string }
  crawl: Stats
}

/** Listens to events while mounted. Listening to `crawl` makes the server send the crawl stats. */
export function useLive<Name extends EventName>(name: Name, listener: (data: LiveEvents[Name]) => void): void {
  const latest = useEffectEvent(listener)
  useEffect(() => listen(name, (data) => latest(data as LiveEvents[Name])), [name])
}

/**
 * Refetches everything cached under the key. The cache does not restart a first load in progress, though its answer may be older
 * than the event, so that one is fetched again when it completes.
 */
function refetch(client: QueryClient, queryKey: QueryKey): void {
  const loading = client.getQueryCache().findAll({
    queryKey,
    fetchStatus: 'fetching',
    predicate: ({ state }) => state.data === undefined,
  })
  void client.invalidateQueries({ queryKey })
  for (const { promise, queryKey: own } of loading) {
    // A failure is reported to the component that waits for it.
    promise?.then(
      () => void client.invalidateQueries({ queryKey: own, exact: true }),
      () => undefined,
    )
  }
}

/** Opens the stream and keeps counts and sources fresh; the shell calls it once. */
export function useStream(): void {
  const client = useQueryClient()
  useEffect(() => startStream(), [])
  // Source events missed while offline are not repeated, so the sources are refetched.
  useLive('hello', () => {
    for (const name of ['counts', 'sources', 'watches']) refetch(client, [name])
    // Views that failed because the server was away recover by themselves.
    void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  })
  useLive('reset', () => {
    for (const name of ['annotations', 'counts']) refetch(client, [name])
  })
  useLive('annotation', () => {
    refetch(client, ['counts'])
  })
  useLive('counts', (counts) => {
    client.setQueryData<InboxCounts>(['counts'], (old) => (old === undefined ? old : { ...old, ...counts }))
    refetch(client, ['counts'])
  })
  useLive('source', () => {
    refetch(client, ['sources'])
  })
  useLive('channel', () => {
    for (const name of ['channels', 'deliveries']) refetch(client, [name])
  })
}
