import { useState } from 'react'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import type { Graph } from '../api/types.ts'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { GraphCanvas } from './graph-canvas.tsx'
import { type State, tokens } from './graph-drawing.ts'
import { strings } from './strings.ts'

const text = strings.graph
const sizes = ['200', '1000', '5000'].map((value) => ({ value, label: text.pages(Number(value)) }))
const LISTED = 100

/** The crawled pages as a picture, and as a list for people who can't see it. */
export default function CrawlGraph() {
  const [limit, setLimit] = useState('1000')
  const [host, setHost] = useState('')
  const query = useGet<Graph>(['graph', limit, host], '/crawl/graph', { limit, host }, { staleTime: Infinity })
  return (
    <>
      <div className="kit-row">
        <Field label={text.limit}>
          <Select value={limit} options={sizes} onChange={setLimit} />
        </Field>
        <Field label={text.host}>
          <Input type="search" value={host} onChange={(text) => setHost(text.trim())} placeholder={text.allHosts} />
        </Field>
      </div>
      {query.error !== null ? (
        <ErrorState query={query} />
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
    <p className="kit-row soft activity-legend">
      {(Object.keys(text.states) as State[]).map((state) => (
        <span key={state}>
          <span className="activity-dot" style={{ background: `var(${tokens[state]})` }} /> {text.states[state]}{' '}
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
      <ul className="break activity-graph-nodes">
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
