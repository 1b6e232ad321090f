import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import type { InboxCounts } from '../api/types.ts'
import { Button, IconButton } from '../kit/button.tsx'
import { Form } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { Input, Select } from '../kit/input.tsx'
import { Segments } from '../kit/segments.tsx'
import type { Selection } from '../kit/selection.ts'
import { byName } from '../kit/strings.ts'
import { setQuery } from '../url/query-state.ts'
import type { Incoming } from './arrivals.ts'
import { type InboxFilters, type InboxState, inboxStates } from './inbox-filters.ts'
import { HIGH_URGENCY, URGENT_URGENCY } from './item-badges.tsx'
import { strings } from './strings.ts'

const texts = strings.toolbar
const urgencies = [
  { value: '', label: texts.anyUrgency },
  { value: String(HIGH_URGENCY), label: texts.highAndUrgent },
  { value: String(URGENT_URGENCY), label: texts.urgentOnly },
]

type Props = {
  filters: InboxFilters
  /** The state in effect, which may differ from the URL's. */
  state: InboxState
  counts: InboxCounts | undefined
  incoming: Incoming
  searchBox: RefObject<HTMLInputElement | null>
  onRefresh: () => void
  /** Null when nothing is unread. */
  onAllRead: (() => void) | null
  /** The loaded rows. */
  ids: readonly number[]
  selection: Selection
  /** The actions for the selection. */
  children: ReactNode
}

export function InboxToolbar(props: Props) {
  const { filters, state, counts, incoming, searchBox, onRefresh, onAllRead, ids, selection, children } = props
  const profiles = counts?.profiles ?? []
  const ofProfile = profiles.find(({ id }) => id === filters.profile)
  const stats = filters.profile === '' ? counts : ofProfile
  const counted = (value: InboxState) =>
    stats === undefined || (value !== 'unread' && value !== 'all') ? {} : { count: stats.pages[value] }
  return (
    <div className="kit-stack inbox-toolbar">
      <div className="inbox-toolbar-line inbox-toolbar-head">
        <TitleOrArrivals incoming={incoming} />
        <SearchBox q={filters.q} box={searchBox} />
        <IconButton icon="refresh" label={strings.actions.refresh} shortcut="R" tip="end" onClick={onRefresh} />
      </div>
      <Segments<InboxState>
        label={texts.states.label}
        value={state}
        segments={inboxStates.map((value) => ({ value, label: texts.states[value], ...counted(value) }))}
        onChange={(value) => setQuery({ state: value, id: null })}
      />
      <div className="inbox-toolbar-line inbox-toolbar-filters">
        <SelectAll ids={ids} selection={selection} />
        <Select
          className="inbox-select"
          aria-label={texts.profile}
          value={filters.profile}
          options={[
            { value: '', label: texts.allProfiles },
            ...profiles.toSorted(byName).map(({ id, name, pages }) => ({
              value: id,
              label: pages.unread > 0 ? texts.profileWithUnread(name, pages.unread) : name,
            })),
          ]}
          onChange={(profile) => setQuery({ profile, id: null })}
        />
        <Select
          className="inbox-select"
          aria-label={texts.urgency}
          value={filters.urgency}
          options={urgencies}
          onChange={(urgency) => setQuery({ urgency, id: null })}
        />
        <Button
          label={texts.allRead}
          small
          className="inbox-all-read"
          disabled={onAllRead === null}
          onClick={() => onAllRead?.()}
        />
      </div>
      {children}
    </div>
  )
}

/** Aligned with the checkboxes of the rows. */
function SelectAll({ ids, selection }: Pick<Props, 'ids' | 'selection'>) {
  const { isAll, isEmpty, put, clear, has } = selection
  const isFull = isAll || (ids.length > 0 && ids.every(has))
  return (
    <label className="inbox-select-all" title={texts.selectAll}>
      <input
        type="checkbox"
        checked={isFull}
        disabled={ids.length === 0}
        ref={(box) => {
          if (box !== null) box.indeterminate = !isEmpty && !isFull
        }}
        onChange={() => (isFull ? clear() : put(ids))}
      />
      <span className="visually-hidden">{texts.selectAll}</span>
    </label>
  )
}

/** New arrivals replace the title, so that they neither move nor cover the list. */
function TitleOrArrivals({ incoming: { count, show } }: { incoming: Incoming }) {
  return (
    <div className="inbox-name">
      {count === 0 ? (
        <p aria-hidden="true">{strings.inbox}</p>
      ) : (
        <button type="button" className="inbox-incoming" onClick={show}>
          <Icon name="up" size={16} />
          <span>
            {texts.incoming(count)}
            <span className="visually-hidden">{texts.incomingInFull(count)}</span>
          </span>
        </button>
      )}
    </div>
  )
}

/** Searches on Enter, so that each search is one entry in the history. */
function SearchBox({ q, box }: { q: string; box: RefObject<HTMLInputElement | null> }) {
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])
  return (
    <search className="inbox-search">
      <Form className="kit-search" onSubmit={() => setQuery({ q: text.trim(), id: null })}>
        <Icon name="search" size={18} />
        <Input
          ref={box}
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          aria-keyshortcuts="/"
          enterKeyHint="search"
          value={text}
          onChange={(typed) => {
            setText(typed)
            if (typed === '') setQuery({ q: null })
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
      </Form>
    </search>
  )
}
