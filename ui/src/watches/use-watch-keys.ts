import type { Source } from '../api/types.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import type { Selection } from '../kit/selection.ts'
import { type Cursor, type Target, targetOf } from './selection.ts'
import { strings } from './strings.ts'
import type { WatchActions } from './use-watch-actions.ts'

type Deps = {
  cursor: Cursor
  selection: Selection
  matching: number
  actions: WatchActions
  openId: number | null
  onOpen: (id: number | null) => void
  onRemove: (target: Target) => void
  onSelectLoaded: (on: boolean) => void
  onAdd: () => void
  onRefresh: () => void
}

export function useWatchKeys(deps: Deps): void {
  const { cursor, selection, matching, actions, openId, onOpen } = deps
  const row = cursor.current
  const text = strings.keys

  /** The selected rows, or the one under the cursor. */
  function withTarget(run: (target: Target) => void) {
    if (!selection.isEmpty) run(targetOf(selection, matching))
    else if (row !== undefined) run({ kind: 'ids', ids: [row.id] })
  }
  function move(step: number) {
    const next = cursor.move(step)
    if (openId !== null && next !== undefined) onOpen(next.id)
  }
  const toggle = (name: 'paused' | 'muted') => {
    const isOn = (source: Source | undefined) => selection.isEmpty && source?.[name] === true
    withTarget((target) => actions.mark(target, name, !isOn(row)))
  }
  const canLeave = openId !== null || !selection.isEmpty

  useShortcuts(strings.title, [
    { keys: ['j', 'ArrowDown'], label: text.next, run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: text.previous, run: () => move(-1) },
    { keys: ['Enter', 'o'], label: text.open, run: () => row !== undefined && onOpen(row.id) },
    { keys: 'x', label: text.select, run: () => row !== undefined && selection.toggle(row.id) },
    { keys: '* a', label: strings.table.selectLoaded, run: () => deps.onSelectLoaded(true) },
    { keys: '* n', label: strings.bulk.selectNone, run: selection.clear },
    { keys: 'c', label: strings.check, run: () => withTarget(actions.check) },
    { keys: 'p', label: text.pause, run: () => toggle('paused') },
    { keys: 'm', label: text.mute, run: () => toggle('muted') },
    { keys: '#', label: text.remove, run: () => withTarget(deps.onRemove) },
    { keys: 'a', label: text.add, run: deps.onAdd },
    { keys: 'R', label: text.refresh, run: deps.onRefresh },
    ...(canLeave
      ? [
          {
            keys: 'Escape',
            label: text.leave,
            run: () => (openId === null ? selection.clear() : onOpen(null)),
          },
        ]
      : []),
  ])
}
