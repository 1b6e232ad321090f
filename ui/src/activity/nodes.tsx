import { type ReactNode, useState } from 'react'
import { api, type List } from '../api/client.ts'
import { useChange, useGet } from '../api/queries.ts'
import type { Node } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { formatCount, formatSize, strings as shared } from '../kit/strings.ts'
import { Table } from '../kit/table.tsx'
import { showError, showToast } from '../kit/toast.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { formatLag, formatRate, strings } from './strings.ts'

const text = strings.nodes
/** Nodes come and go in seconds. */
const REFRESH_MS = 3_000
const tones: Record<Node['state'], BadgeTone> = {
  running: 'good',
  waiting: 'warn',
  draining: 'warn',
  paused: 'warn',
  behind: 'warn',
  lost: 'danger',
}

/** The processes that share the work. */
export function Nodes() {
  const nodes = useGet<List<Node>>(['nodes'], '/nodes', {}, { refetchInterval: REFRESH_MS })
  const [asked, setAsked] = useState<Node | null>(null)
  type Drain = { id: string; draining: boolean }
  const patch = ({ id, draining }: Drain) => api.patch<Node>(`/nodes/${encodeURIComponent(id)}`, { draining })
  const drain = useChange(['nodes'], patch, {
    onSuccess: ({ name }, { draining }) => showToast(draining ? text.draining(name) : text.undone(name)),
    onError: showError,
  })
  if (nodes.error !== null && nodes.data === undefined) return <ErrorState query={nodes} />
  if (nodes.data === undefined) return <LoadingState label={text.loading} lines={3} />
  const { items } = nodes.data
  return (
    <div className="activity-nodes">
      {items.length > 0 && (
        <NodeTable nodes={items} onDrain={setAsked} onReturn={({ id }) => drain.mutate({ id, draining: false })} />
      )}
      <NodesHint nodes={items} />
      {asked !== null && (
        <ConfirmDialog
          title={text.drainTitle(asked.name)}
          confirm={text.drainConfirm(asked.name)}
          disabled={drain.isPending}
          onClose={() => setAsked(null)}
          onConfirm={() => drain.mutate({ id: asked.id, draining: true }, { onSettled: () => setAsked(null) })}
        >
          <p>{text.drainBody(asked.partitions)}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

type TableProps = { nodes: readonly Node[]; onDrain: (node: Node) => void; onReturn: (node: Node) => void }

function NodeTable({ nodes, onDrain, onReturn }: TableProps) {
  return (
    <Table
      label={text.table}
      rows={nodes}
      rowKey={({ id }) => id}
      columns={[
        { key: 'node', head: text.node, cell: (node) => <Name node={node} /> },
        { key: 'state', head: text.state, cell: ({ state }) => <State state={state} /> },
        number(text.partitions, ({ partitions }) => formatCount(partitions)),
        number(text.pages, ({ pagesPerSecond }) => formatRate(pagesPerSecond)),
        number(text.queue, ({ queued }) => formatCount(queued)),
        number(text.errors, ({ errors }) => formatCount(errors)),
        number(text.refused, ({ refused }) => formatCount(refused)),
        number(text.memory, ({ rssBytes }) => (rssBytes === 0 ? '–' : formatSize(rssBytes))),
        number(text.lastSeen, ({ lagMs, seenAt }) => formatLag(lagMs) ?? <RelativeTime at={seenAt} />),
        {
          key: 'do',
          head: <span className="visually-hidden">{shared.actions}</span>,
          cell: (node) => <Actions node={node} onDrain={onDrain} onReturn={onReturn} />,
        },
      ]}
    />
  )
}

/** On a phone a row becomes a card, where each number needs its label beside it. */
function number(head: string, cell: (node: Node) => ReactNode) {
  return {
    key: head,
    head,
    numbers: true,
    cell: (node: Node) => (
      <>
        <span className="soft small activity-node-label">{head}</span>
        <span>{cell(node)}</span>
      </>
    ),
  }
}

function Name({ node: { name, role, host, pid, lastError } }: { node: Node }) {
  return (
    <div className="break activity-node-name">
      <span>
        <strong>{name}</strong> <span className="soft small">{text.roles[role]}</span>
      </span>
      <span className="soft small ellipsis activity-node-host" title={`${host}:${pid}`}>
        {host}:{pid}
      </span>
      {lastError !== '' && (
        <span className="small activity-node-error" title={lastError}>
          {lastError}
        </span>
      )}
    </div>
  )
}

function State({ state }: { state: Node['state'] }) {
  const { word, title } = text.states[state]
  return (
    <Badge tone={tones[state]} title={title}>
      {word}
    </Badge>
  )
}

function Actions({ node, onDrain, onReturn }: Omit<TableProps, 'nodes'> & { node: Node }) {
  const { role, state, name } = node
  if (role === 'all' || role === 'server' || state === 'lost') return null
  const isDraining = state === 'draining'
  return (
    <Button small onClick={() => (isDraining ? onReturn(node) : onDrain(node))}>
      {isDraining ? text.undoDrain : text.drain} <span className="visually-hidden">{name}</span>
    </Button>
  )
}

/** What to do next when one process does everything, or no worker runs. */
function NodesHint({ nodes }: { nodes: readonly Node[] }) {
  if (nodes.some(({ role }) => role === 'all'))
    return (
      <p className="soft break activity-nodes-hint">
        {text.single} <code>{text.migrateCommand}</code>
        {text.thenStart} <code>{text.serveCommand}</code> {text.andWorkers} <code>{text.workerCommand}</code>{' '}
        {text.anyMachine}
      </p>
    )
  const isWorking = nodes.some(({ role, state }) => role !== 'server' && state !== 'lost')
  if (isWorking) return null
  return (
    <p className="soft break activity-nodes-hint">
      {text.noWorker} <code>{text.workerCommand}</code> {text.noWorkerEnd}
    </p>
  )
}
