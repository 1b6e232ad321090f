import type { CheckResult } from '../../../core/check-order.ts'
import type { CheckResultStore } from '../../contracts/cluster-events.ts'
import { storable } from '../archive/storable-text.ts'
import type { PostgresPool, Sender } from '../connection/pool.ts'
import { checkLeader } from '../leases/leader.ts'

/** The role whose leader takes the news. */
export const schedulerRole = 'scheduler'
export const resultsChannel = 'news'

const statements = {
  put: `WITH put AS (INSERT INTO news (news) SELECT value FROM jsonb_array_elements($1::jsonb))
    SELECT pg_notify('${resultsChannel}', '')`,
  // There is one taker, so nothing is locked but by those who clean up: it waits rather than pass over a row.
  take: 'DELETE FROM news WHERE id IN (SELECT id FROM news ORDER BY id LIMIT $1 FOR UPDATE) RETURNING id, news AS result',
  sum: `INSERT INTO watch_progress AS p (watch, changed, unchanged, failed, source, landed)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::jsonb[], $6::text[])
    ON CONFLICT (watch) DO UPDATE SET changed = p.changed + excluded.changed, unchanged = p.unchanged + excluded.unchanged,
      failed = p.failed + excluded.failed, source = coalesce(excluded.source, p.source),
      landed = coalesce(excluded.landed, p.landed)`,
  progress: 'SELECT watch, 0 AS queued, changed, unchanged, failed, source, landed FROM watch_progress ORDER BY watch',
  queued: 'SELECT watch, count(*) AS n FROM queue WHERE watch > 0 AND watch = ANY($1) GROUP BY watch',
  allQueued: 'SELECT watch, count(*) AS n FROM queue WHERE watch > 0 GROUP BY watch',
}

/** For the transactions that begin or end checks. */
export const forgetProgress = 'DELETE FROM watch_progress WHERE watch = ANY($1)'

export function createPostgresCheckResults(pool: PostgresPool): CheckResultStore {
  return {
    put: (results) => putResults(pool, results),
    take: (leaderEpoch, limit) =>
      pool.transaction(async (tx) => {
        await checkLeader(tx, schedulerRole, leaderEpoch)
        const rows = await tx.query<{ id: number; result: CheckResult }>(statements.take, [limit])
        const results = rows.sort((a, b) => a.id - b.id).map((row) => row.result)
        if (results.length > 0) await tx.query(statements.sum, sumValues(results))
        return results
      }),
    progress: () => pool.query<CheckResult>(statements.progress),
    async queued(watches) {
      const rows = await (watches === null
        ? pool.query<{ watch: number; n: number }>(statements.allQueued)
        : pool.query<{ watch: number; n: number }>(statements.queued, [watches]))
      return new Map(rows.map(({ watch, n }) => [watch, n]))
    },
  }
}

/** For transactions, too: the news are there when the rest is. */
export async function putResults(sender: Pick<Sender, 'query'>, results: readonly CheckResult[]): Promise<void> {
  if (results.length > 0) await sender.query(statements.put, [JSON.stringify(results, keepable)])
}

/** Not every text that JSON can name is one for PostgreSQL. */
function keepable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value).toWellFormed() : value
}

/** One row for each watch; of what is said of the source the last word counts. */
function sumValues(results: readonly CheckResult[]): unknown[] {
  const sums = new Map<number, CheckResult>()
  for (const each of results) {
    const sum = sums.get(each.watch)
    if (sum === undefined) sums.set(each.watch, { ...each })
    else {
      sum.changed += each.changed
      sum.unchanged += each.unchanged
      sum.failed += each.failed
      sum.source = each.source ?? sum.source
      sum.landed = each.landed ?? sum.landed
    }
  }
  const all = [...sums.values()]
  return [
    all.map(({ watch }) => watch),
    all.map(({ changed }) => changed),
    all.map(({ unchanged }) => unchanged),
    all.map(({ failed }) => failed),
    all.map(({ source }) => (source === null ? null : JSON.stringify(source))),
    all.map(({ landed }) => landed),
  ]
}
