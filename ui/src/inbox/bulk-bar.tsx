import type { Marks } from '../api/types.ts'
import { Button, IconButton } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import type { Selection } from '../kit/selection.ts'
import type { InboxState } from './inbox-filters.ts'
import { strings } from './strings.ts'

type Props = {
  selection: Selection
  state: InboxState
  loaded: number
  /** How many items match; null when only the server knows. */
  matching: number | null
  hasMore: boolean
  onMark: (marks: Marks) => void
}

export function BulkBar({ selection, state, loaded, matching, hasMore, onMark }: Props) {
  const { ids, isAll, isEmpty, allMatching, clear } = selection
  if (isEmpty) return null
  const isArchive = state === 'archived'
  const mayChooseAll = !isAll && hasMore && ids.size >= loaded
  return (
    <div
      className={classNames('inbox-bulk', mayChooseAll && 'inbox-bulk-tall')}
      role="toolbar"
      aria-label={strings.selection.label}
    >
      <IconButton icon="close" label={strings.selection.clear} shortcut="* n" tip="start" onClick={clear} />
      <span className="small inbox-bulk-count" role="status">
        {isAll ? strings.selection.all(matching) : strings.selection.count(ids.size)}
      </span>
      <span className="inbox-bulk-actions">
        <IconButton icon="read" label={strings.actions.read} onClick={() => onMark({ read: true })} />
        <IconButton icon="unread" label={strings.actions.unread} onClick={() => onMark({ read: false })} />
        <IconButton icon="star" label={strings.actions.star} shortcut="s" onClick={() => onMark({ starred: true })} />
        <IconButton
          icon={isArchive ? 'unarchive' : 'archive'}
          label={isArchive ? strings.actions.unarchive : strings.actions.archive}
          shortcut="e"
          tip="end"
          onClick={() => onMark({ archived: !isArchive })}
        />
      </span>
      {mayChooseAll && (
        <Button
          label={strings.selection.selectAll(matching)}
          className="inbox-bulk-all"
          small
          variant="quiet"
          onClick={allMatching}
        />
      )}
    </div>
  )
}
