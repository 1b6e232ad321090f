import './watches.css'
import { useCallback, useMemo, useRef, useState } from 'react'
import { isOffline } from '../api/client.ts'
import type { Source } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import { Page } from '../kit/page.tsx'
import { Segments } from '../kit/segments.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { setQuery, useQueryState } from '../url/query-state.ts'
import { BulkBar } from './bulk-bar.tsx'
import { EmptyWatches } from './empty-watches.tsx'
import { ExportMenu } from './export-menu.tsx'
import { FilterBox } from './filter-box.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { ProfileChip } from './profile-chip.tsx'
import { QuickAdd } from './quick-add.tsx'
import { type Removal, RemoveDialog } from './remove-dialog.tsx'
import { type Target, useSelection } from './selection.ts'
import { useAdded } from './use-added.ts'
import { useCursor } from './use-cursor.ts'
import { useStable } from './use-stable.ts'
import { useWatchActions } from './use-watch-actions.ts'
import { useWatchKeys } from './use-watch-keys.ts'
import { useWatchEvents, useWatchList } from './use-watch-list.ts'
import { WatchDrawer } from './watch-drawer.tsx'
import { isFiltered, setSegment, useWatchFilter } from './watch-filter.ts'
import { watchMenu } from './watch-menu.ts'
import { WatchTable } from './watch-table.tsx'

const words = { all: 'All', unread: 'Unread', failing: 'Failing', paused: 'Paused' }

function showDetail(id: number | null): void {
  setQuery({ watch: id === null ? null : String(id) }, { replace: true })
}

export default function WatchesView() {
  const filter = useWatchFilter()
  const { list, rows: loaded, isRunOut, counts, refreshCounts } = useWatchList(filter)
  useWatchEvents(refreshCounts)
  const { added, faults, told, add } = useAdded(refreshCounts)
  const actions = useWatchActions({ filter, refreshCounts })
  const [watch] = useQueryState('watch')
  const openId = /^\d+$/.test(watch) ? Number(watch) : null
  // In the address, so that other pages can lead to it.
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
  const total = list.hasNextPage ? Math.max(matching, rows.length + 1) : rows.length

  const selection = useSelection(`${filter.state} ${filter.profile} ${filter.q}`)
  const cursor = useCursor(rows)

  const onChoose = useStable((id: number, withRange: boolean) => {
    const to = rows.findIndex((row) => row.id === id)
    if (withRange && cursor.at >= 0) {
      const [first, last] = [Math.min(cursor.at, to), Math.max(cursor.at, to)]
      selection.add(rows.slice(first, last + 1).map((row) => row.id))
    } else selection.toggle(id)
    cursor.put(id)
  })
  const onChooseLoaded = (on: boolean) => {
    selection.put(on ? rows.map(({ id }) => id) : [])
  }
  const onOpen = useStable((id: number) => {
    cursor.put(id)
    showDetail(id === openId ? null : id)
  })
  const { fetchNextPage, isFetchingNextPage } = list
  const onNeedMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])
  const onRemove = (target: Target) => {
    const named = target.kind === 'all' ? rows : rows.filter(({ id }) => target.ids.includes(id))
    setRemoval({ target, named })
  }
  const removeOne = (source: Pick<Source, 'id' | 'uri'>) =>
    setRemoval({ target: { kind: 'ids', ids: [source.id] }, named: [source] })
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
    onChooseLoaded,
    onAdd: () => addInput.current?.focus(),
    onRefresh: () => void list.refetch(),
  })

  return (
    <Page
      title="Watches"
      actions={
        <>
          <Button icon="upload" onClick={() => setIsImporting(true)}>
            Import
          </Button>
          <ExportMenu />
        </>
      }
    >
      <QuickAdd ref={addInput} faults={faults} told={told} onAdd={add} />
      <div className={classNames('watches-over', !selection.isEmpty && 'watches-over-chosen')}>
        <div className="watches-tools">
          <Segments
            label="Which watches"
            value={filter.state}
            segments={(['all', 'unread', 'failing', 'paused'] as const).map((value) => ({
              value,
              label: words[value],
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
      {(list.isPending || (isRunOut && rows.length === 0)) && <LoadingState label="Loading the watches" />}
      {list.isError && rows.length === 0 && (
        <ErrorState error={list.error} onRetry={() => void list.refetch()}>
          {isOffline(list.error) ? undefined : 'The watches go on being checked meanwhile.'}
        </ErrorState>
      )}
      {list.isSuccess && total === 0 && added.length === 0 ? (
        <EmptyWatches
          filter={filter}
          isFiltered={isFiltered(filter)}
          onAdd={() => addInput.current?.focus()}
          onImport={() => setIsImporting(true)}
        />
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
            onChoose={onChoose}
            onChooseLoaded={onChooseLoaded}
            onOpen={onOpen}
            onNeedMore={onNeedMore}
            menuOf={menuOf}
          />
        )
      )}
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
            selection.clear()
            showDetail(null)
          }}
        />
      )}
    </Page>
  )
}
