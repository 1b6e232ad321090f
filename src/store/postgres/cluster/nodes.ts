import type { ClusterFacts, NodeOrders, NodeReport, NodeStore } from '../../contracts/cluster/nodes.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { schedulerRole } from './schedule.ts'

const isSet = (name: string): string =>
  `coalesce((SELECT value = 'true' FROM control WHERE control.name = '${name}'), false)`

/** The orders of the operator and of the scheduler's leader, as SQL conditions. */
export const controlFlags = {
  paused: isSet('paused'),
  // Only the leader resets it. Without a leader it would stay set for ever.
  held: `(${isSet('held')} AND EXISTS (SELECT FROM leaders
    WHERE leaders.name = '${schedulerRole}' AND leaders.holder IS NOT NULL AND leaders.until > now()))`,
} as const

const statements = {
  heartbeat: `INSERT INTO nodes (id, name, role, host, pid, figures) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), figures = excluded.figures
    RETURNING draining, ${controlFlags.paused} AS paused, ${controlFlags.held} AS held`,
  list: `SELECT id, name, role, host, pid, figures AS stats, draining,
      round(extract(epoch FROM now() - started_at) * 1000)::bigint AS "startedMsAgo",
      round(extract(epoch FROM now() - seen_at) * 1000)::bigint AS "seenMsAgo",
      coalesce(held.n, 0) AS partitions
    FROM nodes LEFT JOIN (SELECT split_part(holder, '/', 1) AS node, count(*) AS n FROM leases WHERE until > now() GROUP BY 1) held
      ON held.node = nodes.id ORDER BY role, name, id`,
  drain: 'UPDATE nodes SET draining = $2 WHERE id = $1 RETURNING id',
  remove: 'DELETE FROM nodes WHERE id = $1',
  forget: `DELETE FROM nodes WHERE id IN (
    SELECT id FROM nodes WHERE seen_at < now() - $1 * interval '1 ms' FOR UPDATE SKIP LOCKED) RETURNING id`,
  set: `INSERT INTO control (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  facts: `SELECT (SELECT count(*)::int FROM leases WHERE holder IS NULL OR until <= now()) AS "freePartitions",
    ${controlFlags.paused} AS paused, ${controlFlags.held} AS held,
    coalesce((SELECT holder FROM leaders WHERE name = '${schedulerRole}' AND until > now()), '') AS leader,
    last.id AS run, last.finished_at IS NOT NULL AS finished
    FROM (SELECT 1) one LEFT JOIN (SELECT id, finished_at FROM runs ORDER BY id DESC LIMIT 1) last ON true`,
  paused: `SELECT ${controlFlags.paused} AS yes`,
  held: `SELECT ${controlFlags.held} AS yes`,
}

/** The names of a node's lease holders begin with its id and a slash; its partitions are counted by that. */
export function createPostgresNodes(pool: PostgresPool): NodeStore {
  async function set(name: 'paused' | 'held', value: boolean): Promise<void> {
    await pool.query(statements.set, [name, JSON.stringify(value)])
  }

  async function is(name: 'paused' | 'held'): Promise<boolean> {
    return (await pool.query<{ yes: boolean }>(statements[name]))[0]!.yes
  }

  return {
    async heartbeat({ id, name, role, host, pid, stats }) {
      const values = [id, name, role, host, pid, JSON.stringify(stats)]
      const [row] = await pool.query<NodeOrders>(statements.heartbeat, values)
      return row!
    },
    list: () => pool.query<NodeReport>(statements.list),
    drain: async (id, draining) => (await pool.query(statements.drain, [id, draining])).length > 0,
    async remove(id) {
      await pool.query(statements.remove, [id])
    },
    forget: async (silentMs) => (await pool.query(statements.forget, [silentMs])).length,
    pause: (paused) => set('paused', paused),
    isPaused: () => is('paused'),
    hold: (held) => set('held', held),
    isHeld: () => is('held'),
  }
}

type FactsRow = Omit<ClusterFacts, 'run'> & { run: number | null; finished: boolean }

export async function readClusterFacts(pool: PostgresPool): Promise<ClusterFacts> {
  const [row] = await pool.query<FactsRow>(statements.facts)
  const { run, finished, ...facts } = row!
  return { ...facts, run: run === null ? null : { id: run, finished } }
}
