import { memo } from 'react'
import type { Annotation } from '../api/types.ts'
import { ChangeLine } from '../changes/change-line.tsx'
import { IconButton } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { countOf, profilesOf, sourceOf } from './inbox-rows.ts'
import { KindBadge, titleOf, Urgency } from './item-badges.tsx'
import { strings } from './strings.ts'

export type RowActions = {
  open: (id: number) => void
  toggle: (id: number) => void
  star: (id: number, on: boolean) => void
  hrefOf: (id: number) => string
}
type Props = { item: Annotation; isOpen: boolean; isCurrent: boolean; isChosen: boolean; actions: RowActions }

/** The link covers the row; the checkbox and the star are above it. */
export const InboxRow = memo(function InboxRow({ item, isOpen, isCurrent, isChosen, actions }: Props) {
  const { id, read, starred } = item
  const count = countOf(item)
  const profiles = profilesOf(item)
    .map(({ name }) => name)
    .filter((name) => name !== '')
    .join(strings.row.profileSeparator)
  return (
    <div
      className={classNames(
        'inbox-row',
        read && 'inbox-row-read',
        isOpen && 'inbox-row-open',
        isCurrent && 'inbox-row-current',
        isChosen && 'inbox-row-chosen',
      )}
    >
      <label className="inbox-row-box">
        <input type="checkbox" checked={isChosen} onChange={() => actions.toggle(id)} />
        <span className="visually-hidden">{strings.row.select(titleOf(item))}</span>
      </label>
      <div className="inbox-row-text">
        <div className="inbox-row-head">
          {!read && (
            <span className="inbox-dot">
              <span className="visually-hidden">{strings.row.unread}</span>
            </span>
          )}
          <a
            className="plain-link ellipsis inbox-row-title"
            id={`inbox-item-${id}`}
            href={actions.hrefOf(id)}
            aria-current={isOpen ? 'true' : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return
              event.preventDefault()
              actions.open(id)
            }}
          >
            {titleOf(item)}
          </a>
          {count > 1 && (
            <span className="numbers inbox-row-count" title={strings.row.changes(count)}>
              <span aria-hidden="true">{strings.row.count(count)}</span>
              <span className="visually-hidden">{strings.row.changes(count)}</span>
            </span>
          )}
        </div>
        <div className="soft small ellipsis inbox-row-meta">
          {item.kind !== 'changed' && <KindBadge kind={item.kind} />}
          <Urgency urgency={item.urgency} brief />
          <span className="ellipsis inbox-row-profile">{profiles}</span>
          <span aria-hidden="true">·</span>
          <span className="ellipsis inbox-row-source">{sourceOf(item)}</span>
          <span aria-hidden="true">·</span>
          <RelativeTime at={item.at} className="inbox-row-time" brief />
        </div>
        <p className="break inbox-row-summary">
          <ChangeLine {...item.summary} />
        </p>
      </div>
      <IconButton
        className="inbox-row-star"
        icon="star"
        label={starred ? strings.actions.unstar : strings.actions.star}
        shortcut="s"
        tip="end"
        filled={starred}
        pressed={starred}
        onClick={() => actions.star(id, !starred)}
      />
    </div>
  )
})
