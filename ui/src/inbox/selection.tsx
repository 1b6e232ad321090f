import { useCallback, useMemo, useState } from 'react'
import type { Marks } from '../api/types.ts'
import { Button, IconButton } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import type { InboxState } from './inbox-filters.ts'
import { strings } from './strings.ts'

/** The selected ids; `allMatching` means everything that matches the filters, loaded or not. */
export type Selection = {
  ids: ReadonlySet<number>
  allMatching: boolean
  toggle: (id: number) => void
  choose: (ids: readonly number[]) => void
  chooseMatching: () => void
  clear: () => void
}

const nothing = { ids: new Set<number>() as ReadonlySet<number>, allMatching: false }

export function useSelection(): Selection {
  const [chosen, setChosen] = useState(nothing)
  const toggle = useCallback((id: number) => {
    setChosen(({ ids }) => {
      const next = new Set(ids)
      if (!next.delete(id)) next.add(id)
      return { ids: next, allMatching: false }
    })
  }, [])
  const choose = useCallback((ids: readonly number[]) => setChosen({ ids: new Set(ids), allMatching: false }), [])
  const chooseMatching = useCallback(() => setChosen(({ ids }) => ({ ids, allMatching: true })), [])
  const clear = useCallback(() => setChosen(nothing), [])
  return useMemo(
    () => ({ ...chosen, toggle, choose, chooseMatching, clear }),
    [chosen, toggle, choose, chooseMatching, clear],
  )
}

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
  const { ids, allMatching, chooseMatching, clear } = selection
  if (ids.size === 0 && !allMatching) return null
  const isArchive = state === 'archived'
  const mayChooseAll = !allMatching && hasMore && ids.size >= loaded
  return (
    <div
      className={classNames('inbox-bulk', mayChooseAll && 'inbox-bulk-tall')}
      role="toolbar"
      aria-label={strings.selection.label}
    >
      <IconButton icon="close" label={strings.selection.clear} shortcut="* n" tip="start" onClick={clear} />
      <span className="small inbox-bulk-count" role="status">
        {allMatching ? strings.selection.all(matching) : strings.selection.count(ids.size)}
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
          onClick={chooseMatching}
        />
      )}
    </div>
  )
}
