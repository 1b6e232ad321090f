import './watch-table.css'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Source } from '../api/types.ts'
import type { MenuItem } from '../kit/menu.tsx'
import type { Selection } from '../kit/selection.ts'
import { strings as shared } from '../kit/strings.ts'
import { strings } from './strings.ts'
import type { Added } from './use-added.ts'
import { AddingRow, WaitingRow, WatchRow } from './watch-row.tsx'

const ROW_REM = 3.75
const CARD_REM = 6.9
const NARROW_PX = 800
const OVERSCAN = 12
const heads = ['state', 'page', 'lastCheck', 'lastChange', 'nextCheck', 'unread'] as const

type Props = {
  added: readonly Added[]
  rows: readonly Source[]
  /** Including rows not loaded yet. */
  total: number
  /** The row under the cursor. */
  at: number
  takesFocus: boolean
  openId: number | null
  selection: Selection
  onSelect: (id: number, withRange: boolean) => void
  onSelectLoaded: (on: boolean) => void
  onOpen: (id: number) => void
  onNeedMore: () => void
  menuOf: (source: Source) => MenuItem[]
}

/** Only visible rows are rendered; rows not loaded yet keep their space, so that nothing jumps. */
export function WatchTable(props: Props) {
  const { added, rows, total, at, takesFocus, openId, selection, onNeedMore } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  const [isNarrow, setIsNarrow] = useState(false)
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const adding = added.filter(({ source }) => source === null)

  useLayoutEffect(() => {
    const measure = () => {
      const box = body.current?.getBoundingClientRect()
      if (box === undefined) return
      setTop(Math.round(box.top + window.scrollY))
      setIsNarrow(box.width < NARROW_PX)
    }
    measure()
    const watcher = new ResizeObserver(measure)
    watcher.observe(document.body)
    return () => watcher.disconnect()
  }, [])

  // A new function would make the virtualizer measure all rows again.
  const getItemKey = useCallback((index: number) => rows[index]?.id ?? `waiting-${index}`, [rows])
  const virtual = useWindowVirtualizer({
    count: total,
    estimateSize: () => (isNarrow ? CARD_REM : ROW_REM) * remPx,
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0

  useEffect(() => {
    if (last >= rows.length && rows.length < total) onNeedMore()
  }, [last, rows.length, total, onNeedMore])

  useEffect(() => {
    if (takesFocus && at >= 0) virtual.scrollToIndex(at, { align: 'auto' })
  }, [at, takesFocus, virtual])

  const allSelected = useMemo(() => rows.length > 0 && rows.every(({ id }) => selection.has(id)), [rows, selection])
  const selectAll = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (selectAll.current !== null) selectAll.current.indeterminate = !allSelected && !selection.isEmpty
  })

  return (
    <table aria-label={strings.title} aria-rowcount={total + 1} className="kit-card watches-table">
      <thead>
        <tr className="faint small watches-row watches-head">
          <th scope="col" className="watches-choose">
            <label className="watches-box">
              <input
                ref={selectAll}
                type="checkbox"
                checked={allSelected}
                aria-label={strings.table.selectLoaded}
                onChange={(event) => props.onSelectLoaded(event.target.checked)}
              />
            </label>
          </th>
          {heads.map((head) => (
            <th key={head} scope="col" className={head === 'unread' ? 'watches-unread' : undefined}>
              {strings.table[head]}
            </th>
          ))}
          <th scope="col">
            <span className="visually-hidden">{shared.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody hidden={adding.length === 0}>
        {adding.map(({ uri }) => (
          <AddingRow key={uri} uri={uri} />
        ))}
      </tbody>
      <tbody ref={body} className="watches-body" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const source = rows[item.index]
          const slot = { index: item.index, startPx: item.start - top, measure: virtual.measureElement }
          if (source === undefined) return <WaitingRow key={item.key} {...slot} />
          return (
            <WatchRow
              key={item.key}
              {...slot}
              source={source}
              isSelected={selection.has(source.id)}
              isAt={item.index === at}
              isOpen={source.id === openId}
              takesFocus={takesFocus && item.index === at}
              onSelect={props.onSelect}
              onOpen={props.onOpen}
              menuOf={props.menuOf}
            />
          )
        })}
      </tbody>
    </table>
  )
}
