import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { SearchHit, SearchResult } from '../api/types.ts'
import { useShortcuts } from '../keyboard/shortcuts.ts'
import { MarkedText } from '../kit/marked-text.tsx'
import { formatCount } from '../kit/strings.ts'
import { RelativeTime } from '../time/relative-time.tsx'
import { summedPeriods, withPeriod, withSite } from './query-conditions.ts'
import { strings } from './strings.ts'

export function SearchHits({ hits }: { hits: readonly SearchHit[] }) {
  const list = useRef<HTMLOListElement>(null)
  const [at, setAt] = useState(-1)
  useEffect(() => {
    list.current?.querySelectorAll<HTMLElement>('.search-title')[at]?.focus()
  }, [at])
  const move = (step: number) => setAt((now) => Math.min(Math.max(now + step, 0), hits.length - 1))
  useShortcuts(strings.keys.group, [
    { keys: ['j', 'ArrowDown'], label: strings.keys.next, run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: strings.keys.previous, run: () => move(-1) },
  ])
  return (
    <ol ref={list} className="search-hits">
      {hits.map((hit) => (
        <li key={hit.version}>
          <Hit hit={hit} />
        </li>
      ))}
    </ol>
  )
}

function Hit({ hit }: { hit: SearchHit }) {
  const { url, document, version, n, at, title, titleMarks, snippet } = hit
  return (
    <article>
      <h2>
        <Link className="search-title" href={`/documents/${document}?tab=text&version=${version}`}>
          {title === '' ? url : <MarkedText text={title} marks={titleMarks as [number, number][]} />}
        </Link>
      </h2>
      <p className="faint small search-where">
        <span className="ellipsis">{url}</span>
        <span aria-hidden="true">·</span>
        <RelativeTime at={at} />
      </p>
      <p className="search-snippet">
        <MarkedText text={snippet.text} marks={snippet.marks as [number, number][]} />
      </p>
      <p className="kit-row faint small search-links">
        <Link href={`/documents/${document}?tab=text&version=${version}`}>{strings.version(n)}</Link>
        <Link href={`/documents/${document}`}>{strings.history}</Link>
        <a href={url} target="_blank" rel="noreferrer noopener">
          {strings.original}
        </a>
      </p>
    </article>
  )
}

type FacetsProps = { facets: SearchResult['facets']; query: string; onNarrow: (query: string) => void }

/** Each adds a visible condition to the query, which can be removed again. */
export function SearchFacets({ facets, query, onNarrow }: FacetsProps) {
  const [isOpen, setIsOpen] = useState(() => window.matchMedia('(min-width: 60rem)').matches)
  const times = summedPeriods(facets.times).filter(({ count }) => count > 0)
  return (
    <details
      className="kit-details search-narrow"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{strings.narrow}</summary>
      <div className="search-facets">
        {facets.sources.length > 0 && (
          <section>
            <h2 className="faint">{strings.source}</h2>
            <ul>
              {facets.sources.map(({ host, count }) => (
                <Facet key={host} label={host} count={count} onPress={() => onNarrow(withSite(query, host))} />
              ))}
            </ul>
          </section>
        )}
        {times.length > 0 && (
          <section>
            <h2 className="faint">{strings.time}</h2>
            <ul>
              {times.map(({ period, count }) => (
                <Facet
                  key={period}
                  label={strings.periods[period]}
                  count={count}
                  onPress={() => onNarrow(withPeriod(query, period, Date.now()))}
                />
              ))}
            </ul>
          </section>
        )}
      </div>
    </details>
  )
}

function Facet({ label, count, onPress }: { label: string; count: number; onPress: () => void }) {
  return (
    <li>
      <button type="button" className="search-facet" onClick={onPress}>
        <span className="ellipsis">{label}</span>
        <span className="numbers soft">{formatCount(count)}</span>
      </button>
    </li>
  )
}
