import type { RefObject } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { Annotation, Marks } from '../api/types.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import type { Selection } from '../kit/selection.ts'
import { diffHref, openOriginal } from './document-links.ts'
import { strings } from './strings.ts'

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

/** After the next render, so that a row that is only now shown gets it. */
export function focusRow(id: number, options?: FocusOptions): void {
  requestAnimationFrame(() => document.getElementById(`inbox-item-${id}`)?.focus(options))
}

export function useInboxKeys(deps: Deps): void {
  const { items, openId, currentId, selection, step, open, close, markChosen, mark, refresh, searchBox } = deps
  const ids = items.map(({ id }) => id)
  const current = items.find(({ id }) => id === (openId ?? currentId))
  const chosen = items.filter(({ id }) => selection.has(id))
  const targets = chosen.length > 0 ? chosen : current === undefined ? [] : [current]
  /** The key sets a mark if any of the targets lacks it, else removes it. */
  const isUnset = (mark: 'read' | 'starred' | 'archived') => targets.length === 0 || targets.some((item) => !item[mark])
  const withCurrent = (run: (item: Annotation) => void) => () => {
    if (current !== undefined) run(current)
  }
  const move = (by: 1 | -1) => () => {
    const next = step(by)
    // Focus the row, so that Tab continues from it.
    if (next !== undefined) focusRow(next.id)
  }
  const labels = strings.keys
  useShortcuts(labels.group, [
    { keys: ['j', 'ArrowDown'], label: labels.next, run: move(1) },
    { keys: ['k', 'ArrowUp'], label: labels.previous, run: move(-1) },
    { keys: ['o', 'Enter'], label: labels.open, run: withCurrent(({ id }) => open(id)) },
    { keys: 'v', label: labels.original, run: withCurrent(({ link, url }) => openOriginal(link ?? url)) },
    { keys: 'd', label: labels.diff, run: withCurrent((item) => navigate(diffHref(item))) },
    { keys: 'm', label: labels.read, run: () => markChosen({ read: isUnset('read') }) },
    { keys: 's', label: labels.star, run: () => markChosen({ starred: isUnset('starred') }) },
    { keys: 'e', label: labels.archive, run: () => markChosen({ archived: isUnset('archived') }) },
    { keys: 'x', label: labels.select, run: withCurrent(({ id }) => selection.toggle(id)) },
    { keys: '* a', label: labels.selectAll, run: () => selection.put(ids) },
    { keys: '* n', label: labels.selectNone, run: selection.clear },
    { keys: 'A', label: labels.allRead, run: () => mark(ids, { read: true }) },
    { keys: 'R', label: strings.actions.refresh, run: refresh },
    { keys: '/', label: labels.search, run: () => searchBox.current?.focus() },
    {
      keys: 'Escape',
      label: strings.actions.back,
      run: () => (!selection.isEmpty ? selection.clear() : openId !== null ? close() : undefined),
    },
  ])
}
