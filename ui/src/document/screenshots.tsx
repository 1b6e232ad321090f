import './screenshots.css'
import { useState } from 'react'
import { ApiError } from '../api/client.ts'
import { useGet } from '../api/queries.ts'
import type { Screenshots } from '../api/types.ts'
import { classNames } from '../kit/class-names.ts'
import { Segments } from '../kit/segments.tsx'
import { ErrorState } from '../kit/states.tsx'
import { strings } from './strings.ts'

const texts = strings.screenshots

type Name = keyof typeof texts.names
type Picture = { name: Name; src: string; alt: string; width: number; height: number }

/** How the page looked in both versions. Only pages fetched with a browser have screenshots. */
export function ScreenshotsSection({ id, from, to }: { id: string; from: number; to: number }) {
  const path = `/documents/${id}/screenshots`
  const query = useGet<Screenshots>(['documents', id, 'screenshots', from, to], path, { from, to }, { retry: false })
  const [chosen, setChosen] = useState<Name>('difference')
  if (query.error instanceof ApiError && query.error.status === 404) return null
  if (query.error !== null) return <ErrorState title={texts.failed} query={query} />
  const pictures = query.data === undefined ? [] : picturesOf(query.data)
  if (query.data === undefined || pictures.length === 0) return null
  const shown = pictures.find(({ name }) => name === chosen) ?? pictures[0]!
  return (
    <section className="document-screenshots" aria-label={texts.title}>
      <div className="document-screenshots-head">
        <h2>{texts.title}</h2>
        <p className="soft">{summaryOf(query.data)}</p>
      </div>
      <Segments
        label={texts.choose}
        value={shown.name}
        segments={pictures.map(({ name }) => ({ value: name, label: texts.names[name] }))}
        onChange={setChosen}
      />
      <div className="document-screenshots-list">
        {pictures.map(({ name, src, alt, width, height }) => (
          <figure
            key={name}
            className={classNames('document-screenshot', name === shown.name && 'document-screenshot-chosen')}
          >
            <figcaption>{texts.names[name]}</figcaption>
            <a href={src} target="_blank" rel="noopener" title={texts.open}>
              <img {...{ src, width, height }} alt={alt} loading="lazy" decoding="async" />
            </a>
          </figure>
        ))}
      </div>
    </section>
  )
}

function picturesOf({ before, after, difference }: Screenshots): Picture[] {
  const sides = Object.entries({ before, after }).flatMap(([name, side]) =>
    side === null ? [] : [{ ...sizeOf(side), name: name as Name, src: side.url, alt: texts.alt(side.n) }],
  )
  if (difference === null || before === null || after === null) return sides
  const width = Math.max(before.width, after.width)
  const height = Math.max(before.height, after.height)
  return [...sides, { name: 'difference', src: difference, alt: texts.differenceAlt(before.n, after.n), width, height }]
}

const sizeOf = ({ width, height }: { width: number; height: number }) => ({ width, height })

function summaryOf({ before, after, changedShare }: Screenshots): string {
  if (before === null || after === null) return texts.onlyOne
  if (changedShare === null) return texts.notCompared
  return changedShare === 0 ? texts.same : texts.changed(changedShare)
}
