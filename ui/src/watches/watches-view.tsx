import './watches.css'
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { isOffline } from '../api/client.ts'
import { mayLoadMore } from '../api/queries.ts'
import type { Source } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { useSelection } from '../kit/selection.ts'
import { EmptyState, ErrorState, LoadingState, MoreFailed } from '../kit/states.tsx'
import { setQuery, useQueryState } from '../url/query-state.ts'
import { ImportDialog } from './import-dialog.tsx'
import { QuickAdd } from './quick-add.tsx'
import { type Removal, RemoveDialog } from './remove-dialog.tsx'
import { type Target, useCursor } from './selection.ts'
import { strings } from './strings.ts'
import { useAdded } from './use-added.ts'
import { useWatchActions, watchMenu } from './use-watch-actions.ts'
import { useWatchKeys } from './use-watch-keys.ts'
import { useWatchEvents, useWatchList } from './use-watch-list.ts'
import { WatchDrawer } from './watch-drawer.tsx'
import { clearFilter, isFiltered, segments, setSegment, useWatchFilter, type WatchFilter } from './watch-filter.ts'
import { WatchTable } from './watch-table.tsx'
import { BulkBar, ExportMenu, FilterBox, ProfileChip } from './watches-tools.tsx'

function showDetail(id: number | null): void {
  setQuery({ watch: id === null ? null : String(id) }, { replace: true })
}

export default function WatchesView() {
  const filter = useWatchFilter()
  const { list, rows: loaded, isRunOut, counts, refreshCounts } = useWatchList(filter)
  useWatchEvents(refreshCounts)
  const { added, errors, notice, add } = useAdded(refreshCounts)
  const actions = useWatchActions({ filter, refreshCounts })
  const [watch] = useQueryState('watch')
  const openId = /^\d+$/.test(watch) ? Number(watch) : null
  // In the URL, so that other pages can link to it.
  const [importing] = useQueryState('import')
  const setIsImporting = (on: boolean) => setQuery({ import: on ? '1' : null }, { replace: true })
  const [removal, setRemoval] = useState<Removal | null>(null)
  const addInput = useRef<HTMLInputElement>(null)

  const rows = useMemo(() => {
    const mine = added.flatMap(({ source }) => (source === null ? [] : [source]))
    const ids = new Set(mine.map(({ id }) => id))
    return mine.length === 0 ? loaded : [...mine, ...loaded.filter(({ id }) => !ids.has(id))]
  }, [added, loaded])
  const matching = counts?.matching ?? rows.length
  const isCutOff = !list.hasNextPage || list.isFetchNextPageError
  const total = isCutOff ? rows.length : Math.max(matching, rows.length + 1)

  const selection = useSelection(`${filter.state} ${filter.profile} ${filter.q}`)
  const cursor = useCursor(rows)

  const onSelect = useStable((id: number, withRange: boolean) => {
    const to = rows.findIndex((row) => row.id === id)
    if (withRange && cursor.at >= 0) {
      const [first, last] = [Math.min(cursor.at, to), Math.max(cursor.at, to)]
      selection.add(rows.slice(first, last + 1).map((row) => row.id))
    } else selection.toggle(id)
    cursor.put(id)
  })
  const onSelectLoaded = (on: boolean) => {
    selection.put(on ? rows.map(({ id }) => id) : [])
  }
  const onOpen = useStable((id: number) => {
    cursor.put(id)
    showDetail(id === openId ? null : id)
  })
  const { fetchNextPage } = list
  const wantsMore = mayLoadMore(list)
  const onNeedMore = useCallback(() => {
    if (wantsMore) void fetchNextPage()
  }, [fetchNextPage, wantsMore])
  const onRemove = (target: Target) => {
    const named = target.kind === 'all' ? rows : rows.filter(({ id }) => target.ids.includes(id))
    setRemoval({ target, named, next: target.kind === 'all' ? null : cursor.placeOf(target.ids) })
  }
  const removeOne = (source: Pick<Source, 'id' | 'uri'>) =>
    setRemoval({
      target: { kind: 'ids', ids: [source.id] },
      named: [source],
      next: cursor.placeOf([source.id]),
    })
  const menuOf = useStable((source: Source) => watchMenu(source, { actions, onOpen, onRemove: removeOne }))

  useWatchKeys({
    cursor,
    selection,
    matching,
    actions,
    openId,
    onOpen: (id) => {
      showDetail(id)
      if (id === null && openId !== null) cursor.put(openId, true)
    },
    onRemove,
    onSelectLoaded,
    onAdd: () => addInput.current?.focus(),
    onRefresh: () => void list.refetch(),
  })

  return (
    <Page
      title={strings.title}
      actions={
        <>
          <Button label={strings.import} icon="upload" onClick={() => setIsImporting(true)} />
          <ExportMenu />
        </>
      }
    >
      <QuickAdd ref={addInput} errors={errors} notice={notice} onAdd={add} />
      <div className={classNames('watches-over', !selection.isEmpty && 'watches-over-chosen')}>
        <div className="kit-spread watches-tools">
          <Segments
            label={strings.segments.label}
            value={filter.state}
            segments={segments.map((value) => ({
              value,
              label: strings.segments[value],
              ...(counts !== undefined && { count: counts[value] }),
            }))}
            onChange={setSegment}
          />
          <FilterBox />
        </div>
        {!selection.isEmpty && (
          <BulkBar selection={selection} matching={matching} actions={actions} onRemove={onRemove} />
        )}
      </div>
      {filter.profile !== '' && <ProfileChip id={filter.profile} />}
      {(list.isPending || (isRunOut && rows.length === 0)) && <LoadingState label={strings.loading} />}
      {list.isError && rows.length === 0 && (
        <ErrorState query={list} advice={isOffline(list.error) ? undefined : strings.loadingFailed} />
      )}
      {list.isSuccess && total === 0 && added.length === 0 ? (
        <EmptyWatches filter={filter} onAdd={() => addInput.current?.focus()} onImport={() => setIsImporting(true)} />
      ) : (
        (rows.length > 0 || added.length > 0) && (
          <WatchTable
            added={added}
            rows={rows}
            total={total}
            at={cursor.at}
            takesFocus={cursor.byKey && openId === null}
            openId={openId}
            selection={selection}
            onSelect={onSelect}
            onSelectLoaded={onSelectLoaded}
            onOpen={onOpen}
            onNeedMore={onNeedMore}
            menuOf={menuOf}
          />
        )
      )}
      {rows.length > 0 && <MoreFailed query={list} />}
      {openId !== null && (
        <WatchDrawer
          id={openId}
          actions={actions}
          onRemove={removeOne}
          onClose={() => {
            showDetail(null)
            cursor.put(openId, true)
          }}
        />
      )}
      {importing !== '' && <ImportDialog onClose={() => setIsImporting(false)} />}
      {removal !== null && (
        <RemoveDialog
          removal={removal}
          actions={actions}
          onCancel={() => setRemoval(null)}
          onDone={() => {
            setRemoval(null)
            if (removal.next !== null) cursor.put(removal.next, true)
            selection.clear()
            showDetail(null)
          }}
        />
      )}
    </Page>
  )
}

type EmptyProps = { filter: WatchFilter; onAdd: () => void; onImport: () => void }

function EmptyWatches({ filter, onAdd, onImport }: EmptyProps) {
  const text = strings.empty
  if (isFiltered(filter)) {
    const { title, body } = text.filtered[filter.q === '' ? filter.state : 'all']
    return (
      <EmptyState
        icon="watches"
        title={title}
        actions={<Button label={text.showAll} onClick={clearFilter} />}
        advice={body}
      />
    )
  }
  return (
    <EmptyState
      icon="watches"
      title={text.title}
      actions={
        <>
          <Button label={text.add} variant="primary" icon="plus" onClick={onAdd} />
          <Button label={text.import} icon="upload" onClick={onImport} />
        </>
      }
      advice={text.body}
    />
  )
}

/** A function with a stable identity that calls the latest `run`, so that rows that receive it don't re-render. */
function useStable<Args extends unknown[], Result>(run: (...args: Args) => Result): (...args: Args) => Result {
  const latest = useRef(run)
  useLayoutEffect(() => {
    latest.current = run
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}
