import type { ClusterControl, ClusterSnapshot, Target } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { NodeReport } from '../../store/contracts/nodes.ts'
import { schedulerRole } from '../../store/postgres/cluster/check-results.ts'
import { controlFlags, createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import { openPostgresStores } from '../engines/postgres-stores.ts'

/** Nodes that gave no sign for so long are not shown any more. */
const FORGOTTEN_MS = 86_400_000
const FORGET_EVERY_MS = 60_000
/** Of millions of tasks an exact number helps nobody, and counting them takes its time. */
const COUNT_EVERY_MS = 2_000
const CONNECTIONS = 2

/** Where a cluster is watched and steered: through the store alone, whoever of its nodes is there. */
export async function openControl({ store }: Target): Promise<ClusterControl> {
  if (store === null) throw new AppError('usage-wrong', 'there is no cluster in a data folder')
  const stores = await openPostgresStores({ address: store, maxConnections: CONNECTIONS, name: 'erace top' })
  const { pool, frontier, annotations } = stores
  const nodes = createPostgresNodes(pool)
  let forgetAt = Number.NEGATIVE_INFINITY
  let countAt = Number.NEGATIVE_INFINITY
  let tasks = 0

  async function countTasks(): Promise<number> {
    if (systemClock.monotonic() < countAt) return tasks
    tasks = await annotations.countTasks()
    countAt = systemClock.monotonic() + COUNT_EVERY_MS
    return tasks
  }

  return {
    async snapshot(): Promise<ClusterSnapshot> {
      if (systemClock.monotonic() >= forgetAt) {
        await nodes.forget(FORGOTTEN_MS)
        forgetAt = systemClock.monotonic() + FORGET_EVERY_MS
      }
      const [list, facts, waiting] = await Promise.all([
        nodes.list(),
        pool.query<Facts>(lookStatements.facts, [schedulerRole]),
        countTasks(),
      ])
      const { free, paused, held, leader, run, finished } = facts[0]!
      const { queued, seen, hosts } = await frontier.totals(run ?? 0)
      return {
        nodes: list,
        freePartitions: free,
        paused,
        held,
        leader,
        run: run === null ? null : { id: run, finished },
        queued,
        seen,
        hosts,
        tasks: waiting,
      }
    },
    async drain(name, draining) {
      const node = pick(await nodes.list(), name)
      if (!(await nodes.drain(node.id, draining))) throw new AppError('not-found', `${name} has just left`)
      return node.id
    },
    pause: (paused) => nodes.pause(paused),
    close: () => stores.close(),
  }
}

type Facts = {
  free: number
  paused: boolean
  held: boolean
  leader: string
  run: number | null
  finished: boolean
}

const lookStatements = {
  facts: `SELECT (SELECT count(*)::int FROM leases WHERE holder IS NULL OR until <= now()) AS free,
    ${controlFlags.paused} AS paused, ${controlFlags.held} AS held,
    coalesce((SELECT holder FROM leaders WHERE name = $1 AND until > now()), '') AS leader,
    last.id AS run, last.finished_at IS NOT NULL AS finished
    FROM (SELECT 1) one LEFT JOIN (SELECT id, finished_at FROM runs ORDER BY id DESC LIMIT 1) last ON true`,
}

/** By id, or by a name that only one has. */
function pick(nodes: readonly NodeReport[], name: string): NodeReport {
  const byId = nodes.find(({ id }) => id === name)
  if (byId !== undefined) return byId
  const named = nodes.filter((node) => node.name === name)
  if (named.length === 1) return named[0]!
  if (named.length > 1)
    throw new AppError(
      'usage-wrong',
      `${named.length} nodes have this name: name one by its id: ${listOf(named, 'id')}`,
    )
  const there = nodes.length === 0 ? 'there is none' : `there are: ${listOf(nodes, 'name')}`
  throw new AppError('not-found', `no node has the id or the name ${name}; ${there}`)
}

const MAX_LISTED = 20

function listOf(nodes: readonly NodeReport[], part: 'id' | 'name'): string {
  const words = [...new Set(nodes.map((node) => node[part]))]
  return `${words.slice(0, MAX_LISTED).join(', ')}${words.length > MAX_LISTED ? ', …' : ''}`
}
