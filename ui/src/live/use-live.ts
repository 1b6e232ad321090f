import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { Annotation, Figures, InboxCounts, Source } from '../api/types.ts'
import { type EventName, listen, startStream } from './stream.ts'

export type LiveEvents = {
  hello: { unread: number }
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
  useLive('hello', () => {
    void client.invalidateQueries({ queryKey: ['counts'] })
  })
  useLive('annotation', () => {
    void client.invalidateQueries({ queryKey: ['counts'] })
  })
  useLive('counts', (counts) => {
    client.setQueryData<InboxCounts>(['counts'], (old) => (old === undefined ? old : { ...old, ...counts }))
    void client.invalidateQueries({ queryKey: ['counts'] })
  })
  useLive('source', () => {
    void client.invalidateQueries({ queryKey: ['sources'] })
  })
}
