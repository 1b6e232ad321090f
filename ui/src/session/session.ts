import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { ApiError, api, isOffline } from '../api/client.ts'
import type { InboxCounts, Me, SessionState } from '../api/types.ts'
import { setCharacterKeys } from '../keyboard/registry.ts'
import { forgetEverything, keepSession, keptSession } from '../offline/kept.ts'
import { setTimeZone } from '../time/zone.ts'

/** Without a connection the pages open as whoever was signed in last, to read what was kept. */
async function readSession(): Promise<SessionState | null> {
  try {
    const session = await api.get<SessionState>('/session')
    void keepSession(session)
    return session
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    const kept = isOffline(error) ? await keptSession() : undefined
    if (kept !== undefined) return kept
    throw error
  }
}

/** `data` is null when nobody is signed in. */
export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: async () => {
      const session = await readSession()
      if (session !== null) applySettings(session.user)
      return session
    },
    staleTime: 5 * 60_000,
  })
}

/** Inside the gate there is always somebody. */
export function useMe(): Me {
  const { data } = useSession()
  if (data === undefined || data === null) throw new Error('Nobody is signed in.')
  return data.user
}

function applySettings(user: Me): void {
  setTimeZone(user.timeZone)
  setCharacterKeys(user.shortcuts)
}

/** Takes over what PATCH /me, POST /session or POST /setup answered. */
export function useKeepMe(): (session: SessionState) => void {
  const client = useQueryClient()
  return useCallback(
    (session) => {
      applySettings(session.user)
      void keepSession(session)
      client.setQueryData(['session'], session)
    },
    [client],
  )
}

export function useSignOut(): () => Promise<void> {
  return useCallback(async () => {
    await api.delete('/session')
    await forgetEverything()
    // A fresh page: nothing of the one who left stays in memory.
    location.assign('/sign-in')
  }, [])
}

/** Unread, starred, … and failing sources; kept fresh by the live events. */
export function useCounts() {
  return useQuery({
    queryKey: ['counts'],
    queryFn: ({ signal }) => api.get<InboxCounts>('/annotations/counts', {}, signal),
  })
}
