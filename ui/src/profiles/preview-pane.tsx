import { Link } from 'wouter'
import { messageOf } from '../api/client.ts'
import type { Preview, PreviewExample } from '../api/types.ts'
import { classNames } from '../kit/class-names.ts'
import { MarkedText } from '../kit/marked-text.tsx'
import { Skeleton } from '../kit/states.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import type { Draft } from './draft.ts'
import type { usePreview } from './use-preview.ts'

type Props = { draft: Draft; state: ReturnType<typeof usePreview> }

/** What the profile would have done with what is kept already. */
export function PreviewPane({ draft, state: { preview, hasSource, faults, isBehind } }: Props) {
  const { data } = preview
  const isFaulty = preview.isError
  return (
    <section className="profiles-preview" aria-labelledby="preview-title" aria-busy={isBehind}>
      <h2 id="preview-title">Preview</h2>
      {!hasSource && <p className="soft">Give an address, and what would have matched stands here.</p>}
      {hasSource && isFaulty && (
        <p className="soft">
          {faults.length > 0 ? 'The preview goes on when the marked field is mended.' : messageOf(preview.error)}
        </p>
      )}
      {hasSource && !isFaulty && data === undefined && <Skeleton lines={5} label="Looking at what is kept" />}
      {hasSource && !isFaulty && data !== undefined && (
        <div className={classNames('profiles-preview-body', isBehind && 'profiles-preview-behind')}>
          <Answer data={data} draft={draft} />
        </div>
      )}
    </section>
  )
}

function Answer({ data, draft: { threshold } }: { data: Preview; draft: Draft }) {
  if (data.documents === 0)
    return (
      <p className="soft">
        Nothing is kept yet that it could be held against. Save it: after the first visits there is.
      </p>
    )
  const top = Math.max(threshold, 1, ...[...data.examples, ...data.nearMisses].map(({ relevance }) => relevance))
  return (
    <>
      <p role="status">
        Would have matched <strong className="numbers">{data.matched.toLocaleString('en')}</strong> of the last{' '}
        <strong className="numbers">{data.documents.toLocaleString('en')}</strong> documents
        {data.covered ? ' of these addresses.' : ' of all that you watch; nothing of these addresses is kept yet.'}
        {data.end === 'time' && ' There is more; the look was cut short.'}
      </p>
      {data.examples.length > 0 && <Examples title="Examples" list={data.examples} threshold={threshold} top={top} />}
      {data.nearMisses.length > 0 && (
        <Examples title="Near misses" list={data.nearMisses} threshold={threshold} top={top} />
      )}
      {data.matched === 0 && data.nearMisses.length === 0 && (
        <p className="soft">Try fewer conditions, other words, or a lower threshold.</p>
      )}
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
              <Link href={`/documents/${example.document}?tab=text&version=${example.version}`}>
                {example.title === '' ? example.url : example.title}
              </Link>
              <RelativeTime at={example.at} className="faint" />
            </p>
            <RelevanceBar relevance={example.relevance} threshold={threshold} top={top} />
            <p className="profiles-example-text">
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
    <p className="profiles-relevance">
      <span className="profiles-bar" aria-hidden="true">
        <span
          className={relevance >= threshold ? 'profiles-bar-part' : 'profiles-bar-part profiles-bar-under'}
          style={{ width: share(relevance) }}
        />
        {threshold > 0 && <span className="profiles-bar-tick" style={{ left: share(threshold) }} />}
      </span>
      <span className="numbers">
        <span className="only-heard">Relevance </span>
        {shown}
        {threshold > 0 && <span className="faint"> / {threshold}</span>}
      </span>
    </p>
  )
}
