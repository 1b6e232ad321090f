import './inbox-row.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { mayLoadMore } from '../api/queries.ts'
import type { Annotation } from '../api/types.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import type { Selection } from '../kit/selection.ts'
import { EmptyState, ErrorState, LoadingState, MoreFailed, Skeleton } from '../kit/states.tsx'
import { setQuery } from '../url/query-state.ts'
import type { InboxFilters } from './inbox-filters.ts'
import { InboxRow, type RowActions } from './inbox-row.tsx'
import { pageKeyOf } from './inbox-rows.ts'
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

const ROW_PX = 92
const OVERSCAN = 8

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
          <Rows key={listKey} {...props} frame={frame} startAt={positions.get(listKey) ?? 0} />
        )}
      </div>
    </div>
  )
}

type RowsProps = Props & {
  frame: HTMLDivElement
  /** The scroll position when the list was left. */
  startAt: number
}

/** Renders only the visible rows, however long the list; the next page loads near its end. */
function Rows({ list, items, openId, currentId, selection, actions, frame, startAt }: RowsProps) {
  const { hasNextPage: hasMore, fetchNextPage } = list
  const rows = useVirtualizer({
    count: items.length + (hasMore ? 1 : 0),
    getScrollElement: () => frame,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => (items[at] === undefined ? 'more' : pageKeyOf(items[at])),
    overscan: OVERSCAN,
    initialOffset: startAt,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const wantsMore = mayLoadMore(list) && last >= items.length - 1
  useEffect(() => {
    if (wantsMore) void fetchNextPage()
  }, [wantsMore, fetchNextPage])

  // The current row is scrolled into view once; then the user may scroll away from it.
  const current = currentId === null ? -1 : items.findIndex(({ id }) => id === currentId)
  const shownId = useRef(startAt > 0 ? currentId : null)
  useEffect(() => {
    if (current < 0 || shownId.current === currentId) return
    shownId.current = currentId
    rows.scrollToIndex(current, { align: 'auto' })
  }, [current, currentId, rows])

  return (
    <ul className="inbox-rows" style={{ height: rows.getTotalSize() }} aria-label={strings.items}>
      {shown.map(({ key, index, start }) => {
        const item = items[index]
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            className="inbox-slot"
            style={{ transform: `translateY(${start}px)` }}
            aria-setsize={hasMore ? -1 : items.length}
            aria-posinset={index + 1}
          >
            {item === undefined ? (
              <ComingRows list={list} />
            ) : (
              <InboxRow
                item={item}
                isOpen={item.id === openId}
                isCurrent={item.id === currentId}
                isChosen={selection.has(item.id)}
                actions={actions}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}

function ComingRows({ list }: Pick<Props, 'list'>) {
  if (list.isFetchNextPageError) return <MoreFailed query={list} />
  return (
    <div className="kit-loading">
      <Skeleton lines={3} label={strings.loadingMore} />
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
