import './profiles.css'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import type { List } from '../api/client.ts'
import { mayLoadMore, usePages } from '../api/queries.ts'
import type { Profile } from '../api/types.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { Badge } from '../kit/badge.tsx'
import { Button, ButtonLink } from '../kit/button.tsx'
import { classNames } from '../kit/class-names.ts'
import { Input } from '../kit/input.tsx'
import { Page } from '../kit/page.tsx'
import { EmptyState, ErrorState, LoadingState, MoreFailed } from '../kit/states.tsx'
import { byName, formatCount, strings as shared } from '../kit/strings.ts'
import { useCounts } from '../session/session.ts'
import { useQueryState } from '../url/query-state.ts'
import { ProfileMenu } from './profile-menu.tsx'
import { strings } from './strings.ts'

const PAGE_ROWS = 200
const ROW_REM = 4.6
const MAX_TERMS = 6

function isFound({ name, sources, interests }: Profile, text: string): boolean {
  if (name.toLowerCase().includes(text)) return true
  if (sources.some(({ uri }) => uri.toLowerCase().includes(text))) return true
  return interests.keywords.some(({ key }) => key.toLowerCase().includes(text))
}

export default function ProfilesView() {
  const profiles = usePages<List<Profile>>(['profiles', 'list'], '/profiles', { limit: PAGE_ROWS })
  const [q, setQ] = useQueryState('q')
  // Each page on its own, so that loading more moves no row.
  const all = useMemo(() => profiles.data?.pages.flatMap(({ items }) => items.toSorted(byName)) ?? [], [profiles.data])
  const rows = useMemo(() => all.filter((profile) => isFound(profile, q.trim().toLowerCase())), [all, q])
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = profiles
  // A search covers loaded rows only: load the rest.
  const wantsMore = q !== '' && mayLoadMore(profiles)
  useEffect(() => {
    if (wantsMore) void fetchNextPage()
  }, [wantsMore, fetchNextPage])

  return (
    <Page
      title={strings.title}
      lead={strings.lead}
      actions={<ButtonLink label={strings.new} href="/profiles/new" variant="primary" icon="plus" />}
    >
      {profiles.isPending && <LoadingState label={strings.loading} />}
      {profiles.isError && !profiles.isFetchNextPageError && <ErrorState query={profiles} />}
      {profiles.isSuccess && all.length === 0 && (
        <EmptyState
          icon="profiles"
          title={strings.empty.title}
          actions={
            <>
              <ButtonLink label={strings.empty.create} href="/profiles/new" variant="primary" icon="plus" />
              <ButtonLink label={strings.empty.watch} href="/watches" />
            </>
          }
          advice={strings.empty.body}
        />
      )}
      {all.length > 0 && (
        <>
          <Input
            type="search"
            className="profiles-find"
            aria-label={strings.find}
            placeholder={strings.findExample}
            value={q}
            onChange={(text) => setQ(text, { replace: true })}
          />
          {rows.length === 0 && !hasNextPage ? (
            <EmptyState
              icon="search"
              title={strings.noMatch.title}
              actions={<Button label={strings.noMatch.showAll} onClick={() => setQ('')} />}
              advice={strings.noMatch.body(q)}
            />
          ) : (
            <ProfileList rows={rows} />
          )}
          <MoreFailed query={profiles} />
          {hasNextPage && !profiles.isFetchNextPageError && (
            <div className="kit-row">
              <Button label={shared.loadMore} disabled={isFetchingNextPage} onClick={() => void fetchNextPage()} />
            </div>
          )}
        </>
      )}
    </Page>
  )
}

function ProfileList({ rows }: { rows: readonly Profile[] }) {
  const { data: counts } = useCounts()
  const unread = useMemo(() => new Map(counts?.profiles.map((each) => [each.id, each.unread])), [counts])
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const [at, setAt] = useState(-1)
  useLayoutEffect(() => setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [])
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const getItemKey = useCallback((index: number) => rows[index]?.id ?? index, [rows])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_REM * remPx,
    overscan: 8,
    scrollMargin: top,
    getItemKey,
  })
  function move(step: number) {
    const next = Math.min(Math.max(at + step, 0), rows.length - 1)
    setAt(next)
    virtual.scrollToIndex(next)
  }
  const open = () => {
    const row = rows[at]
    if (row !== undefined) navigate(`/profiles/${encodeURIComponent(row.id)}`)
  }
  useShortcuts(strings.title, [
    { keys: ['j', 'ArrowDown'], label: strings.keys.next, run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: strings.keys.previous, run: () => move(-1) },
    { keys: ['Enter', 'o'], label: strings.keys.open, run: open },
    { keys: 'n', label: strings.new, run: () => navigate('/profiles/new') },
  ])
  return (
    <ul ref={list} className="kit-card profiles-list" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const profile = rows[item.index]
        if (profile === undefined) return null
        return (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            style={{ transform: `translateY(${item.start - top}px)` }}
          >
            <ProfileRow profile={profile} unread={unread.get(profile.id) ?? 0} isAt={item.index === at} />
          </li>
        )
      })}
    </ul>
  )
}

function aboutOf({ sources, interests }: Profile): string {
  const { keywords, expression } = interests
  const more = keywords.length - MAX_TERMS
  const terms = keywords.slice(0, MAX_TERMS).map(({ key }) => key)
  const words = [...terms, ...(more > 0 ? [strings.moreTerms(more)] : []), ...(expression === '' ? [] : [expression])]
  if (words.length > 0) return words.join(', ')
  return sources.every(({ process }) => process === 'archive') ? strings.archivesOnly : strings.everyChange
}

type RowProps = { profile: Profile; unread: number; isAt: boolean }

function ProfileRow({ profile, unread, isAt }: RowProps) {
  const { id, name, paused, sources } = profile
  const path = encodeURIComponent(id)
  const link = useRef<HTMLAnchorElement>(null)
  const count = sources.length
  useEffect(() => {
    if (isAt) link.current?.focus({ preventScroll: true })
  }, [isAt])
  return (
    <div className={classNames('profiles-row', isAt && 'profiles-row-at', paused && 'profiles-row-paused')}>
      <div className="profiles-what">
        <p className="profiles-name">
          <Link ref={link} className="plain-link ellipsis" href={`/profiles/${path}`}>
            {name || strings.unnamed}
          </Link>
          {paused && <Badge tone="warn">{strings.paused}</Badge>}
        </p>
        <p className="faint small ellipsis" title={aboutOf(profile)}>
          {aboutOf(profile)}
        </p>
      </div>
      <Link className="small profiles-count" href={`/watches?profile=${path}`}>
        <span className="numbers">{formatCount(count)}</span> {strings.watches(count)}
      </Link>
      <Link className="small profiles-count" href={`/inbox?profile=${path}`}>
        {unread > 0 ? (
          <Badge tone="accent">{strings.unread(unread)}</Badge>
        ) : (
          <span className="faint">{strings.noneUnread}</span>
        )}
      </Link>
      <ProfileMenu profile={profile} isPaused={paused} />
    </div>
  )
}
