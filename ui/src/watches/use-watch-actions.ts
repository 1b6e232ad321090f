import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { api } from '../api/client.ts'
import type { BulkSourceMarks, BulkSourcesDone, Source } from '../api/types.ts'
import type { MenuItem } from '../kit/menu.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { didWithUndo } from '../undo/undo.ts'
import type { Target } from './selection.ts'
import { strings } from './strings.ts'
import type { WatchFilter } from './watch-filter.ts'
import { dropRows, refreshRows } from './watch-rows.ts'
import { partHref } from './watch-state.tsx'

type Mark = 'paused' | 'muted'
type Deps = { filter: WatchFilter; refreshCounts: () => Promise<void> }

/** A resumed watch is scheduled a moment later; only then is the time of its next check known. */
const SCHEDULED_MS = 2000

const text = strings.result

/** Pausing and muting can be undone; removal is confirmed before it gets here. */
export function useWatchActions({ filter, refreshCounts }: Deps) {
  const client = useQueryClient()
  return useMemo(() => {
    const bodyOf = (target: Target) => (target.kind === 'all' ? {} : { ids: [...target.ids] })
    const queryFor = (target: Target) => (target.kind === 'all' ? filter : {})

    async function refresh(ids: readonly number[]) {
      await Promise.all([refreshRows(client, ids), refreshCounts()])
    }

    async function put(target: Target, name: Mark, on: boolean): Promise<number[]> {
      const body: BulkSourceMarks = { [name]: on, ...bodyOf(target) }
      const { ids } = await api.patch<BulkSourcesDone>('/sources', body, queryFor(target))
      await refresh(ids)
      // If the read fails, the next visit brings the row up to date.
      if (name === 'paused' && !on) setTimeout(() => void refresh(ids).catch(() => undefined), SCHEDULED_MS)
      return ids
    }

    async function mark(target: Target, name: Mark, on: boolean) {
      const ids = await put(target, name, on)
      const word = text[name][on ? 0 : 1]!
      if (ids.length === 0) showToast(text.nothingToMark(word))
      else
        didWithUndo(text.marked(ids.length, word), async () => {
          await put({ kind: 'ids', ids }, name, !on)
        })
    }

    async function check(target: Target) {
      const { changed, ids } = await api.post<BulkSourcesDone>('/sources/check', bodyOf(target), queryFor(target))
      showToast(changed === 0 ? text.nothingToCheck : text.checking(changed))
      await refresh(ids)
    }

    async function remove(target: Target): Promise<number> {
      const { changed, ids } = await api.delete<BulkSourcesDone>('/sources', bodyOf(target), queryFor(target))
      dropRows(client, ids)
      showToast(text.removed(changed))
      // A load in progress may bring removed rows back.
      for (const name of ['watches', 'profiles']) void client.invalidateQueries({ queryKey: [name] })
      await refresh([])
      return changed
    }

    /** Shows errors in a toast; success is visible in the row. */
    const reporting =
      <Args extends unknown[]>(run: (...args: Args) => Promise<unknown>) =>
      (...args: Args) =>
        void run(...args).catch(showError)

    return { mark: reporting(mark), check: reporting(check), remove }
  }, [client, filter, refreshCounts])
}
export type WatchActions = ReturnType<typeof useWatchActions>

type MenuDeps = { actions: WatchActions; onOpen: (id: number) => void; onRemove: (source: Source) => void }

export function watchMenu(source: Source, { actions, onOpen, onRemove }: MenuDeps): MenuItem[] {
  const { id, paused, muted, document, profile } = source
  const target = { kind: 'ids' as const, ids: [id] }
  const profileId = encodeURIComponent(profile.id)
  return [
    { label: strings.menu.details, icon: 'info', shortcut: 'Enter', run: () => onOpen(id) },
    { label: strings.check, icon: 'refresh', shortcut: 'c', disabled: paused, run: () => actions.check(target) },
    paused
      ? { label: strings.menu.resume, icon: 'play', shortcut: 'p', run: () => actions.mark(target, 'paused', false) }
      : { label: strings.menu.pause, icon: 'pause', shortcut: 'p', run: () => actions.mark(target, 'paused', true) },
    muted
      ? {
          label: strings.menu.unmute,
          icon: 'unmute',
          shortcut: 'm',
          run: () => actions.mark(target, 'muted', false),
        }
      : {
          label: strings.menu.mute,
          icon: 'mute',
          shortcut: 'm',
          run: () => actions.mark(target, 'muted', true),
        },
    {
      label: strings.openDocument,
      icon: 'cached',
      disabled: document === null,
      run: () => navigate(`/documents/${document}`),
    },
    {
      label: strings.onlyPart,
      icon: 'filter',
      disabled: document === null,
      run: () => document !== null && navigate(partHref(source, document)),
    },
    { label: strings.menu.inbox, icon: 'inbox', run: () => navigate(`/inbox?state=all&profile=${profileId}`) },
    { label: strings.editProfile, icon: 'edit', run: () => navigate(`/profiles/${profileId}`) },
    { label: strings.remove, icon: 'trash', shortcut: '#', danger: true, run: () => onRemove(source) },
  ]
}
