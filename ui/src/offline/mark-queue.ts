import { ApiError, api } from '../api/client.ts'
import type { BulkMarked, Marks } from '../api/types.ts'
import { keep, kept } from './kept.ts'

/**
 * What was marked without a connection waits here, in order, over reloads too. An entry that the server refuses is given up, for it
 * would be refused again; one that it could take at another time stays.
 */
type Entry = { ids: number[]; marks: Marks }

const KEY = 'mark-queue'
let work: Promise<unknown> = Promise.resolve()
let isOwed = false

/** Whether something is still to be sent: what is marked from now on must not overtake it. */
export const isWaiting = (): boolean => isOwed

void inTurn(async () => {
  isOwed = ((await kept<Entry[]>(KEY)) ?? []).length > 0
})

/** One after the other: two changes of the queue at once would lose one. */
function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const next = work.then(task, task)
  work = next
  return next
}

export function queueMarks(ids: readonly number[], marks: Marks): Promise<void> {
  return inTurn(async () => {
    const entries = (await kept<Entry[]>(KEY)) ?? []
    await keep(KEY, [...entries, { ids: [...ids], marks }])
    isOwed = true
  })
}

/** Sends what waits; returns how many items were changed by it. */
export function sendQueue(): Promise<number> {
  return inTurn(async () => {
    let sent = 0
    let entries = (await kept<Entry[]>(KEY)) ?? []
    for (let entry = entries[0]; entry !== undefined; entry = entries[0]) {
      try {
        await api.patch<BulkMarked>('/annotations', { ids: entry.ids, ...entry.marks })
        sent += entry.ids.length
      } catch (error) {
        if (isForLater(error)) return sent
      }
      entries = entries.slice(1)
      await keep(KEY, entries)
    }
    isOwed = false
    return sent
  })
}

/** No connection, no session any more, too many requests, or a server that is not well. */
function isForLater(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.status === 0 || [401, 408, 429].includes(error.status) || error.status >= 500)
  )
}
