import './profiles.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { api, type List } from '../api/client.ts'
import type { Profile } from '../api/types.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Input } from '../kit/input.tsx'
import { Page } from '../kit/page.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { useCounts } from '../session/session.ts'
import { useQueryState } from '../url/query-state.ts'
import { ProfileRow } from './profile-row.tsx'

const PAGE_ROWS = 200
const ROW_REM = 4.6

function useProfiles() {
  return useInfiniteQuery({
    queryKey: ['profiles', 'list'],
    queryFn: ({ pageParam, signal }) =>
      api.get<List<Profile>>('/profiles', { limit: PAGE_ROWS, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  })
}

function isFound({ name, sources, interests }: Profile, text: string): boolean {
  if (name.toLowerCase().includes(text)) return true
  if (sources.some(({ uri }) => uri.toLowerCase().includes(text))) return true
  return interests.keywords.some(({ key }) => key.toLowerCase().includes(text))
}

export default function ProfilesView() {
  const profiles = useProfiles()
  const [q, setQ] = useQueryState('q')
  const all = useMemo(() => profiles.data?.pages.flatMap(({ items }) => items) ?? [], [profiles.data])
  const rows = useMemo(() => all.filter((profile) => isFound(profile, q.trim().toLowerCase())), [all, q])
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = profiles
  // What is found must be loaded first.
  useEffect(() => {
    if (q !== '' && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [q, hasNextPage, isFetchingNextPage, fetchNextPage])

  return (
    <Page
      title="Profiles"
      lead="What you care about: which pages, which words, and how to be told."
      actions={
        <ButtonLink href="/profiles/new" look="primary" icon="plus">
          New profile
        </ButtonLink>
      }
    >
      {profiles.isPending && <LoadingState label="Loading the profiles" />}
      {profiles.isError && <ErrorState error={profiles.error} onRetry={() => void profiles.refetch()} />}
      {profiles.isSuccess && all.length === 0 && (
        <EmptyState
          icon="profiles"
          title="No profile yet"
          actions={
            <>
              <ButtonLink href="/profiles/new" look="primary" icon="plus">
                Make the first
              </ButtonLink>
              <ButtonLink href="/watches">Just watch a page</ButtonLink>
            </>
          }
        >
          A profile says which pages to watch and what matters in them. An address is enough to begin with; words can be
          added later.
        </EmptyState>
      )}
      {all.length > 0 && (
        <>
          <Input
            type="search"
            className="profiles-find"
            aria-label="Find a profile"
            placeholder="Find by name, address or term"
            value={q}
            onChange={(event) => setQ(event.target.value, { replace: true })}
          />
          {rows.length === 0 && !hasNextPage ? (
            <EmptyState icon="search" title="None found" actions={<Button onClick={() => setQ('')}>Show all</Button>}>
              No name, address or term has “{q}” in it.
            </EmptyState>
          ) : (
            <ProfileList rows={rows} />
          )}
          {hasNextPage && (
            <div className="kit-row">
              <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Load more
              </Button>
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
  useShortcuts('Profiles', [
    { keys: ['j', 'ArrowDown'], label: 'Next profile', run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: 'Profile before', run: () => move(-1) },
    { keys: ['Enter', 'o'], label: 'Edit it', run: open },
    { keys: 'n', label: 'New profile', run: () => navigate('/profiles/new') },
  ])
  return (
    <ul ref={list} className="profiles-list" style={{ height: virtual.getTotalSize() }}>
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
