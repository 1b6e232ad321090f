import { memo, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { Source } from '../api/types.ts'
import { Badge } from '../kit/badge.tsx'
import { classNames } from '../kit/class-names.ts'
import { Icon } from '../kit/icon.tsx'
import { Menu, type MenuItem } from '../kit/menu.tsx'
import { formatCount } from '../kit/strings.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { strings } from './strings.ts'
import { bareAddress, NextCheck, nameOfWatch, StateMark } from './watch-state.tsx'

const text = strings.table

/** The position of the row among all, loaded or not. */
export type Slot = { index: number; startPx: number; measure: (row: HTMLElement | null) => void }

type Props = Slot & {
  source: Source
  isSelected: boolean
  isAt: boolean
  isOpen: boolean
  /** The cursor came here by keyboard: the focus follows. */
  takesFocus: boolean
  onSelect: (id: number, withRange: boolean) => void
  onOpen: (id: number) => void
  menuOf: (source: Source) => MenuItem[]
}

export const WatchRow = memo(function WatchRow(props: Props) {
  const { index, startPx, measure, source, isSelected, isAt, isOpen, takesFocus, onSelect, onOpen, menuOf } = props
  const name = nameOfWatch(source)
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (takesFocus) row.current?.focus({ preventScroll: true })
  }, [takesFocus])
  return (
    <tr
      ref={(element) => {
        row.current = element
        measure(element)
      }}
      data-index={index}
      tabIndex={-1}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${startPx}px)` }}
      className={classNames(
        'watches-row',
        isSelected && 'watches-row-chosen',
        isAt && 'watches-row-at',
        isOpen && 'watches-row-open',
      )}
    >
      <td className="watches-choose">
        <label className="watches-box">
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={text.select(name)}
            onChange={(event) => onSelect(source.id, (event.nativeEvent as MouseEvent).shiftKey === true)}
          />
        </label>
      </td>
      <td className="watches-state">
        <StateMark state={source.state} />
        <RelativeTime at={source.since} fallback="" className="faint small watches-since" />
      </td>
      <td className="watches-what">
        <span className="watches-name">
          <button
            type="button"
            className="ellipsis watches-open"
            aria-expanded={isOpen}
            onClick={() => onOpen(source.id)}
          >
            {name}
          </button>
          {source.muted && (
            <Badge title={text.mutedHint}>
              <Icon name="mute" size={13} /> {text.muted}
            </Badge>
          )}
        </span>
        <span className="faint small watches-where">
          {source.title !== '' && <span className="ellipsis">{bareAddress(source.uri)}</span>}
          {source.title !== '' && <span aria-hidden="true">·</span>}
          <Link className="soft ellipsis watches-profile" href={`/profiles/${encodeURIComponent(source.profile.id)}`}>
            {source.profile.name || strings.unnamedProfile}
          </Link>
        </span>
      </td>
      <td className="numbers small watches-time" data-head={text.checkedShort}>
        <RelativeTime at={source.lastCheckedAt} fallback={strings.notYet} />
      </td>
      <td className="numbers small watches-time watches-changed" data-head={text.changedShort}>
        <RelativeTime at={source.lastChangedAt} fallback={strings.neverChanged} />
      </td>
      <td className="numbers small watches-time watches-next" data-head={text.nextShort}>
        <NextCheck at={source.nextCheckAt} />
        <span className="faint ellipsis watches-why" title={source.why}>
          {source.why}
        </span>
      </td>
      <td className="numbers watches-unread">
        {source.unread > 0 ? (
          <Badge tone="accent">
            {formatCount(source.unread)}
            <span className="watches-unread-word"> {text.unreadSuffix}</span>
          </Badge>
        ) : (
          <span className="faint watches-none">0</span>
        )}
      </td>
      <td className="watches-menu">
        <Menu label={strings.actionsFor(name)} items={menuOf(source)} />
      </td>
    </tr>
  )
})

/** Placeholder for a row that is not loaded yet. */
export function WaitingRow({ index, startPx, measure }: Slot) {
  return (
    <tr
      ref={measure}
      data-index={index}
      className="watches-row"
      aria-busy="true"
      style={{ transform: `translateY(${startPx}px)` }}
    >
      <td className="watches-choose" />
      <td className="watches-state" />
      <td className="watches-what">
        <span className="kit-skeleton-line watches-bone" />
      </td>
    </tr>
  )
}

export function AddingRow({ uri }: { uri: string }) {
  return (
    <tr className="watches-row" aria-busy="true">
      <td className="watches-choose" />
      <td className="watches-state soft">{strings.add.adding}</td>
      <td className="watches-what">
        <span className="watches-name">{bareAddress(uri)}</span>
      </td>
    </tr>
  )
}
