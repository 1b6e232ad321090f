import { useState } from 'react'
import type { List } from '../api/client.ts'
import { usePages } from '../api/queries.ts'
import type { Host } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input } from '../kit/input.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { formatCount } from '../kit/strings.ts'
import { Table } from '../kit/table.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { strings } from './strings.ts'

const text = strings.hosts
const REFRESH_MS = 15_000
const tones: Record<Host['health'], BadgeTone> = { fine: 'good', slow: 'warn', resting: 'warn', 'given-up': 'danger' }

/** Hosts with their health, unhealthy ones first. */
export function Hosts() {
  const [q, setQ] = useState('')
  const query = usePages<List<Host>>(['hosts', q], '/hosts', { q, limit: 50 }, { refetchInterval: REFRESH_MS })
  const hosts = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <Field label={text.find}>
        <Input type="search" value={q} onChange={setQ} placeholder={text.example} />
      </Field>
      {query.error !== null ? (
        <ErrorState query={query} />
      ) : query.isPending ? (
        <LoadingState lines={4} />
      ) : hosts.length === 0 ? (
        <EmptyState icon="globe" title={text.emptyTitle} advice={q === '' ? text.empty : text.noMatch} />
      ) : (
        <HostTable hosts={hosts} />
      )}
      {query.hasNextPage && (
        <Button label={text.more} onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage} />
      )}
    </>
  )
}

function HostTable({ hosts }: { hosts: readonly Host[] }) {
  return (
    <Table
      label={text.title}
      rows={hosts}
      rowKey={({ host }) => host}
      columns={[
        { key: 'host', head: text.host, cell: ({ host }) => <span className="break activity-host">{host}</span> },
        {
          key: 'health',
          head: text.health,
          cell: ({ health }) => (
            <Badge tone={tones[health]} title={text.healths[health].title}>
              {text.healths[health].word}
            </Badge>
          ),
        },
        { key: 'queued', head: text.queued, numbers: true, cell: ({ queued }) => formatCount(queued) },
        {
          key: 'failures',
          head: text.failures,
          numbers: true,
          wideOnly: true,
          cell: ({ failures }) => formatCount(failures),
        },
        { key: 'documents', head: text.documents, numbers: true, cell: ({ documents }) => formatCount(documents) },
        { key: 'failing', head: text.failing, numbers: true, cell: ({ failing }) => formatCount(failing) },
        {
          key: 'next',
          head: text.next,
          wideOnly: true,
          cell: ({ nextAt }) => <RelativeTime at={nextAt} fallback={text.anyTime} />,
        },
      ]}
    />
  )
}
