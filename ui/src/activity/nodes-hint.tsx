import type { Node } from '../api/types.ts'

/** What to do next where one process does all, or nobody does the work. */
export function NodesHint({ nodes }: { nodes: readonly Node[] }) {
  if (nodes.some(({ role }) => role === 'all'))
    return (
      <p className="soft activity-nodes-hint">
        One process does all the work. When it is not enough, move everything into PostgreSQL with{' '}
        <code>erace migrate --from DIR --to postgres://…</code>, then start{' '}
        <code>erace serve --store postgres://…</code> and as many <code>erace worker --store postgres://…</code> as you
        like, on any machine.
      </p>
    )
  const isWorking = nodes.some(({ role, state }) => role !== 'server' && state !== 'lost')
  if (isWorking) return null
  return (
    <p className="soft activity-nodes-hint">
      No worker is there, so nothing is fetched. Start one with <code>erace worker --store postgres://…</code>, on this
      machine or on any other that reaches the database.
    </p>
  )
}
