import type { NodeReport, NodeStore } from '../nodes.ts'
import type { ClusterPool } from './pool.ts'

const statements = {
  heartbeat: `INSERT INTO nodes (id, name, role, host, pid, figures) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), figures = excluded.figures
    RETURNING draining, coalesce((SELECT value = 'true' FROM control WHERE control.name = 'paused'), false) AS paused`,
  list: `SELECT id, name, role, host, pid, figures, draining,
      round(extract(epoch FROM now() - started_at) * 1000)::bigint AS "startedMsAgo",
      round(extract(epoch FROM now() - seen_at) * 1000)::bigint AS "seenMsAgo",
      (SELECT count(*) FROM leases WHERE until > now() AND starts_with(holder, nodes.id || '/')) AS partitions
    FROM nodes ORDER BY role, name, id`,
  drain: 'UPDATE nodes SET draining = $2 WHERE id = $1 RETURNING id',
  remove: 'DELETE FROM nodes WHERE id = $1',
  forget: `DELETE FROM nodes WHERE id IN (
    SELECT id FROM nodes WHERE seen_at < now() - $1 * interval '1 ms' FOR UPDATE SKIP LOCKED) RETURNING id`,
  set: `INSERT INTO control (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  paused: `SELECT value = 'true' AS paused FROM control WHERE name = 'paused'`,
}

/** The id of a node is what the names of its holders begin with, up to a slash: so its partitions are counted. */
export function createClusterNodes(pool: ClusterPool): NodeStore {
  return {
    async heartbeat({ id, name, role, host, pid, figures }) {
      const values = [id, name, role, host, pid, JSON.stringify(figures)]
      const [row] = await pool.query<{ draining: boolean; paused: boolean }>(statements.heartbeat, values)
      return row!
    },
    list: () => pool.query<NodeReport>(statements.list),
    drain: async (id, draining) => (await pool.query(statements.drain, [id, draining])).length > 0,
    async remove(id) {
      await pool.query(statements.remove, [id])
    },
    forget: async (silentMs) => (await pool.query(statements.forget, [silentMs])).length,
    async pause(paused) {
      await pool.query(statements.set, ['paused', JSON.stringify(paused)])
    },
    isPaused: async () => (await pool.query<{ paused: boolean }>(statements.paused))[0]?.paused ?? false,
  }
}
