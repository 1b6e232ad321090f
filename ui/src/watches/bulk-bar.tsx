import { Button } from '../kit/button.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { countWatches } from './count-words.ts'
import type { Selection, Target } from './selection.ts'
import type { WatchActions } from './use-watch-actions.ts'

type Props = {
  selection: Selection
  matching: number
  actions: WatchActions
  onRemove: (target: Target) => void
}

/** Stays in sight while rows are chosen. */
export function BulkBar({ selection, matching, actions, onRemove }: Props) {
  const target = selection.target(matching)
  const count = selection.isAll ? matching : selection.count
  return (
    <section className="watches-bulk" aria-label="Selected watches">
      <p className="watches-bulk-count" role="status">
        <strong>{countWatches(count)}</strong> selected
        {!selection.isAll && count < matching && (
          <Button small look="quiet" onClick={selection.allMatching}>
            Select all {matching.toLocaleString('en')} matching
          </Button>
        )}
      </p>
      <div className="watches-bulk-actions">
        <Button small icon="refresh" onClick={() => actions.check(target)}>
          Check now
        </Button>
        <Button small icon="pause" onClick={() => actions.mark(target, 'paused', true)}>
          Pause
        </Button>
        <Button small icon="play" onClick={() => actions.mark(target, 'paused', false)}>
          Resume
        </Button>
        <Button small icon="mute" onClick={() => actions.mark(target, 'muted', true)}>
          Mute
        </Button>
        <Button small icon="unmute" onClick={() => actions.mark(target, 'muted', false)}>
          Unmute
        </Button>
        <Button small look="danger" icon="trash" onClick={() => onRemove(target)}>
          Remove…
        </Button>
        <IconButton icon="close" label="Select none" shortcut="Esc" tip="end" onClick={selection.clear} />
      </div>
    </section>
  )
}
