import { clear, createStore, get, set } from 'idb-keyval'
import type { Annotation, SessionState } from '../api/types.ts'

/** Data stored in the browser for offline use. Signing out clears it. */
const store = typeof indexedDB === 'undefined' ? undefined : createStore('erace', 'kept')

/** A browser that refuses storage, as in some private windows, only loses offline use. */
export async function save(key: string, value: unknown): Promise<void> {
  if (store !== undefined) await set(key, value, store).catch(() => undefined)
}

export async function load<T>(key: string): Promise<T | undefined> {
  return store === undefined ? undefined : await get<T>(key, store).catch(() => undefined)
}

export async function clearStorage(): Promise<void> {
  if (store !== undefined) await clear(store).catch(() => undefined)
}

/** Deletes the data of another user first. */
export async function saveSession(session: SessionState): Promise<void> {
  const before = await savedSession()
  if (before !== undefined && before.user.id !== session.user.id) await clearStorage()
  await save('session', session)
}

export const savedSession = () => load<SessionState>('session')

/** The newest items, to be read offline. */
const INBOX_KEY = 'inbox'
const MAX_ITEMS = 200

export async function saveItems(items: readonly Annotation[]): Promise<void> {
  const byId = new Map((await savedItems()).map((item) => [item.id, item]))
  for (const item of items) byId.set(item.id, item)
  await save(INBOX_KEY, [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MAX_ITEMS))
}

export async function savedItems(): Promise<Annotation[]> {
  return (await load<Annotation[]>(INBOX_KEY)) ?? []
}
