import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { SearchHit } from '../api/types.ts'
import { useShortcuts } from '../keyboard/use-shortcuts.ts'
import { MarkedText } from '../kit/marked-text.tsx'
import { RelativeTime } from '../time/relative-time.tsx'

export function SearchHits({ hits }: { hits: readonly SearchHit[] }) {
  const list = useRef<HTMLOListElement>(null)
  const [at, setAt] = useState(-1)
  useEffect(() => {
    list.current?.querySelectorAll<HTMLElement>('.search-title')[at]?.focus()
  }, [at])
  const move = (step: number) => setAt((now) => Math.min(Math.max(now + step, 0), hits.length - 1))
  useShortcuts('Search', [
    { keys: ['j', 'ArrowDown'], label: 'Next result', run: () => move(1) },
    { keys: ['k', 'ArrowUp'], label: 'Result before', run: () => move(-1) },
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
      <p className="search-where">
        <span className="search-url">{url}</span>
        <span aria-hidden="true">·</span>
        <RelativeTime at={at} />
      </p>
      <p className="search-snippet">
        <MarkedText text={snippet.text} marks={snippet.marks as [number, number][]} />
      </p>
      <p className="search-links">
        <Link href={`/documents/${document}?tab=text&version=${version}`}>Version {n}</Link>
        <Link href={`/documents/${document}`}>Document and its history</Link>
        <a href={url} target="_blank" rel="noreferrer noopener">
          Original page
        </a>
      </p>
    </article>
  )
}
