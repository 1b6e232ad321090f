import type { Marks } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import { IconButton } from '../kit/icon-button.tsx'
import type { InboxState } from './inbox-filters.ts'
import type { Selection } from './selection.ts'

type Props = {
  selection: Selection
  state: InboxState
  loaded: number
  /** All that match; null when only the server knows. */
  matching: number | null
  hasMore: boolean
  onMark: (marks: Marks) => void
}

export function BulkBar({ selection, state, loaded, matching, hasMore, onMark }: Props) {
  const { ids, allMatching, chooseMatching, clear } = selection
  if (ids.size === 0 && !allMatching) return null
  const all = matching === null ? 'all matching' : `all ${matching.toLocaleString('en')} matching`
  const mayChooseAll = !allMatching && hasMore && ids.size >= loaded
  return (
    <div
      className={classNames('inbox-bulk', mayChooseAll && 'inbox-bulk-tall')}
      role="toolbar"
      aria-label="Selected items"
    >
      <IconButton icon="close" label="Select none" shortcut="* n" tip="start" onClick={clear} />
      <span className="inbox-bulk-count" role="status">
        {allMatching ? `${all.charAt(0).toUpperCase()}${all.slice(1)} selected` : `${ids.size} selected`}
      </span>
      <span className="inbox-bulk-actions">
        <IconButton icon="read" label="Mark as read" onClick={() => onMark({ read: true })} />
        <IconButton icon="unread" label="Mark as unread" onClick={() => onMark({ read: false })} />
        <IconButton icon="star" label="Star" shortcut="s" onClick={() => onMark({ starred: true })} />
        {state === 'archived' ? (
          <IconButton
            icon="unarchive"
            label="Back to the inbox"
            shortcut="e"
            tip="end"
            onClick={() => onMark({ archived: false })}
          />
        ) : (
          <IconButton
            icon="archive"
            label="Archive"
            shortcut="e"
            tip="end"
            onClick={() => onMark({ archived: true })}
          />
        )}
      </span>
      {mayChooseAll && (
        <Button className="inbox-bulk-all" small look="quiet" onClick={chooseMatching}>
          Select {all}
        </Button>
      )}
    </div>
  )
}
