import { clear, createStore, get, set } from 'idb-keyval'
import type { Annotation, SessionState } from '../api/types.ts'

/** Data kept in the browser for offline use. Signing out clears it. */
const store = typeof indexedDB === 'undefined' ? undefined : createStore('erace', 'kept')

/** A browser that refuses storage, as in some private windows, only loses offline use. */
export async function keep(key: string, value: unknown): Promise<void> {
  if (store !== undefined) await set(key, value, store).catch(() => undefined)
}

export async function kept<T>(key: string): Promise<T | undefined> {
  return store === undefined ? undefined : await get<T>(key, store).catch(() => undefined)
}

export async function forgetEverything(): Promise<void> {
  if (store !== undefined) await clear(store).catch(() => undefined)
}

/** Data kept for another user is deleted first. */
export async function keepSession(session: SessionState): Promise<void> {
  const before = await keptSession()
  if (before !== undefined && before.user.id !== session.user.id) await forgetEverything()
  await keep('session', session)
}

export const keptSession = () => kept<SessionState>('session')

/** The newest items, to be read offline. */
const INBOX_KEY = 'inbox'
const MAX_ITEMS = 200

export async function keepItems(items: readonly Annotation[]): Promise<void> {
  const byId = new Map((await keptItems()).map((item) => [item.id, item]))
  for (const item of items) byId.set(item.id, item)
  await keep(INBOX_KEY, [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MAX_ITEMS))
}

export async function keptItems(): Promise<Annotation[]> {
  return (await kept<Annotation[]>(INBOX_KEY)) ?? []
}
