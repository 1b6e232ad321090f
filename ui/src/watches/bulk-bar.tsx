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
        <strong>{countWatches(count)}</strong>
        <span className="watches-bulk-word">selected</span>
        {!selection.isAll && count < matching && (
          <Button small look="quiet" onClick={selection.allMatching}>
            Select all {matching.toLocaleString('en')} matching
          </Button>
        )}
      </p>
      <div className="watches-bulk-actions">
        <Button small title="Check now" icon="refresh" onClick={() => actions.check(target)}>
          <span className="watches-bulk-word">Check now</span>
        </Button>
        <Button small title="Pause" icon="pause" onClick={() => actions.mark(target, 'paused', true)}>
          <span className="watches-bulk-word">Pause</span>
        </Button>
        <Button small title="Resume" icon="play" onClick={() => actions.mark(target, 'paused', false)}>
          <span className="watches-bulk-word">Resume</span>
        </Button>
        <Button small title="Mute" icon="mute" onClick={() => actions.mark(target, 'muted', true)}>
          <span className="watches-bulk-word">Mute</span>
        </Button>
        <Button small title="Unmute" icon="unmute" onClick={() => actions.mark(target, 'muted', false)}>
          <span className="watches-bulk-word">Unmute</span>
        </Button>
        <Button small title="Remove…" look="danger" icon="trash" onClick={() => onRemove(target)}>
          <span className="watches-bulk-word">Remove…</span>
        </Button>
        <IconButton icon="close" label="Select none" shortcut="Esc" tip="end" onClick={selection.clear} />
      </div>
    </section>
  )
}
