import { clear, createStore, get, set } from 'idb-keyval'
import type { SessionState } from '../api/types.ts'

/** What stays in the browser for the time without a connection. Signing out empties it. */
const store = typeof indexedDB === 'undefined' ? undefined : createStore('erace', 'kept')

/** A browser that refuses storage, as in some private windows, only loses the offline use. */
export async function keep(key: string, value: unknown): Promise<void> {
  if (store !== undefined) await set(key, value, store).catch(() => undefined)
}

export async function kept<T>(key: string): Promise<T | undefined> {
  return store === undefined ? undefined : await get<T>(key, store).catch(() => undefined)
}

export async function forgetEverything(): Promise<void> {
  if (store !== undefined) await clear(store).catch(() => undefined)
}

/** What was kept for somebody else goes first. */
export async function keepSession(session: SessionState): Promise<void> {
  const before = await keptSession()
  if (before !== undefined && before.user.id !== session.user.id) await forgetEverything()
  await keep('session', session)
}

export const keptSession = () => kept<SessionState>('session')
