import './inbox.css'
import './pane.css'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { Annotation, Marks } from '../api/types.ts'
import { classNames } from '../kit/class-names.ts'
import { usePageTitle } from '../kit/page.tsx'
import { rowInPlaceOf, useSelection } from '../kit/selection.ts'
import { useCounts } from '../session/session.ts'
import { setQuery } from '../url/query-state.ts'
import { useIncoming } from './arrivals.ts'
import { BulkBar } from './bulk-bar.tsx'
import { ChannelBanner } from './channel-banner.tsx'
import { InboxBody } from './inbox-body.tsx'
import { type InboxFilters, useInboxFilters } from './inbox-filters.ts'
import { focusRow, useInboxKeys } from './inbox-keys.ts'
import type { RowActions } from './inbox-row.tsx'
import { InboxToolbar } from './inbox-toolbar.tsx'
import { OpenItem } from './reading-pane.tsx'
import { strings } from './strings.ts'
import { useInboxList, useItem } from './use-inbox-list.ts'
import { useMarks } from './use-marks.ts'
import { useOfflineSync } from './use-offline-sync.ts'

function hrefOf(id: number): string {
  const params = new URLSearchParams(window.location.search)
  params.set('id', String(id))
  return `/inbox?${params}`
}

/** Number of items that match the filters; null unless the counts use the same filters. */
function useMatching(filters: InboxFilters): number | null {
  const { data: counts } = useCounts()
  if (counts === undefined || filters.q !== '' || filters.urgency !== '') return null
  const stats = filters.profile === '' ? counts : counts.profiles.find(({ id }) => id === filters.profile)
  return stats?.pages[filters.state] ?? null
}

/** State of a history entry: the entry before it is the list that the item was opened from. */
const overList = { isOverList: true }

/**
 * Opening an item adds one history entry, so that Back leads to the list; stepping from item to item replaces it.
 * Closing removes that entry: Back must not reopen a closed item.
 */
function useOpen(openId: number | null, markOpened: (id: number) => void) {
  const [currentId, setCurrentId] = useState(openId)
  const open = useCallback(
    (id: number) => {
      setCurrentId(id)
      if (openId === null) navigate(hrefOf(id), { state: overList })
      else navigate(hrefOf(id), { replace: true, state: window.history.state })
    },
    [openId],
  )
  const close = useCallback(() => {
    if (window.history.state?.isOverList === true) window.history.back()
    else setQuery({ id: null }, { replace: true })
  }, [])
  const { data: item } = useItem(openId)
  const openedId = useRef<number | null>(null)
  // Once per opening: an item marked as unread while open stays unread.
  useEffect(() => {
    if (openId === null) {
      // The pane is gone, and the focus with it.
      if (openedId.current !== null && document.activeElement === document.body) focusRow(openedId.current)
      openedId.current = null
    }
    if (openId === null || item?.id !== openId || openedId.current === openId) return
    openedId.current = openId
    setCurrentId(openId)
    markOpened(openId)
  }, [openId, item, markOpened])
  return { currentId, setCurrentId, open, close }
}

export default function InboxView() {
  const { filters, isDefaultState, openId } = useInboxFilters()
  const { list, items, shown, fellBack, isSaved } = useInboxList(filters, isDefaultState)
  const { data: counts } = useCounts()
  const { mark, markOpened, markMatching } = useMarks()
  const selection = useSelection(JSON.stringify(shown))
  const searchBox = useRef<HTMLInputElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const { currentId, setCurrentId, open, close } = useOpen(openId, markOpened)
  const incoming = useIncoming({ filters: shown, isReading: openId !== null, items, scroller })
  const matching = useMatching(shown)
  const unreadRows = useMatching({ ...shown, state: 'unread' })
  const unread = counts?.pages.unread ?? 0
  usePageTitle(unread > 0 ? strings.inboxWithUnread(unread) : strings.inbox)
  useOfflineSync()

  const { clear, toggle } = selection
  const newestId = Math.max(0, ...items.map(({ id }) => id))
  // Read rows stay in an unread list until the next visit.
  const hasUnread = items.some(({ read, archived }) => !read && !archived)

  const actions = useMemo<RowActions>(
    () => ({ open, toggle, hrefOf, star: (id, starred) => mark([id], { starred }) }),
    [open, toggle, mark],
  )

  function step(by: 1 | -1): Annotation | undefined {
    const at = items.findIndex(({ id }) => id === (openId ?? currentId))
    const next = at < 0 ? items[by > 0 ? 0 : items.length - 1] : items[at + by]
    if (next === undefined) return undefined
    if (openId === null) setCurrentId(next.id)
    else open(next.id)
    return next
  }

  /** Marks the selection if there is one, else the open or current item. */
  function markChosen(marks: Marks) {
    const id = openId ?? currentId
    if (selection.isEmpty) {
      if (id !== null) markOne(id, marks)
      return
    }
    const leaving = marks.archived === undefined ? [] : items.filter((item) => selection.has(item.id))
    if (openId !== null && leaving.some((item) => item.id === openId)) close()
    takePlaceOf(leaving)
    if (selection.isAll) markMatching(shown, newestId, marks, matching)
    else mark([...selection.ids], marks)
    clear()
  }

  function markOne(id: number, marks: Marks) {
    // When an item leaves the list, the next one takes its place, or the pane closes.
    if (marks.archived !== undefined) {
      if (id === openId && step(1) === undefined) close()
      takePlaceOf(items.filter((item) => item.id === id))
    }
    mark([id], marks)
  }

  /** The cursor moves from rows that leave the list to the next one that stays, and the focus with it if it would be lost. */
  function takePlaceOf(leaving: readonly Annotation[]) {
    const ids = new Set(leaving.map(({ id }) => id))
    const cursor = items.findIndex(({ id }) => id === (openId ?? currentId))
    const next = rowInPlaceOf(items, cursor >= 0 ? cursor : items.findIndex(({ id }) => selection.has(id)), ids)
    if (currentId !== null && ids.has(currentId)) setCurrentId(next?.id ?? null)
    const disappears = leaving.length > 0 ? '.inbox-row, .inbox-bulk' : '.inbox-bulk'
    if (next !== undefined && document.activeElement?.closest(disappears) != null)
      focusRow(next.id, { preventScroll: true })
  }

  function refresh() {
    incoming.drop()
    clear()
    void list.refetch()
  }

  useInboxKeys({ items, openId, currentId, selection, step, open, close, markChosen, mark, refresh, searchBox })

  return (
    <div className={classNames('inbox', openId !== null && 'inbox-reading')}>
      <h1 className="visually-hidden">{strings.inbox}</h1>
      <section className="inbox-side" aria-label={strings.inbox}>
        <ChannelBanner />
        <InboxToolbar
          filters={filters}
          state={shown.state}
          counts={counts}
          incoming={incoming}
          searchBox={searchBox}
          onRefresh={refresh}
          onAllRead={hasUnread ? () => markMatching(shown, newestId, { read: true }, unreadRows) : null}
          ids={items.map(({ id }) => id)}
          selection={selection}
        >
          <BulkBar
            selection={selection}
            state={shown.state}
            loaded={items.length}
            matching={matching}
            hasMore={list.hasNextPage}
            onMark={markChosen}
          />
        </InboxToolbar>
        <InboxBody
          list={list}
          items={items}
          filters={shown}
          fellBack={fellBack}
          isSaved={isSaved}
          openId={openId}
          currentId={currentId}
          selection={selection}
          actions={actions}
          scroller={scroller}
        />
      </section>
      <OpenItem
        id={openId}
        onMark={(marks) => openId !== null && markOne(openId, marks)}
        onClose={close}
        onStep={step}
      />
    </div>
  )
}
