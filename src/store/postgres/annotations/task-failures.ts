import type { AnnotationStore, SetAsideTask } from '../../contracts/annotations.ts'
import { MAX_ATTEMPTS, reasonText } from '../../rules/tasks.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'

const statements = {
  attempt: `UPDATE tasks t SET attempts = greatest(0, attempts + $3::int) FROM unnest($1::smallint[], $2::bigint[]) AS g (partition, id)
    WHERE t.partition = g.partition AND t.id = g.id`,
  fail: `UPDATE tasks SET reason = $3, aside_at = CASE WHEN attempts >= ${MAX_ATTEMPTS} THEN $4::bigint ELSE 0 END
    WHERE partition = $1 AND id = $2 RETURNING aside_at AS "asideAt"`,
  count: 'SELECT count(*) AS n FROM tasks WHERE aside_at > 0',
  latest: `SELECT t.id, t.version AS "versionId", coalesce(d.url, '') AS url, t.watch, t.reason, t.aside_at AS at
    FROM (SELECT * FROM tasks WHERE aside_at > 0 ORDER BY aside_at DESC, id DESC LIMIT $1) t
    LEFT JOIN documents d ON d.partition = t.partition AND d.id = t.document ORDER BY t.aside_at DESC, t.id DESC`,
  retry: `WITH retried AS (UPDATE tasks SET attempts = 0, aside_at = 0, reason = '' WHERE aside_at > 0 RETURNING 1)
    SELECT count(*) AS n FROM retried`,
}

type TaskFailures = Pick<AnnotationStore, 'countAttempts' | 'fail' | 'setAside' | 'retrySetAside'>

/** Attempts aren't fenced by leases: a late count does no harm. */
export function createTaskFailures(pool: PostgresPool): TaskFailures {
  return {
    async countAttempts(ids, by) {
      if (ids.length > 0) await pool.query(statements.attempt, [ids.map(partitionOfId), ids, by])
    },
    async fail(id, { reason, at }) {
      const values = [partitionOfId(id), id, storable(reasonText(reason)), at]
      const [row] = await pool.query<{ asideAt: number }>(statements.fail, values)
      return row !== undefined && row.asideAt > 0 ? 'set-aside' : 'waiting'
    },
    async setAside(limit) {
      const [row] = await pool.query<{ n: number }>(statements.count)
      return { count: row!.n, latest: await pool.query<SetAsideTask>(statements.latest, [limit]) }
    },
    async retrySetAside() {
      const [row] = await pool.query<{ n: number }>(statements.retry)
      return row!.n
    },
  }
}
