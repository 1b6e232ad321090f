import { useState } from 'react'
import type { SearchResult } from '../api/types.ts'
import { summedPeriods, withPeriod, withSite } from './search-words.ts'

const periodWords = {
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
  year: 'Last year',
  older: 'Older than a year',
}
type Props = { facets: SearchResult['facets']; query: string; onNarrow: (query: string) => void }

/** Each narrows the search by a condition that can be seen and taken out again. */
export function SearchFacets({ facets, query, onNarrow }: Props) {
  const [isOpen, setIsOpen] = useState(() => window.matchMedia('(min-width: 60rem)').matches)
  const times = summedPeriods(facets.times).filter(({ count }) => count > 0)
  return (
    <details className="search-narrow" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Narrow the search</summary>
      <div className="search-facets">
        {facets.sources.length > 0 && (
          <section>
            <h2>Where</h2>
            <ul>
              {facets.sources.map(({ host, count }) => (
                <Facet key={host} word={host} count={count} onPress={() => onNarrow(withSite(query, host))} />
              ))}
            </ul>
          </section>
        )}
        {times.length > 0 && (
          <section>
            <h2>When</h2>
            <ul>
              {times.map(({ period, count }) => (
                <Facet
                  key={period}
                  word={periodWords[period]}
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

function Facet({ word, count, onPress }: { word: string; count: number; onPress: () => void }) {
  return (
    <li>
      <button type="button" className="search-facet" onClick={onPress}>
        <span className="search-facet-word">{word}</span>
        <span className="numbers soft">{count.toLocaleString('en')}</span>
      </button>
    </li>
  )
}
