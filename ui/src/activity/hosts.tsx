import { useState } from 'react'
import type { Host } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { whole } from './number-words.ts'
import { useHosts } from './use-activity.ts'

const healths: Record<Host['health'], { tone: BadgeTone; word: string; title: string }> = {
  fine: { tone: 'good', word: 'fine', title: 'It answers' },
  slow: { tone: 'warn', word: 'slow', title: 'It answers late, and is asked less often' },
  resting: { tone: 'warn', word: 'resting', title: 'It failed, and is left alone for a while' },
  'given-up': { tone: 'danger', word: 'given up', title: 'It failed again and again; a new check tries it once more' },
}

/** Hosts with their health, those in trouble first. */
export function Hosts() {
  const [q, setQ] = useState('')
  const query = useHosts(q)
  const hosts = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <Field label="Find a host">
        <Input type="search" value={q} onChange={(event) => setQ(event.target.value)} placeholder="example.org" />
      </Field>
      {query.error !== null ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <LoadingState lines={4} />
      ) : hosts.length === 0 ? (
        <EmptyState icon="globe" title="No hosts">
          {q === '' ? 'As soon as a watch is checked, its host stands here.' : 'None has that in its name.'}
        </EmptyState>
      ) : (
        <HostTable hosts={hosts} />
      )}
      {query.hasNextPage && (
        <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
          More hosts
        </Button>
      )}
    </>
  )
}

function HostTable({ hosts }: { hosts: readonly Host[] }) {
  return (
    <Table
      label="Hosts"
      rows={hosts}
      rowKey={({ host }) => host}
      columns={[
        { key: 'host', head: 'Host', cell: ({ host }) => <span className="activity-host">{host}</span> },
        {
          key: 'health',
          head: 'Health',
          cell: ({ health }) => (
            <Badge tone={healths[health].tone} title={healths[health].title}>
              {healths[health].word}
            </Badge>
          ),
        },
        { key: 'queued', head: 'Queued', numbers: true, cell: ({ queued }) => whole(queued) },
        {
          key: 'failures',
          head: 'Failures in a row',
          numbers: true,
          wideOnly: true,
          cell: ({ failures }) => whole(failures),
        },
        { key: 'documents', head: 'Documents', numbers: true, cell: ({ documents }) => whole(documents) },
        { key: 'failing', head: 'Failing', numbers: true, cell: ({ failing }) => whole(failing) },
        {
          key: 'next',
          head: 'Next request',
          wideOnly: true,
          cell: ({ nextAt }) => <RelativeTime at={nextAt} fallback="any time" />,
        },
      ]}
    />
  )
}
