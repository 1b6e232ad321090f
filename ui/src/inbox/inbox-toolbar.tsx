import { type FormEvent, type ReactNode, type RefObject, useEffect, useState } from 'react'
import type { InboxCounts } from '../api/types.ts'
import { Icon } from '../kit/icon.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { Input, Select } from '../kit/input.tsx'
import { Segments } from '../kit/segments.tsx'
import { setQuery } from '../url/query-state.ts'
import type { InboxFilters, InboxState } from './inbox-filters.ts'
import { HIGH_URGENCY, RAISED_URGENCY } from './item-badges.tsx'
import type { Incoming } from './use-incoming.ts'

const urgencies = [
  { value: '', label: 'Any urgency' },
  { value: String(RAISED_URGENCY), label: 'Raised and urgent' },
  { value: String(HIGH_URGENCY), label: 'Urgent only' },
]

type Props = {
  filters: InboxFilters
  /** What is shown, when it is not what the address says. */
  state: InboxState
  counts: InboxCounts | undefined
  incoming: Incoming
  searchBox: RefObject<HTMLInputElement | null>
  onRefresh: () => void
  /** What can be done to the selection. */
  children: ReactNode
}

export function InboxToolbar({ filters, state, counts, incoming, searchBox, onRefresh, children }: Props) {
  const profiles = counts?.profiles ?? []
  const ofProfile = profiles.find(({ id }) => id === filters.profile)
  const figures = filters.profile === '' ? counts : ofProfile
  const counted = (value: InboxState) => (figures === undefined ? {} : { count: figures[value] })
  return (
    <div className="inbox-toolbar">
      <div className="inbox-toolbar-line inbox-toolbar-head">
        <NameOrNews incoming={incoming} />
        <SearchBox q={filters.q} box={searchBox} />
        <IconButton icon="refresh" label="Refresh" shortcut="R" tip="end" onClick={onRefresh} />
      </div>
      <Segments<InboxState>
        label="Which items"
        value={state}
        segments={[
          { value: 'unread', label: 'Unread', ...counted('unread') },
          { value: 'all', label: 'All', ...counted('all') },
          { value: 'starred', label: 'Starred' },
          { value: 'archived', label: 'Archived' },
        ]}
        onChange={(value) => setQuery({ state: value, id: null })}
      />
      <div className="inbox-toolbar-line inbox-toolbar-filters">
        <Select
          className="inbox-select"
          aria-label="Profile"
          value={filters.profile}
          options={[
            { value: '', label: 'All profiles' },
            ...profiles.map(({ id, name, unread }) => ({
              value: id,
              label: unread > 0 ? `${name} (${unread})` : name,
            })),
          ]}
          onChange={(profile) => setQuery({ profile, id: null })}
        />
        <Select
          className="inbox-select"
          aria-label="Urgency"
          value={filters.urgency}
          options={urgencies}
          onChange={(urgency) => setQuery({ urgency, id: null })}
        />
      </div>
      {children}
    </div>
  )
}

/** What came stands where the name was: it neither moves nor covers what is read. */
function NameOrNews({ incoming: { count, show } }: { incoming: Incoming }) {
  return (
    <div className="inbox-name">
      {count === 0 ? (
        <p aria-hidden="true">Inbox</p>
      ) : (
        <button type="button" className="inbox-incoming" onClick={show}>
          <Icon name="up" size={16} />
          <span>
            {count} new<span className="only-heard">{count === 1 ? ' item' : ' items'}</span>
          </span>
        </button>
      )}
    </div>
  )
}

/** Searched on Enter: each search is a place to come back to. */
function SearchBox({ q, box }: { q: string; box: RefObject<HTMLInputElement | null> }) {
  const [text, setText] = useState(q)
  useEffect(() => setText(q), [q])
  function submit(event: FormEvent) {
    event.preventDefault()
    setQuery({ q: text.trim(), id: null })
  }
  return (
    <search className="inbox-search">
      <form onSubmit={submit}>
        <Icon name="search" size={18} />
        <Input
          ref={box}
          type="search"
          aria-label="Search the inbox"
          placeholder="Search the inbox"
          aria-keyshortcuts="/"
          enterKeyHint="search"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            if (event.target.value === '') setQuery({ q: null })
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
      </form>
    </search>
  )
}
