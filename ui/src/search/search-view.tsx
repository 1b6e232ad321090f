import './search.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { SearchResult } from '../api/types.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { Button, ButtonLink } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { IconButton } from '../kit/icon-button.tsx'
import { Input } from '../kit/input.tsx'
import { Page } from '../kit/page.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { useQueryState } from '../url/query-state.ts'
import { SearchFacets } from './search-facets.tsx'
import { SearchHelp } from './search-help.tsx'
import { SearchHits } from './search-hits.tsx'
import { asProfile, conditionsOf, hasPattern, withoutCondition } from './search-words.ts'

const PAGE_HITS = 20

function useHits(q: string) {
  return useInfiniteQuery({
    queryKey: ['search', q],
    queryFn: ({ pageParam, signal }) =>
      api.get<SearchResult>('/search', { q, limit: PAGE_HITS, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    enabled: q !== '',
    placeholderData: (before) => before,
  })
}

function profileLink(q: string): string {
  const { expression, name, url } = asProfile(q)
  const params = new URLSearchParams({ name, ...(expression !== '' && { expression }), ...(url !== '' && { url }) })
  return `/profiles/new?${params}`
}

export default function SearchView() {
  const [given, setQ] = useQueryState('q')
  const q = given.trim()
  const hits = useHits(q)
  const isWrong = hits.error instanceof ApiError && hits.error.status === 400
  return (
    <Page title={q === '' ? 'Search' : `Search: ${q}`} lead="In all versions that are kept of what you watch.">
      <SearchBox key={q} q={q} error={isWrong ? messageOf(hits.error) : undefined} onSearch={setQ} />
      {q === '' ? (
        <EmptyState icon="search" title="Look for something">
          Words, phrases and these signs are understood; press one to try it.
        </EmptyState>
      ) : (
        <Found q={q} hits={hits} isWrong={isWrong} onSearch={setQ} />
      )}
      {(q === '' || isWrong) && <SearchHelp onTry={setQ} />}
    </Page>
  )
}

type BoxProps = { q: string; error: string | undefined; onSearch: (q: string) => void }

function SearchBox({ q, error, onSearch }: BoxProps) {
  const [text, setText] = useState(q)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (q === '') input.current?.focus({ preventScroll: true })
  }, [q])
  useShortcuts('Search', [{ keys: ['/', 'Ctrl+k'], label: 'Change the search', run: () => input.current?.select() }])
  function submit(event: FormEvent) {
    event.preventDefault()
    onSearch(text.trim())
  }
  return (
    <search>
      <form className="search-box" onSubmit={submit}>
        <Field label="Search for" error={error}>
          <Input
            ref={input}
            type="search"
            enterKeyHint="search"
            maxLength={1000}
            value={text}
            placeholder={'"solar power" -advert site:example.org'}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <Button type="submit" look="primary" icon="search">
          Search
        </Button>
      </form>
      {conditionsOf(q).length > 0 && (
        <ul className="search-conditions" aria-label="Narrowed to">
          {conditionsOf(q).map(({ text: condition }) => (
            <li key={condition}>
              {condition}
              <IconButton
                icon="close"
                label={`Without ${condition}`}
                onClick={() => onSearch(withoutCondition(q, condition))}
              />
            </li>
          ))}
        </ul>
      )}
    </search>
  )
}

type FoundProps = { q: string; hits: ReturnType<typeof useHits>; isWrong: boolean; onSearch: (q: string) => void }

function Found({ q, hits, isWrong, onSearch }: FoundProps) {
  if (isWrong) return null
  if (hits.isError)
    return (
      <ErrorState error={hits.error} onRetry={() => void hits.refetch()}>
        What was typed is kept.
      </ErrorState>
    )
  const first = hits.data?.pages[0]
  if (first === undefined) return <LoadingState label="Searching" />
  const found = hits.data?.pages.flatMap(({ items }) => items) ?? []
  if (found.length === 0)
    return (
      <EmptyState
        icon="search"
        title="Nothing found"
        actions={<ButtonLink href={profileLink(q)}>Tell me when it turns up</ButtonLink>}
      >
        {hasPattern(q)
          ? 'A search looks for words: expressions between slashes work in profiles only. Look for words, or be told when it turns up.'
          : 'Try fewer or other words, OR between them, or a star at the end of one. Only what your profiles watch is searched.'}
      </EmptyState>
    )
  return (
    <div className={hits.isPlaceholderData ? 'search-found search-behind' : 'search-found'}>
      <div className="search-main">
        <div className="search-line">
          <p className="soft" role="status">
            {found.length.toLocaleString('en')}
            {hits.hasNextPage ? ' or more' : ''} {found.length === 1 ? 'result' : 'results'} in{' '}
            {Math.round(first.tookMs)} ms
          </p>
          <ButtonLink small icon="profiles" href={profileLink(q)}>
            Save this search as a profile
          </ButtonLink>
        </div>
        <SearchHits hits={found} />
        {hits.hasNextPage && (
          <div className="kit-row">
            <Button disabled={hits.isFetchingNextPage} onClick={() => void hits.fetchNextPage()}>
              {hits.isFetchingNextPage ? 'Loading…' : 'More results'}
            </Button>
          </div>
        )}
      </div>
      <SearchFacets facets={first.facets} query={q} onNarrow={onSearch} />
    </div>
  )
}
