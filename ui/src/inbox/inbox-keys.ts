import type { RefObject } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { Annotation, Marks } from '../api/types.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { diffHref, openOriginal } from './document-links.ts'
import type { Selection } from './selection.ts'

type Deps = {
  items: readonly Annotation[]
  openId: number | null
  currentId: number | null
  selection: Selection
  step: (by: 1 | -1) => Annotation | undefined
  open: (id: number) => void
  close: () => void
  markChosen: (marks: Marks) => void
  mark: (ids: readonly number[], marks: Marks) => void
  refresh: () => void
  searchBox: RefObject<HTMLInputElement | null>
}

export function useInboxKeys(deps: Deps): void {
  const { items, openId, currentId, selection, step, open, close, markChosen, mark, refresh, searchBox } = deps
  const current = items.find(({ id }) => id === (openId ?? currentId))
  const chosen = items.filter(({ id }) => selection.allMatching || selection.ids.has(id))
  const meant = chosen.length > 0 ? chosen : current === undefined ? [] : [current]
  /** A mark is set as long as one of them is without it, else it is taken away. */
  const isToSet = (mark: 'read' | 'starred' | 'archived') => meant.length === 0 || meant.some((item) => !item[mark])
  const withCurrent = (run: (item: Annotation) => void) => () => {
    if (current !== undefined) run(current)
  }
  const move = (by: 1 | -1) => () => {
    const next = step(by)
    // Whoever moves by the keys and then by Tab goes on from there.
    if (next !== undefined) requestAnimationFrame(() => document.getElementById(`inbox-item-${next.id}`)?.focus())
  }
  useShortcuts('Inbox', [
    { keys: ['j', 'ArrowDown'], label: 'Next item', run: move(1) },
    { keys: ['k', 'ArrowUp'], label: 'Previous item', run: move(-1) },
    { keys: ['o', 'Enter'], label: 'Open', run: withCurrent(({ id }) => open(id)) },
    { keys: 'v', label: 'Open the original', run: withCurrent(({ url }) => openOriginal(url)) },
    { keys: 'd', label: 'Show what changed', run: withCurrent((item) => navigate(diffHref(item))) },
    { keys: 'm', label: 'Read or unread', run: () => markChosen({ read: isToSet('read') }) },
    { keys: 's', label: 'Star', run: () => markChosen({ starred: isToSet('starred') }) },
    { keys: 'e', label: 'Archive', run: () => markChosen({ archived: isToSet('archived') }) },
    { keys: 'x', label: 'Select', run: withCurrent(({ id }) => selection.toggle(id)) },
    { keys: '* a', label: 'Select all on the page', run: () => selection.choose(items.map(({ id }) => id)) },
    { keys: '* n', label: 'Select none', run: selection.clear },
    {
      keys: 'A',
      label: 'Mark all on the page as read',
      run: () =>
        mark(
          items.map(({ id }) => id),
          { read: true },
        ),
    },
    { keys: 'R', label: 'Refresh', run: refresh },
    { keys: '/', label: 'Search the inbox', run: () => searchBox.current?.focus() },
    {
      keys: 'Escape',
      label: 'Back to the list',
      run: () => (selection.ids.size > 0 ? selection.clear() : openId !== null ? close() : undefined),
    },
  ])
}
