import { ApiError, api } from '../api/client.ts'
import type { BulkMarked, Marks } from '../api/types.ts'
import { load, save } from './storage.ts'

/**
 * Marks made offline wait here in order, across reloads. An entry that the server rejects is dropped, since it would be rejected
 * again; one that may succeed later stays.
 */
type Entry = { ids: number[]; marks: Marks; query?: MarkQuery }
/** With `group`, each id represents all changes of its page in that state. */
export type MarkQuery = { group?: 'page'; state?: 'all' | 'starred' | 'archived' }

const KEY = 'mark-queue'
let work: Promise<unknown> = Promise.resolve()
let isPending = false

/** Whether entries are still to be sent; later marks must not overtake them. */
export const isWaiting = (): boolean => isPending

void inTurn(async () => {
  isPending = ((await load<Entry[]>(KEY)) ?? []).length > 0
})

/** One at a time: concurrent changes to the queue would lose one. */
function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const next = work.then(task, task)
  work = next
  return next
}

export function queueMarks(ids: readonly number[], marks: Marks, query: MarkQuery = {}): Promise<void> {
  return inTurn(async () => {
    const entries = (await load<Entry[]>(KEY)) ?? []
    await save(KEY, [...entries, { ids: [...ids], marks, query }])
    isPending = true
  })
}

/** Sends the queue; returns how many items it changed. */
export function sendQueue(): Promise<number> {
  return inTurn(async () => {
    let sent = 0
    let entries = (await load<Entry[]>(KEY)) ?? []
    for (let entry = entries[0]; entry !== undefined; entry = entries[0]) {
      try {
        await api.patch<BulkMarked>('/annotations', { ids: entry.ids, ...entry.marks }, entry.query ?? {})
        sent += entry.ids.length
      } catch (error) {
        if (isTemporary(error)) return sent
      }
      entries = entries.slice(1)
      await save(KEY, entries)
    }
    isPending = false
    return sent
  })
}

/** Offline, signed out, rate limited, or a server error. */
function isTemporary(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.status === 0 || [401, 408, 429].includes(error.status) || error.status >= 500)
  )
}
