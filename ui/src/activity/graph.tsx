import { useState } from 'react'
import { Link } from 'wouter'
import type { Graph } from '../api/types.ts'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { GraphCanvas } from './graph-canvas.tsx'
import { useGraph } from './use-activity.ts'

const sizes = ['200', '1000', '5000'].map((value) => ({ value, label: `${Number(value).toLocaleString('en')} pages` }))
const LISTED = 100

/** A picture of what was crawled, and the same as a list for those who do not see it. */
export default function CrawlGraph() {
  const [limit, setLimit] = useState('1000')
  const [host, setHost] = useState('')
  const query = useGraph(Number(limit), host)
  return (
    <>
      <div className="kit-row">
        <Field label="At most">
          <Select value={limit} options={sizes} onChange={setLimit} />
        </Field>
        <Field label="Only of this host">
          <Input
            type="search"
            value={host}
            onChange={(event) => setHost(event.target.value.trim())}
            placeholder="all hosts"
          />
        </Field>
      </div>
      {query.error !== null ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <LoadingState label="Drawing" />
      ) : query.data.nodes.length === 0 ? (
        <EmptyState icon="globe" title="Nothing to draw">
          {host === ''
            ? 'When pages have been fetched, they and their links stand here.'
            : 'Nothing is kept of this host.'}
        </EmptyState>
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
      <span className="activity-dot activity-dot-fetched" /> fetched{' '}
      <span className="activity-dot activity-dot-redirect" /> redirect{' '}
      <span className="activity-dot activity-dot-gone" /> gone <span className="activity-dot activity-dot-failed" />{' '}
      failed
      {more && ' · there are more pages than are drawn'}
    </p>
  )
}

function NodeList({ graph }: { graph: Graph }) {
  return (
    <details>
      <summary>The pages as a list</summary>
      <ul className="activity-graph-nodes">
        {graph.nodes.slice(0, LISTED).map(({ document, url, title, state }) => (
          <li key={document}>
            <Link href={`/documents/${document}`}>{title === '' ? url : title}</Link>{' '}
            <span className="soft">{state}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
