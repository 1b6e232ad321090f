import type { WatchReach } from '../../core/errand-order.ts'
import type { ReachStore } from '../reaches.ts'
import { checkLeader } from './leader.ts'
import { schedulerRole } from './news.ts'
import type { ClusterPool, Tx } from './pool.ts'

export const reachesChannel = 'reaches'

const statements = {
  // A change of reach in the midst of a check does not take its round back.
  put: `WITH put AS (
      INSERT INTO reaches AS r (watch, round, version, reach)
      SELECT watch, round, nextval('reach_versions'), reach FROM unnest($1::bigint[], $2::bigint[], $3::jsonb[]) AS given (watch, round, reach)
      ON CONFLICT (watch) DO UPDATE SET round = greatest(r.round, excluded.round), version = excluded.version,
        reach = excluded.reach, at = now())
    SELECT pg_notify('${reachesChannel}', '')`,
  forget: `WITH forgotten AS (
      UPDATE reaches SET reach = NULL, version = nextval('reach_versions'), at = now()
      WHERE watch = ANY($1) AND reach IS NOT NULL)
    SELECT pg_notify('${reachesChannel}', '')`,
  // Whoever slept for so long has lost its partitions, and reads all of them when it begins again.
  clean: `DELETE FROM reaches WHERE reach IS NULL AND at < now() - interval '1 day'`,
  since: 'SELECT watch, round, version, reach FROM reaches WHERE version > $1 ORDER BY version',
}

type ReachRow = { watch: number; round: number; version: number; reach: WatchReach | null }

export function createClusterReaches(pool: ClusterPool): ReachStore {
  const fenced = (epoch: number, work: (tx: Tx) => Promise<unknown>): Promise<void> =>
    pool.transaction(async (tx) => {
      await checkLeader(tx, schedulerRole, epoch)
      await work(tx)
    })

  return {
    async put(leaderEpoch, reaches) {
      if (reaches.length === 0) return
      // Of several of one watch the last counts.
      const last = [...new Map(reaches.map((each) => [each.reach.watch, each])).values()]
      const values = [
        last.map(({ reach }) => reach.watch),
        last.map(({ round }) => round),
        last.map(({ reach }) => JSON.stringify(reach)),
      ]
      await fenced(leaderEpoch, (tx) => tx.query(statements.put, values))
    },
    async forget(leaderEpoch, watches) {
      if (watches.length === 0) return
      await fenced(leaderEpoch, async (tx) => {
        await tx.query(statements.forget, [watches])
        await tx.query(statements.clean)
      })
    },
    async since(version) {
      const rows = await pool.query<ReachRow>(statements.since, [version])
      const changes = rows.map(({ watch, round, reach }) => ({ watch, round, reach }))
      return { version: rows.at(-1)?.version ?? version, changes }
    },
  }
}
