import { type RefObject, useCallback, useState } from 'react'
import type { Annotation } from '../api/types.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { setQuery } from '../url/query-state.ts'
import type { InboxFilters } from './inbox-filters.ts'
import { InboxList } from './inbox-list.tsx'
import type { RowActions } from './inbox-row.tsx'
import type { Selection } from './selection.ts'
import type { useInboxList } from './use-inbox-list.ts'

type Props = {
  list: ReturnType<typeof useInboxList>['list']
  items: readonly Annotation[]
  filters: InboxFilters
  fellBack: boolean
  isKept: boolean
  openId: number | null
  currentId: number | null
  selection: Selection
  actions: RowActions
  scroller: RefObject<HTMLDivElement | null>
}

/** Where each list stood, to come back to after a look at a document. */
const positions = new Map<string, number>()

export function InboxBody(props: Props) {
  const { list, items, filters, fellBack, isKept, scroller } = props
  const place = JSON.stringify(filters)
  // The rows need the frame itself, which is there only after the first round.
  const [frame, setFrame] = useState<HTMLDivElement | null>(null)
  const hold = useCallback(
    (element: HTMLDivElement | null) => {
      scroller.current = element
      setFrame(element)
    },
    [scroller],
  )
  return (
    <div className="inbox-frame">
      <div
        ref={hold}
        className="inbox-scroll"
        onScroll={({ currentTarget }) => positions.set(place, currentTarget.scrollTop)}
      >
        {fellBack && items.length > 0 && <p className="inbox-note">Nothing is unread. Everything is shown.</p>}
        {isKept && (
          <p className="inbox-note">
            <Icon name="offline" size={16} /> No connection: the last items that were kept.
          </p>
        )}
        {list.isError && items.length === 0 ? (
          <ErrorState title="The inbox could not be loaded" error={list.error} onRetry={() => void list.refetch()} />
        ) : list.isPending || (items.length === 0 && list.hasNextPage) ? (
          <LoadingState label="Loading the inbox" lines={12} />
        ) : items.length === 0 ? (
          <NothingHere filters={filters} />
        ) : frame === null ? null : (
          <InboxList
            key={place}
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
            startAt={positions.get(place) ?? 0}
          />
        )}
      </div>
    </div>
  )
}

function NothingHere({ filters }: { filters: InboxFilters }) {
  const { state, profile, urgency, q } = filters
  if (q !== '' || profile !== '' || urgency !== '') {
    return (
      <EmptyState
        icon="search"
        title="Nothing matches"
        actions={
          <Button icon="close" onClick={() => setQuery({ q: null, profile: null, urgency: null })}>
            Clear the filters
          </Button>
        }
      >
        Try other words, another profile, or look among all items.
      </EmptyState>
    )
  }
  if (state === 'starred') {
    return (
      <EmptyState icon="star" title="No stars yet">
        Star an item to keep it at hand here.
      </EmptyState>
    )
  }
  if (state === 'archived') {
    return (
      <EmptyState icon="archive" title="The archive is empty">
        Archive an item that is done with; it is found here again.
      </EmptyState>
    )
  }
  if (state === 'unread') {
    return (
      <EmptyState
        icon="check"
        title="All read"
        actions={<Button onClick={() => setQuery({ state: 'all' })}>Show everything</Button>}
      >
        You are up to date. What arrives comes in here by itself.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="Nothing has arrived yet"
      actions={
        <>
          <ButtonLink look="primary" icon="plus" href="/welcome">
            Watch something
          </ButtonLink>
          <ButtonLink href="/watches">See the watches</ButtonLink>
        </>
      }
    >
      As soon as a page that you watch changes, it is told here.
    </EmptyState>
  )
}
