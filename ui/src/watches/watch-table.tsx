import './watch-table.css'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Source } from '../api/types.ts'
import type { MenuItem } from '../kit/menu.tsx'
import type { Selection } from './selection.ts'
import type { Added } from './use-added.ts'
import { AddingRow, WaitingRow, WatchRow } from './watch-row.tsx'

const ROW_REM = 3.75
const CARD_REM = 6.9
const NARROW_PX = 800
const OVERSCAN = 12
const heads = ['State', 'Page', 'Last check', 'Last change', 'Next check', 'Unread'] as const

type Props = {
  added: readonly Added[]
  rows: readonly Source[]
  /** With those that are not loaded yet. */
  total: number
  /** Under the cursor of the keyboard. */
  at: number
  takesFocus: boolean
  openId: number | null
  selection: Selection
  onChoose: (id: number, withRange: boolean) => void
  onChooseLoaded: (on: boolean) => void
  onOpen: (id: number) => void
  onNeedMore: () => void
  menuOf: (source: Source) => MenuItem[]
}

/** Rows in sight only are in the page; those not loaded yet keep their place, so that nothing jumps. */
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

  // A new function would make it measure all rows anew.
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

  const allChosen = useMemo(() => rows.length > 0 && rows.every(({ id }) => selection.has(id)), [rows, selection])
  const chooser = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (chooser.current !== null) chooser.current.indeterminate = !allChosen && !selection.isEmpty
  })

  return (
    <table aria-label="Watches" aria-rowcount={total + 1} className="watches-table">
      <thead>
        <tr className="watches-row watches-head">
          <th scope="col" className="watches-choose">
            <label className="watches-box">
              <input
                ref={chooser}
                type="checkbox"
                checked={allChosen}
                aria-label="Select all that are loaded"
                onChange={(event) => props.onChooseLoaded(event.target.checked)}
              />
            </label>
          </th>
          {heads.map((head) => (
            <th key={head} scope="col" className={head === 'Unread' ? 'watches-unread' : undefined}>
              {head}
            </th>
          ))}
          <th scope="col">
            <span className="only-heard">Actions</span>
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
              isChosen={selection.has(source.id)}
              isAt={item.index === at}
              isOpen={source.id === openId}
              takesFocus={takesFocus && item.index === at}
              onChoose={props.onChoose}
              onOpen={props.onOpen}
              menuOf={props.menuOf}
            />
          )
        })}
      </tbody>
    </table>
  )
}
