import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { Annotation, Figures, InboxCounts, Source } from '../api/types.ts'
import { readAnew } from './read-anew.ts'
import { type EventName, listen, startStream } from './stream.ts'

export type LiveEvents = {
  hello: { unread: number }
  /** So much came meanwhile that it is not sent one by one. */
  reset: Record<string, unknown>
  annotation: Annotation
  counts: Partial<InboxCounts>
  source: { id: number; state: Source['state'] }
  crawl: Figures
}

/** Hears of events while mounted. Asking for `crawl` makes the server send the figures. */
export function useLive<Name extends EventName>(name: Name, heard: (data: LiveEvents[Name]) => void): void {
  const latest = useRef(heard)
  useLayoutEffect(() => {
    latest.current = heard
  })
  useEffect(() => listen(name, (data) => latest.current(data as LiveEvents[Name])), [name])
}

/** Opens the stream and keeps the counts and sources fresh; the shell calls it once. */
export function useStream(): void {
  const client = useQueryClient()
  useEffect(() => startStream(), [])
  // What sources came to while there was no connection is not told again, so it is read.
  useLive('hello', () => {
    for (const name of ['counts', 'sources', 'watches']) readAnew(client, [name])
    // What failed for want of the server is there without being asked for.
    void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  })
  useLive('reset', () => {
    for (const name of ['annotations', 'counts']) readAnew(client, [name])
  })
  useLive('annotation', () => {
    readAnew(client, ['counts'])
  })
  useLive('counts', (counts) => {
    client.setQueryData<InboxCounts>(['counts'], (old) => (old === undefined ? old : { ...old, ...counts }))
    readAnew(client, ['counts'])
  })
  useLive('source', () => {
    readAnew(client, ['sources'])
  })
}
