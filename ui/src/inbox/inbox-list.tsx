import './inbox-row.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { Annotation } from '../api/types.ts'
import { Skeleton } from '../kit/states.tsx'
import { InboxRow, type RowActions } from './inbox-row.tsx'
import type { Selection } from './selection.tsx'
import { strings } from './strings.ts'

const ROW_PX = 92
const OVERSCAN = 8

type Props = {
  items: readonly Annotation[]
  openId: number | null
  currentId: number | null
  selection: Selection
  actions: RowActions
  scroller: HTMLDivElement
  hasMore: boolean
  loadMore: () => void
  /** The scroll position when the list was left. */
  startAt: number
}

/** Renders only the visible rows, however long the list; the next page loads near its end. */
export function InboxList({
  items,
  openId,
  currentId,
  selection,
  actions,
  scroller,
  hasMore,
  loadMore,
  startAt,
}: Props) {
  const rows = useVirtualizer({
    count: items.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => items[at]?.id ?? 'more',
    overscan: OVERSCAN,
    initialOffset: startAt,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= items.length - 1) loadMore()
  }, [hasMore, last, items.length, loadMore])

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
              <div className="kit-loading">
                <Skeleton lines={3} label={strings.loadingMore} />
              </div>
            ) : (
              <InboxRow
                item={item}
                isOpen={item.id === openId}
                isCurrent={item.id === currentId}
                isChosen={selection.allMatching || selection.ids.has(item.id)}
                actions={actions}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}
