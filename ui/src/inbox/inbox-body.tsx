import { type RefObject, useCallback, useState } from 'react'
import type { Annotation } from '../api/types.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { setQuery } from '../url/query-state.ts'
import type { InboxFilters } from './inbox-filters.ts'
import { InboxList } from './inbox-list.tsx'
import type { RowActions } from './inbox-row.tsx'
import type { Selection } from './selection.tsx'
import { strings } from './strings.ts'
import type { useInboxList } from './use-inbox-list.ts'

type Props = {
  list: ReturnType<typeof useInboxList>['list']
  items: readonly Annotation[]
  filters: InboxFilters
  fellBack: boolean
  isSaved: boolean
  openId: number | null
  currentId: number | null
  selection: Selection
  actions: RowActions
  scroller: RefObject<HTMLDivElement | null>
}

/** The scroll position of each list, to return to after viewing a document. */
const positions = new Map<string, number>()

export function InboxBody(props: Props) {
  const { list, items, filters, fellBack, isSaved, scroller } = props
  const listKey = JSON.stringify(filters)
  // The rows need the scroll element, which exists only after the first render.
  const [frame, setFrame] = useState<HTMLDivElement | null>(null)
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      scroller.current = element
      setFrame(element)
    },
    [scroller],
  )
  return (
    <div className="inbox-frame">
      <div
        ref={attach}
        className="inbox-scroll"
        onScroll={({ currentTarget }) => positions.set(listKey, currentTarget.scrollTop)}
      >
        {fellBack && items.length > 0 && <p className="soft small inbox-note">{strings.allRead}</p>}
        {isSaved && (
          <p className="soft small inbox-note">
            <Icon name="offline" size={16} /> {strings.offline}
          </p>
        )}
        {list.isError && items.length === 0 ? (
          <ErrorState title={strings.loadFailed} query={list} />
        ) : list.isPending || (items.length === 0 && list.hasNextPage) ? (
          <LoadingState label={strings.loading} lines={12} />
        ) : items.length === 0 ? (
          <Nothing filters={filters} />
        ) : frame === null ? null : (
          <InboxList
            key={listKey}
            items={items}
            openId={props.openId}
            currentId={props.currentId}
            selection={props.selection}
            actions={props.actions}
            scroller={frame}
            hasMore={list.hasNextPage}
            loadMore={() => {
              if (!list.isFetchingNextPage) void list.fetchNextPage()
            }}
            startAt={positions.get(listKey) ?? 0}
          />
        )}
      </div>
    </div>
  )
}

function Nothing({ filters: { state, profile, urgency, q } }: { filters: InboxFilters }) {
  const texts = strings.empty
  if (q !== '' || profile !== '' || urgency !== '') {
    const clear = (
      <Button
        label={texts.clearFilters}
        icon="close"
        onClick={() => setQuery({ q: null, profile: null, urgency: null })}
      />
    )
    return <EmptyState icon="search" title={texts.filtered} actions={clear} advice={texts.filteredAdvice} />
  }
  if (state === 'starred') return <EmptyState icon="star" title={texts.starred} advice={texts.starredAdvice} />
  if (state === 'archived') return <EmptyState icon="archive" title={texts.archived} advice={texts.archivedAdvice} />
  if (state === 'unread') {
    const showAll = <Button label={texts.showAll} onClick={() => setQuery({ state: 'all' })} />
    return <EmptyState icon="check" title={texts.unread} actions={showAll} advice={texts.unreadAdvice} />
  }
  return (
    <EmptyState
      title={texts.nothing}
      actions={
        <>
          <ButtonLink label={texts.watch} variant="primary" icon="plus" href="/welcome" />
          <ButtonLink label={texts.watches} href="/watches" />
        </>
      }
      advice={texts.nothingAdvice}
    />
  )
}
