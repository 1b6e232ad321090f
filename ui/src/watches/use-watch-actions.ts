import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, messageOf } from '../api/client.ts'
import type { BulkSourceMarks, BulkSourcesDone } from '../api/types.ts'
import { showToast } from '../kit/toast-store.ts'
import { didWithUndo } from '../undo/undo.ts'
import { countWatches } from './count-words.ts'
import type { Target } from './selection.ts'
import { queryOf, type WatchFilter } from './watch-filter.ts'
import { dropRows, refreshRows } from './watch-rows.ts'

type Mark = 'paused' | 'muted'
type Deps = { filter: WatchFilter; refreshCounts: () => Promise<void> }

/** A watch is planned a moment after it was resumed: until then nothing can say when it is checked. */
const PLANNED_MS = 2000

const done: Record<Mark, [on: string, off: string]> = { paused: ['paused', 'resumed'], muted: ['muted', 'unmuted'] }

/** What can be done to watches. Pausing and muting can be taken back; removing is confirmed before it comes here. */
export function useWatchActions({ filter, refreshCounts }: Deps) {
  const client = useQueryClient()
  return useMemo(() => {
    const bodyOf = (target: Target) => (target.kind === 'all' ? {} : { ids: [...target.ids] })
    const queryFor = (target: Target) => (target.kind === 'all' ? queryOf(filter) : {})

    async function settle(ids: readonly number[]) {
      await Promise.all([refreshRows(client, ids), refreshCounts()])
    }

    async function put(target: Target, name: Mark, on: boolean): Promise<number[]> {
      const body: BulkSourceMarks = { [name]: on, ...bodyOf(target) }
      const { ids } = await api.patch<BulkSourcesDone>('/sources', body, queryFor(target))
      await settle(ids)
      // Where it can not be read again, the next visit brings it up to date.
      if (name === 'paused' && !on) setTimeout(() => void settle(ids).catch(() => undefined), PLANNED_MS)
      return ids
    }

    async function mark(target: Target, name: Mark, on: boolean) {
      const ids = await put(target, name, on)
      const word = done[name][on ? 0 : 1]
      if (ids.length === 0) showToast(`Nothing to do: already ${word}.`)
      else
        didWithUndo(`${countWatches(ids.length)} ${word}`, async () => {
          await put({ kind: 'ids', ids }, name, !on)
        })
    }

    async function check(target: Target) {
      const { changed, ids } = await api.post<BulkSourcesDone>('/sources/check', bodyOf(target), queryFor(target))
      showToast(
        changed === 0
          ? 'Nothing to check: paused, or under way already.'
          : `${countWatches(changed)} will be checked next.`,
      )
      await settle(ids)
    }

    async function remove(target: Target): Promise<number> {
      const { changed, ids } = await api.delete<BulkSourcesDone>('/sources', bodyOf(target), queryFor(target))
      dropRows(client, ids)
      showToast(`${countWatches(changed)} removed.`)
      // What is being loaded just now may bring back what is gone.
      for (const name of ['watches', 'profiles']) void client.invalidateQueries({ queryKey: [name] })
      await settle([])
      return changed
    }

    /** Faults are told by a toast: the row says the rest. */
    const told =
      <Args extends unknown[]>(run: (...args: Args) => Promise<unknown>) =>
      (...args: Args) =>
        void run(...args).catch((error: unknown) => showToast(messageOf(error), { tone: 'bad' }))

    return { mark: told(mark), check: told(check), remove }
  }, [client, filter, refreshCounts])
}
export type WatchActions = ReturnType<typeof useWatchActions>
