import { hostKey, partitionOf } from '../../../core/url/partition.ts'
import type { FrontierCounts, KeptRobots } from '../../contracts/frontier.ts'
import type { FrontierView, ViewedHost } from '../../contracts/frontier-view.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { droppedOfPartitions } from './dropped-links.ts'
import { frontierStatements } from './frontier-rows.ts'

/** Of a host's queue; one of millions of rows would take seconds. */
const MAX_LOOKED_AT = 100_000

export const viewStatements = {
  host: `SELECT queued, next_at AS "nextAt", failures, rests, given_up AS "givenUp" FROM hosts WHERE partition = $1 AND host = $2`,
  queued: `SELECT 1 FROM (SELECT fp FROM queue WHERE partition = $1
      AND host = (SELECT id FROM hosts WHERE partition = $1 AND host = $2) ORDER BY priority, seq LIMIT ${MAX_LOOKED_AT}) q
    WHERE fp = $3 LIMIT 1`,
  /** Links are queued before the page that they stand on is done: while something is left, this never says zero. */
  totals: `SELECT coalesce(sum(queued), 0)::bigint AS queued, coalesce(sum(seen) FILTER (WHERE run = $1), 0)::bigint AS seen,
    coalesce(sum(hosts), 0)::bigint AS hosts, coalesce(sum(given_up) FILTER (WHERE run = $1), 0)::bigint AS "givenUp"
    FROM frontiers`,
} as const

export type PostgresFrontierView = FrontierView & {
  /** Over all partitions. A run is over when nothing is queued any more. */
  totals(run: number): Promise<FrontierCounts>
}

export function createPostgresFrontierView(pool: PostgresPool): PostgresFrontierView {
  return {
    async robots(origin) {
      const [row] = await pool.query<{ kind: KeptRobots['kind']; body: Buffer; expires_at: number }>(
        frontierStatements.robots,
        [partitionOf(hostKey(`${origin}/`)), origin],
      )
      return row === undefined ? null : { kind: row.kind, body: row.body, expiresAt: row.expires_at }
    },
    async host(host) {
      const [row] = await pool.query<ViewedHost>(viewStatements.host, [partitionOf(host), host])
      return row ?? null
    },
    async isQueued({ host, fp }) {
      return (await pool.query(viewStatements.queued, [partitionOf(host), host, String(fp)])).length > 0
    },
    totals: async (run) => (await pool.query<FrontierCounts>(viewStatements.totals, [run]))[0]!,
    dropped: (after, limit) => droppedOfPartitions(pool, after, limit),
    close() {},
  }
}
