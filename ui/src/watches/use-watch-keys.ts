import type { Source } from '../api/types.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import type { Selection, Target } from './selection.ts'
import type { Cursor } from './use-cursor.ts'
import type { WatchActions } from './use-watch-actions.ts'

type Deps = {
  cursor: Cursor
  selection: Selection
  matching: number
  actions: WatchActions
  openId: number | null
  onOpen: (id: number | null) => void
  onRemove: (target: Target) => void
  onChooseLoaded: (on: boolean) => void
  onAdd: () => void
  onRefresh: () => void
}

export function useWatchKeys(deps: Deps): void {
  const { cursor, selection, matching, actions, openId, onOpen } = deps
  const row = cursor.current

  /** The chosen rows, or the one under the cursor. */
  function withTarget(run: (target: Target) => void) {
    if (!selection.isEmpty) run(selection.target(matching))
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

  useShortcuts('Watches', [
    { keys: ['j', 'ArrowDown'], label: 'Next watch', run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: 'Watch before', run: () => move(-1) },
    { keys: ['Enter', 'o'], label: 'Show what is known of it', run: () => row !== undefined && onOpen(row.id) },
    { keys: 'x', label: 'Select', run: () => row !== undefined && selection.toggle(row.id) },
    { keys: '* a', label: 'Select all that are loaded', run: () => deps.onChooseLoaded(true) },
    { keys: '* n', label: 'Select none', run: selection.clear },
    { keys: 'c', label: 'Check now', run: () => withTarget(actions.check) },
    { keys: 'p', label: 'Pause, or resume', run: () => toggle('paused') },
    { keys: 'm', label: 'Mute, or unmute', run: () => toggle('muted') },
    { keys: '#', label: 'Remove', run: () => withTarget(deps.onRemove) },
    { keys: 'a', label: 'Add a watch', run: deps.onAdd },
    { keys: 'R', label: 'Load the list anew', run: deps.onRefresh },
    ...(canLeave
      ? [
          {
            keys: 'Escape',
            label: 'Close, or select none',
            run: () => (openId === null ? selection.clear() : onOpen(null)),
          },
        ]
      : []),
  ])
}
