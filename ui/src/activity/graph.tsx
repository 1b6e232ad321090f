import { useState } from 'react'
import { Link } from 'wouter'
import type { Graph } from '../api/types.ts'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { GraphCanvas } from './graph-canvas.tsx'
import { strings } from './strings.ts'
import { useGraph } from './use-activity.ts'

const text = strings.graph
const sizes = ['200', '1000', '5000'].map((value) => ({ value, label: text.pages(Number(value)) }))
const LISTED = 100

/** The crawled pages as a picture, and as a list for people who can't see it. */
export default function CrawlGraph() {
  const [limit, setLimit] = useState('1000')
  const [host, setHost] = useState('')
  const query = useGraph(Number(limit), host)
  return (
    <>
      <div className="kit-row">
        <Field label={text.limit}>
          <Select value={limit} options={sizes} onChange={setLimit} />
        </Field>
        <Field label={text.host}>
          <Input
            type="search"
            value={host}
            onChange={(event) => setHost(event.target.value.trim())}
            placeholder={text.allHosts}
          />
        </Field>
      </div>
      {query.error !== null ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <LoadingState label={text.loading} />
      ) : query.data.nodes.length === 0 ? (
        <EmptyState icon="globe" title={text.emptyTitle} advice={host === '' ? text.empty : text.emptyHost} />
      ) : (
        <>
          <GraphCanvas key={`${limit} ${host}`} graph={query.data} />
          <Legend more={query.data.more} />
          <NodeList graph={query.data} />
        </>
      )}
    </>
  )
}

function Legend({ more }: { more: boolean }) {
  return (
    <p className="activity-legend soft">
      {Object.entries(text.states).map(([state, word]) => (
        <span key={state}>
          <span className={`activity-dot activity-dot-${state}`} /> {word}{' '}
        </span>
      ))}
      {more && `· ${text.more}`}
    </p>
  )
}

function NodeList({ graph }: { graph: Graph }) {
  return (
    <details>
      <summary>{text.list}</summary>
      <ul className="activity-graph-nodes">
        {graph.nodes.slice(0, LISTED).map(({ document, url, title, state }) => (
          <li key={document}>
            <Link href={`/documents/${document}`}>{title === '' ? url : title}</Link>{' '}
            <span className="soft">{text.states[state]}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
