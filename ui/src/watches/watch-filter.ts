import { useMemo } from 'react'
import { setQuery, useQuery } from '../url/query-state.ts'

export const segments = ['all', 'unread', 'failing', 'paused'] as const
export type WatchSegment = (typeof segments)[number]
export type WatchFilter = { state: WatchSegment; q: string; profile: string }

/** The filter in the URL. */
export function useWatchFilter(): WatchFilter {
  const query = useQuery()
  const state = segments.find((segment) => segment === query.get('state')) ?? 'all'
  const q = query.get('q') ?? ''
  const profile = query.get('profile') ?? ''
  return useMemo(() => ({ state, q, profile }), [state, q, profile])
}

export function setSegment(segment: WatchSegment): void {
  setQuery({ state: segment === 'all' ? null : segment })
}

export function clearFilter(): void {
  setQuery({ state: null, q: null, profile: null })
}

export function isFiltered({ state, q, profile }: WatchFilter): boolean {
  return state !== 'all' || q !== '' || profile !== ''
}
