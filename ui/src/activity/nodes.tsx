import { type ReactNode, useState } from 'react'
import type { Node } from '../api/types.ts'
import { Badge, type BadgeTone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { ErrorState, LoadingState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { RelativeTime } from '../time/relative-time.tsx'
import { NodesHint } from './nodes-hint.tsx'
import { lagWords, perSecond, sizeOf, whole } from './number-words.ts'
import { useDrain, useNodes } from './use-activity.ts'

const states: Record<Node['state'], { tone: BadgeTone; title: string }> = {
  running: { tone: 'good', title: 'It does its work' },
  draining: { tone: 'warn', title: 'It hands over its partitions and takes no new ones' },
  paused: { tone: 'warn', title: 'It fetches nothing: the crawl is paused, or the store takes no writes' },
  behind: { tone: 'warn', title: 'Its signs of life are late' },
  lost: { tone: 'danger', title: 'No sign of life for longer than a lease: others have its work' },
}

const roles: Record<Node['role'], string> = { all: 'everything', server: 'server', worker: 'worker', crawl: 'crawl' }

/** The processes that share the work. */
export function Nodes() {
  const nodes = useNodes()
  const [asked, setAsked] = useState<Node | null>(null)
  const drain = useDrain()
  if (nodes.error !== null && nodes.data === undefined)
    return <ErrorState error={nodes.error} onRetry={() => void nodes.refetch()} />
  if (nodes.data === undefined) return <LoadingState label="Reading the nodes" lines={3} />
  const { items } = nodes.data
  return (
    <div className="activity-nodes">
      {items.length > 0 && (
        <NodeTable nodes={items} onDrain={setAsked} onReturn={({ id }) => drain.mutate({ id, draining: false })} />
      )}
      <NodesHint nodes={items} />
      {asked !== null && (
        <ConfirmDialog
          title={`Drain ${asked.name}?`}
          confirm={`Drain ${asked.name}`}
          busy={drain.isPending}
          onCancel={() => setAsked(null)}
          onConfirm={() => drain.mutate({ id: asked.id, draining: true }, { onSettled: () => setAsked(null) })}
        >
          <p>
            It finishes what it has begun, hands over its {whole(asked.partitions)} partitions to the other nodes and
            takes no new ones, until you take this back. Do it before a machine is taken away.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

type TableProps = { nodes: readonly Node[]; onDrain: (node: Node) => void; onReturn: (node: Node) => void }

function NodeTable({ nodes, onDrain, onReturn }: TableProps) {
  return (
    <Table
      label="The nodes with their figures"
      rows={nodes}
      rowKey={({ id }) => id}
      columns={[
        { key: 'node', head: 'Node', cell: (node) => <Name node={node} /> },
        { key: 'state', head: 'State', cell: ({ state }) => <State state={state} /> },
        number('Partitions', ({ partitions }) => whole(partitions)),
        number('Pages', ({ pagesPerSecond }) => perSecond(pagesPerSecond)),
        number('Queue', ({ queued }) => whole(queued)),
        number('Errors', ({ errors }) => whole(errors)),
        number('Refused', ({ refused }) => whole(refused)),
        number('Memory', ({ rssBytes }) => (rssBytes === 0 ? '–' : sizeOf(rssBytes))),
        number('Last sign', ({ lagMs, seenAt }) => lagWords(lagMs) ?? <RelativeTime at={seenAt} />),
        {
          key: 'do',
          head: <span className="only-heard">Actions</span>,
          cell: (node) => <Actions node={node} onDrain={onDrain} onReturn={onReturn} />,
        },
      ]}
    />
  )
}

/** On a phone a row is a card, in which each number has its name beside it. */
function number(head: string, cell: (node: Node) => ReactNode) {
  return {
    key: head,
    head,
    numbers: true,
    cell: (node: Node) => (
      <>
        <span className="activity-node-label soft">{head}</span>
        <span>{cell(node)}</span>
      </>
    ),
  }
}

function Name({ node: { name, role, host, pid, lastError } }: { node: Node }) {
  return (
    <div className="activity-node-name">
      <span>
        <strong>{name}</strong> <span className="soft">{roles[role]}</span>
      </span>
      <span className="soft activity-node-host" title={`${host}:${pid}`}>
        {host}:{pid}
      </span>
      {lastError !== '' && (
        <span className="activity-node-error" title={lastError}>
          {lastError}
        </span>
      )}
    </div>
  )
}

function State({ state }: { state: Node['state'] }) {
  const { tone, title } = states[state]
  return (
    <Badge tone={tone} title={title}>
      {state}
    </Badge>
  )
}

function Actions({ node, onDrain, onReturn }: Omit<TableProps, 'nodes'> & { node: Node }) {
  const { role, state, name } = node
  if (role === 'all' || role === 'server' || state === 'lost') return null
  const isDraining = state === 'draining'
  return (
    <Button small onClick={() => (isDraining ? onReturn(node) : onDrain(node))}>
      {isDraining ? 'Undo drain' : 'Drain'} <span className="only-heard">{name}</span>
    </Button>
  )
}
