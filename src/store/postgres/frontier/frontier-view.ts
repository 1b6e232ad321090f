import { hostKey, partitionOf } from '../../../core/url/partition.ts'
import type { FrontierCounts, KeptRobots } from '../../contracts/frontier.ts'
import type { FrontierView, ViewedHost } from '../../contracts/frontier-view.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { droppedOfPartitions } from './dropped-links.ts'
import { frontierStatements } from './frontier-rows.ts'

/** Maximum rows searched of a host's queue; millions of rows would take seconds. */
const MAX_LOOKED_AT = 100_000
/** Partitions searched for heavy hosts. A partition filled by many light hosts isn't slowed by one of them. */
const HEAVIEST = 16

export const viewStatements = {
  host: `SELECT queued, next_at AS "nextAt", failures, rests, given_up AS "givenUp" FROM hosts WHERE partition = $1 AND host = $2`,
  queued: `SELECT 1 FROM (SELECT fp FROM queue WHERE partition = $1
      AND host = (SELECT id FROM hosts WHERE partition = $1 AND host = $2) ORDER BY priority, seq LIMIT ${MAX_LOOKED_AT}) q
    WHERE fp = $3 LIMIT 1`,
  /** Links are queued before their page is done, so `queued` is never zero while work is left. */
  totals: `SELECT coalesce(sum(queued), 0)::bigint AS queued, coalesce(sum(seen) FILTER (WHERE run = $1), 0)::bigint AS seen,
    coalesce(sum(hosts), 0)::bigint AS hosts, coalesce(sum(given_up) FILTER (WHERE run = $1), 0)::bigint AS "givenUp"
    FROM frontiers`,
  heaviest: 'SELECT partition FROM frontiers WHERE queued > 0 ORDER BY queued DESC LIMIT $1',
  /** Limited to `MAX_LOOKED_AT` waiting hosts: a partition with very many hosts would take long, and has no heavy one. */
  heavyHosts: `SELECT host, queued FROM (
      SELECT host, queued FROM hosts WHERE partition = $1 AND queued > 0 LIMIT ${MAX_LOOKED_AT}) waiting
    ORDER BY queued DESC LIMIT $2`,
} as const

export type PostgresFrontierView = FrontierView & {
  /** Sums over all partitions. A run is over when nothing is queued any more. */
  totals(run: number): Promise<FrontierCounts>
  /** The hosts with the longest queues in the partitions with the most requests, longest first. */
  heavyHosts(limit: number): Promise<HeavyHost[]>
}

export type HeavyHost = { host: string; queued: number }

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
    async heavyHosts(limit) {
      const partitions = await pool.query<{ partition: number }>(viewStatements.heaviest, [HEAVIEST])
      const found = await Promise.all(
        partitions.map(({ partition }) => pool.query<HeavyHost>(viewStatements.heavyHosts, [partition, limit])),
      )
      return found
        .flat()
        .sort((a, b) => b.queued - a.queued)
        .slice(0, limit)
    },
    dropped: (after, limit) => droppedOfPartitions(pool, after, limit),
    close() {},
  }
}
