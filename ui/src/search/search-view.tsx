import './search.css'
import { useEffect, useRef, useState } from 'react'
import { ApiError, messageOf } from '../api/client.ts'
import { usePages } from '../api/queries.ts'
import type { SearchResult } from '../api/types.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { Button, ButtonLink, IconButton } from '../kit/button.tsx'
import { Field, Form } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { Page } from '../kit/page.tsx'
import { EmptyState, ErrorState, LoadingState, MoreFailed } from '../kit/states.tsx'
import { useQueryState } from '../url/query-state.ts'
import { asProfile, conditionsOf, hasPattern, withoutCondition } from './query-conditions.ts'
import { SearchFacets, SearchHits } from './search-results.tsx'
import { strings } from './strings.ts'

const PAGE_HITS = 20

function useHits(q: string) {
  const options = { enabled: q !== '', keepsPrevious: true }
  return usePages<SearchResult>(['search', q], '/search', { q, limit: PAGE_HITS }, options)
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
  const isInvalid = hits.error instanceof ApiError && hits.error.status === 400
  return (
    <Page title={q === '' ? strings.title : strings.titleFor(q)} lead={strings.lead}>
      <SearchBox key={q} q={q} error={isInvalid ? messageOf(hits.error) : undefined} onSearch={setQ} />
      {q === '' ? (
        <EmptyState icon="search" title={strings.start} advice={strings.startAdvice} />
      ) : (
        <Found q={q} hits={hits} isInvalid={isInvalid} onSearch={setQ} />
      )}
      {(q === '' || isInvalid) && <SearchHelp onTry={setQ} />}
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
  useShortcuts(strings.keys.group, [
    { keys: ['/', 'Ctrl+k'], label: strings.keys.edit, run: () => input.current?.select() },
  ])
  return (
    <search>
      <Form className="search-box" onSubmit={() => onSearch(text.trim())}>
        <Field label={strings.label} error={error}>
          <Input
            ref={input}
            type="search"
            enterKeyHint="search"
            maxLength={1000}
            value={text}
            placeholder={strings.placeholder}
            onChange={setText}
          />
        </Field>
        <Button label={strings.submit} type="submit" variant="primary" icon="search" />
      </Form>
      {conditionsOf(q).length > 0 && (
        <ul className="kit-row search-conditions" aria-label={strings.filters}>
          {conditionsOf(q).map(({ text: condition }) => (
            <li key={condition} className="small kit-chip">
              {condition}
              <IconButton
                icon="close"
                label={strings.removeFilter(condition)}
                onClick={() => onSearch(withoutCondition(q, condition))}
              />
            </li>
          ))}
        </ul>
      )}
    </search>
  )
}

type FoundProps = { q: string; hits: ReturnType<typeof useHits>; isInvalid: boolean; onSearch: (q: string) => void }

function Found({ q, hits, isInvalid, onSearch }: FoundProps) {
  if (isInvalid) return null
  if (hits.isError && !hits.isFetchNextPageError) return <ErrorState query={hits} advice={strings.failedNote} />
  const first = hits.data?.pages[0]
  if (first === undefined) return <LoadingState label={strings.searching} />
  const found = hits.data?.pages.flatMap(({ items }) => items) ?? []
  if (found.length === 0)
    return (
      <EmptyState
        icon="search"
        title={strings.nothing}
        actions={<ButtonLink label={strings.notifyMe} href={profileLink(q)} />}
        advice={hasPattern(q) ? strings.noPatterns : strings.nothingAdvice}
      />
    )
  return (
    <div className={hits.isPlaceholderData ? 'kit-stack search-found search-behind' : 'kit-stack search-found'}>
      <div className="kit-form">
        <div className="kit-spread">
          <p className="soft" role="status">
            {strings.results(found.length, hits.hasNextPage, Math.round(first.tookMs))}
          </p>
          <ButtonLink label={strings.saveAsProfile} small icon="profiles" href={profileLink(q)} />
        </div>
        <SearchHits hits={found} />
        <MoreFailed query={hits} />
        {hits.hasNextPage && !hits.isFetchNextPageError && (
          <div className="kit-row">
            <Button
              label={hits.isFetchingNextPage ? strings.loading : strings.more}
              disabled={hits.isFetchingNextPage}
              onClick={() => void hits.fetchNextPage()}
            />
          </div>
        )}
      </div>
      <SearchFacets facets={first.facets} query={q} onNarrow={onSearch} />
    </div>
  )
}

function SearchHelp({ onTry }: { onTry: (query: string) => void }) {
  return (
    <dl className="kit-facts search-help">
      {strings.operators.map(([example = '', meaning]) => (
        <div key={example}>
          <dt>
            <button type="button" onClick={() => onTry(example)}>
              <code>{example}</code>
            </button>
          </dt>
          <dd className="soft break">{meaning}</dd>
        </div>
      ))}
    </dl>
  )
}
