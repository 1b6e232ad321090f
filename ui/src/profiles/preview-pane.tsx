import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import { ApiError, api, messageOf } from '../api/client.ts'
import type { Preview, PreviewExample } from '../api/types.ts'
import { classNames } from '../kit/class-names.ts'
import { MarkedText } from '../kit/marked-text.tsx'
import { Skeleton } from '../kit/states.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { bodyOf, type Draft, mapErrors, type ValidationError } from './draft.ts'
import { strings } from './strings.ts'

const PAUSE_MS = 500
const text = strings.preview

function useDebounced<T>(value: T): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}

/** What the profile would have matched, requested after a pause in typing; the last answer stays visible meanwhile. */
export function usePreview(draft: Draft) {
  const debounced = useDebounced(draft)
  const sent = useMemo(() => bodyOf(debounced), [debounced])
  const hasSource = sent.sourceRows.length > 0
  const { name: _, ...asked } = sent.body
  const preview = useQuery({
    queryKey: ['preview', JSON.stringify(asked)],
    queryFn: () => api.post<Preview>('/profiles/preview', sent.body),
    enabled: hasSource,
    placeholderData: (before) => before,
    retry: false,
    gcTime: 60_000,
  })
  const errors: ValidationError[] = preview.error instanceof ApiError ? mapErrors(preview.error.details, sent) : []
  return { preview, hasSource, errors, isBehind: preview.isFetching || debounced !== draft }
}

type Props = { draft: Draft; state: ReturnType<typeof usePreview> }

/** What the profile would have matched in the archive. */
export function PreviewPane({ draft, state: { preview, hasSource, errors, isBehind } }: Props) {
  const { data } = preview
  const isFailed = preview.isError
  return (
    <section className="kit-card kit-stack profiles-preview" aria-labelledby="preview-title" aria-busy={isBehind}>
      <h2 id="preview-title">{text.title}</h2>
      {!hasSource && <p className="soft">{text.noAddress}</p>}
      {hasSource && isFailed && <p className="soft">{errors.length > 0 ? text.invalid : messageOf(preview.error)}</p>}
      {hasSource && !isFailed && data === undefined && <Skeleton lines={5} label={text.loading} />}
      {hasSource && !isFailed && data !== undefined && (
        <div className={classNames('kit-form profiles-preview-body', isBehind && 'profiles-preview-behind')}>
          <Answer data={data} draft={draft} />
        </div>
      )}
    </section>
  )
}

function Answer({ data, draft: { threshold } }: { data: Preview; draft: Draft }) {
  if (data.documents === 0) return <p className="soft">{text.nothingKept}</p>
  const top = Math.max(threshold, 1, ...[...data.examples, ...data.nearMisses].map(({ relevance }) => relevance))
  return (
    <>
      <p role="status">
        {text.would} <strong className="numbers">{data.matched.toLocaleString('en')}</strong> {text.ofLast}{' '}
        <strong className="numbers">{data.documents.toLocaleString('en')}</strong> {text.documents(data.covered)}{' '}
        {data.end === 'time' && text.incomplete}
      </p>
      {data.examples.length > 0 && (
        <Examples title={text.examples} list={data.examples} threshold={threshold} top={top} />
      )}
      {data.nearMisses.length > 0 && (
        <Examples title={text.nearMisses} list={data.nearMisses} threshold={threshold} top={top} />
      )}
      {data.matched === 0 && data.nearMisses.length === 0 && <p className="soft">{text.tryOther}</p>}
    </>
  )
}

type ExamplesProps = { title: string; list: readonly PreviewExample[]; threshold: number; top: number }

function Examples({ title, list, threshold, top }: ExamplesProps) {
  return (
    <div>
      <h3>{title}</h3>
      <ul className="profiles-examples">
        {list.map((example) => (
          <li key={example.version}>
            <p className="profiles-example-head">
              <Link className="ellipsis" href={`/documents/${example.document}?tab=text&version=${example.version}`}>
                {example.title === '' ? example.url : example.title}
              </Link>
              <RelativeTime at={example.at} className="faint small" />
            </p>
            <RelevanceBar relevance={example.relevance} threshold={threshold} top={top} />
            <p className="soft small profiles-example-text">
              <MarkedText text={example.summary.text} marks={example.summary.marks} />
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
}

function RelevanceBar({ relevance, threshold, top }: { relevance: number; threshold: number; top: number }) {
  const share = (value: number) => `${Math.min(100, (value / top) * 100)}%`
  const shown = Math.round(relevance * 100) / 100
  return (
    <p className="kit-row small profiles-relevance">
      <span className="profiles-bar" aria-hidden="true">
        <span
          className={relevance >= threshold ? 'profiles-bar-part' : 'profiles-bar-part profiles-bar-under'}
          style={{ width: share(relevance) }}
        />
        {threshold > 0 && <span className="profiles-bar-tick" style={{ left: share(threshold) }} />}
      </span>
      <span className="numbers">
        <span className="visually-hidden">{text.relevance} </span>
        {shown}
        {threshold > 0 && <span className="faint"> / {threshold}</span>}
      </span>
    </p>
  )
}
