import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, isOffline, messageOf } from '../api/client.ts'
import type { Annotation, BulkMarked, Marks } from '../api/types.ts'
import { showToast } from '../kit/toast.tsx'
import { isWaiting, type MarkQuery, queueMarks } from '../offline/mark-queue.ts'
import { saveItems } from '../offline/storage.ts'
import { didWithUndo } from '../undo/undo.ts'
import { countMarks, dropOtherLists, findItem, patchItems } from './inbox-cache.ts'
import type { InboxFilters } from './inbox-filters.ts'
import { strings } from './strings.ts'

const MAX_IDS = 10_000
const MAX_REQUESTS = 200

type Mark = 'read' | 'starred' | 'archived'

function messageFor(count: number, marks: Marks): string {
  const [mark, isOn] = Object.entries(marks)[0] as [Mark, boolean]
  return strings.marked(count, mark, isOn)
}

function opposite(marks: Marks): Marks {
  return Object.fromEntries(Object.entries(marks).map(([name, on]) => [name, !on]))
}

/**
 * A row represents all changes of its page that existed when it was shown: they are marked as read and archived together. Marking it as
 * unread or starred affects only its newest change.
 */
function queryOf(marks: Marks, rows: readonly Annotation[]): MarkQuery {
  if (marks.starred === true || marks.read === false) return {}
  if (marks.starred === false) return { group: 'page', state: 'starred' }
  return { group: 'page', state: rows[0]?.archived === true ? 'archived' : 'all' }
}

/** Returns the ids of all changes that were marked. */
async function send(ids: readonly number[], marks: Marks, query: MarkQuery): Promise<number[]> {
  const changed: number[] = []
  for (let at = 0; at < ids.length; at += MAX_IDS) {
    const body = { ids: ids.slice(at, at + MAX_IDS), ...marks }
    for (let request = 0; request < MAX_REQUESTS; request++) {
      const done = await api.patch<BulkMarked>('/annotations', body, query)
      changed.push(...done.ids)
      if (!done.more) break
    }
  }
  return changed
}

/** Null if it can't be sent now. */
async function sent(ids: readonly number[], marks: Marks, query: MarkQuery): Promise<number[] | null> {
  if (!navigator.onLine || isWaiting()) return null
  try {
    return await send(ids, marks, query)
  } catch (error) {
    if (isOffline(error)) return null
    throw error
  }
}

/**
 * Shows the marks at once, then sends them; offline, the request waits in the queue. `ids` are rows; `changes` are the ids of the changes
 * to mark, if known. Returns the ids of the marked changes.
 */
async function apply(
  client: QueryClient,
  ids: readonly number[],
  marks: Marks,
  changes?: readonly number[],
): Promise<readonly number[]> {
  const before = ids.map((id) => findItem(client, id)).filter((item): item is Annotation => item !== undefined)
  const query = changes === undefined ? queryOf(marks, before) : {}
  const targets = changes ?? ids
  patchItems(client, new Set(ids), (item) => ({ ...item, ...marks }))
  countMarks(client, before, marks)
  let marked: number[] | null
  try {
    marked = await sent(targets, marks, query)
    if (marked === null) await queueMarks(targets, marks, query)
    else void client.invalidateQueries({ queryKey: ['counts'] })
  } catch (error) {
    const old = new Map(before.map((item) => [item.id, item]))
    patchItems(client, new Set(old.keys()), (item) => ({ ...item, ...marksOf(old.get(item.id)) }))
    void client.invalidateQueries({ queryKey: ['counts'] })
    throw error
  }
  dropOtherLists(client)
  void saveItems(before.map((item) => ({ ...item, ...marks })))
  return marked ?? targets
}

function marksOf(item: Annotation | undefined): Marks {
  return item === undefined ? {} : { read: item.read, starred: item.starred, archived: item.archived }
}

/** Marks everything that matches the filters, in as many requests as the server needs; returns the ids that changed. */
async function applyToMatching(client: QueryClient, filters: InboxFilters, upTo: number, marks: Marks) {
  const ids: number[] = []
  for (let request = 0; request < MAX_REQUESTS; request++) {
    const done = await api.patch<BulkMarked>('/annotations', marks, { ...filters, upTo })
    ids.push(...done.ids)
    if (!done.more || done.changed === 0) break
  }
  patchItems(client, new Set(ids), (item) => ({ ...item, ...marks }))
  dropOtherLists(client)
  void client.invalidateQueries({ queryKey: ['counts'] })
  return ids
}

type InboxMarks = {
  /** Shows a toast that offers undo. */
  mark: (ids: readonly number[], marks: Marks) => void
  /** Opening an item marks it as read, without a toast. */
  markOpened: (id: number) => void
  /** `rows`: the number of matching rows; null if unknown. */
  markMatching: (filters: InboxFilters, upTo: number, marks: Marks, rows: number | null) => void
}

export function useMarks(): InboxMarks {
  const client = useQueryClient()
  return useMemo(() => {
    const failed = (error: unknown) => showToast(strings.failed(messageOf(error)), { tone: 'danger' })
    // Undo only what this changed: items read before stay read.
    const confirm = (ids: readonly number[], marks: Marks, doing: Promise<readonly number[]>) =>
      didWithUndo(messageFor(ids.length, marks), async () => {
        await apply(client, ids, opposite(marks), await doing)
      })
    return {
      mark(ids, marks) {
        const [name, on] = Object.entries(marks)[0] as [Mark, boolean]
        const different = ids.filter((id) => findItem(client, id)?.[name] !== on)
        if (different.length === 0) return
        const doing = apply(client, different, marks)
        const confirmed = () => confirm(different, marks, doing)
        // Offline, confirm only once it is stored, so that leaving right away loses nothing.
        if (!navigator.onLine) return void doing.then(confirmed, failed)
        confirmed()
        doing.catch(failed)
      },
      markOpened(id) {
        if (findItem(client, id)?.read === false) apply(client, [id], { read: true }).catch(failed)
      },
      markMatching(filters, upTo, marks, rows) {
        const done = (ids: readonly number[]) =>
          didWithUndo(messageFor(rows ?? ids.length, marks), async () => {
            await apply(client, [], opposite(marks), ids)
            // Items beyond the loaded pages changed back: refetch the whole list.
            await client.resetQueries({ queryKey: ['annotations'] })
          })
        applyToMatching(client, filters, upTo, marks).then(done, failed)
      },
    }
  }, [client])
}
