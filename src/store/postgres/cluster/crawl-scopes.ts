import { AppError } from '../../../core/errors.ts'
import type { CheckRunScope, CrawlScopeChange, CrawlScopeStore } from '../../contracts/cluster/crawl-scopes.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { leaderFence } from '../leases/leader.ts'
import { schedulerRole } from './schedule.ts'

/** Notified when there are new reaches, or some were forgotten. */
export const scopesChannel = 'reaches'

const statements = {
  put: `INSERT INTO reaches AS r (watch, round, version, reach)
    SELECT (value->'crawlScope'->>'watch')::bigint, (value->>'round')::bigint, nextval('reach_versions'), value->'crawlScope'
    FROM jsonb_array_elements($1::jsonb)
    ON CONFLICT (watch) DO UPDATE SET round = greatest(r.round, excluded.round), version = excluded.version,
      reach = excluded.reach, at = now()`,
  /** The row stays for a while, so that processes that know the watch learn of its removal. */
  forget: `UPDATE reaches SET reach = NULL, version = nextval('reach_versions'), at = now()
    WHERE watch = ANY($1::bigint[]) AND reach IS NOT NULL`,
  sweep: `DELETE FROM reaches WHERE reach IS NULL AND at < now() - interval '1 day'`,
  since: `SELECT watch, round, version, reach AS "crawlScope" FROM reaches WHERE version > $1 ORDER BY version LIMIT $2`,
  wake: `SELECT pg_notify('${scopesChannel}', '')`,
}

const PORTION = 1_000

/** A few thousand watches would make a statement of several megabytes. */
const PUT_AT_ONCE = 1_000

type Row = CrawlScopeChange & { version: number }

export function createPostgresCrawlScopes(pool: PostgresPool): CrawlScopeStore {
  function asLeader(epoch: number, work: (tx: Tx) => Promise<unknown>): Promise<void> {
    return pool.transaction(async (tx) => {
      if ((await tx.query(leaderFence, [schedulerRole, epoch])).length === 0)
        throw new AppError('lease-lost', 'another process leads the scheduler by now')
      await work(tx)
      await tx.query(statements.wake)
    })
  }

  return {
    async put(leaderEpoch, crawlScopes) {
      // If a watch has several, the last counts.
      const byWatch = new Map<number, CheckRunScope>(crawlScopes.map((each) => [each.crawlScope.watch, each]))
      const rows = [...byWatch.values()]
      for (let start = 0; start < rows.length; start += PUT_AT_ONCE) {
        const portion = JSON.stringify(rows.slice(start, start + PUT_AT_ONCE))
        await asLeader(leaderEpoch, (tx) => tx.query(statements.put, [portion]))
      }
    },
    async forget(leaderEpoch, watches) {
      if (watches.length === 0) return
      await asLeader(leaderEpoch, async (tx) => {
        await tx.query(statements.forget, [watches])
        await tx.query(statements.sweep)
      })
    },
    async since(version) {
      const changes: CrawlScopeChange[] = []
      for (let reached = version; ; ) {
        const rows = await pool.query<Row>(statements.since, [reached, PORTION])
        for (const { watch, round, crawlScope } of rows) changes.push({ watch, round, crawlScope })
        reached = rows.at(-1)?.version ?? reached
        if (rows.length < PORTION) return { version: reached, changes }
      }
    },
  }
}
