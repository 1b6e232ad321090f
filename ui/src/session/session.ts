import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { ApiError, api, isOffline } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import type { InboxCounts, Me, SessionState } from '../api/types.ts'
import { setCharacterKeys } from '../keyboard/shortcuts.ts'
import { showError } from '../kit/toast.tsx'
import { clearStorage, savedSession, saveSession } from '../offline/storage.ts'
import { applyTheme } from '../theme/theme.ts'
import { setTimeZone } from '../time/zone.ts'

/** Offline, the pages open for the last signed-in user, to read what the browser has stored. */
async function readSession(): Promise<SessionState | null> {
  try {
    const session = await api.get<SessionState>('/session')
    void saveSession(session)
    return session
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    const saved = isOffline(error) ? await savedSession() : undefined
    if (saved !== undefined) return saved
    throw error
  }
}

/** `data` is null when signed out. */
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

/** Only for pages behind the sign-in, where a user is always present. */
export function useMe(): Me {
  const { data } = useSession()
  if (data === undefined || data === null) throw new Error('Not signed in.')
  return data.user
}

function applySettings(user: Me): void {
  setTimeZone(user.timeZone)
  setCharacterKeys(user.shortcuts)
  // Sessions that were saved for offline use by an earlier version have none.
  applyTheme(user.theme ?? 'system')
}

/** Stores the answer of PATCH /me, POST /session or POST /setup. */
export function useKeepMe(): (session: SessionState) => void {
  const client = useQueryClient()
  return useCallback(
    (session) => {
      applySettings(session.user)
      void saveSession(session)
      client.setQueryData(['session'], session)
    },
    [client],
  )
}

/** Ends this session, or all of them; a failure is shown. */
export async function signOut(path: '/session' | '/sessions' = '/session'): Promise<void> {
  try {
    await api.delete(path)
    await clearStorage()
    // A full page load, so that no data of the previous user stays in memory.
    location.assign('/sign-in')
  } catch (error) {
    showError(error)
  }
}

/** Counts of unread, starred, … items and of failing sources; live events keep them fresh. */
export function useCounts() {
  return useGet<InboxCounts>(['counts'], '/annotations/counts')
}
