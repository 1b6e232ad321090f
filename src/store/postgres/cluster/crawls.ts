import { FIRST_CRAWL } from '../../../core/request.ts'
import type { CrawlStore } from '../../contracts/crawls.ts'
import { crawlOf, isForgettableSql, isOpenSql, type KeptCrawl, MAX_OVER, requestOf } from '../../rules/crawls.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { checkLeader } from '../leases/leader.ts'
import { forgetProgress, schedulerRole } from './schedule.ts'

const columns = `SELECT id, asked_by AS "askedBy", asked_at AS "askedAt", request, state, stop_asked AS "stopAsked",
  started_at AS "startedAt", ended_at AS "endedAt", queued, counts, reason, pages_left AS "pagesLeft" FROM crawls`

const statements = {
  // Concurrent requests must count each other.
  lock: 'LOCK TABLE crawls IN SHARE ROW EXCLUSIVE MODE',
  add: `INSERT INTO crawls (asked_by, asked_at, request, pages_left) SELECT $1, $2::bigint, $3, $5::bigint
    WHERE (SELECT count(*) FROM crawls WHERE ${isOpenSql}) < $4::bigint RETURNING id`,
  find: `${columns} WHERE id = $1`,
  list: `${columns} WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  newestOf: `${columns} WHERE asked_by = $1 ORDER BY id DESC LIMIT 1`,
  open: `${columns} WHERE ${isOpenSql} ORDER BY id`,
  askStop: `UPDATE crawls SET stop_asked = true WHERE id = $1 AND ${isOpenSql} RETURNING id`,
  save: `UPDATE crawls SET state = $2, started_at = $3, ended_at = $4, queued = $5, counts = $6, reason = $7
    WHERE id = $1 AND ${isOpenSql}`,
  dropOld: `DELETE FROM crawls WHERE NOT ${isOpenSql} AND ${isForgettableSql} AND id <= (SELECT id FROM crawls WHERE NOT ${isOpenSql}
    ORDER BY id DESC LIMIT 1 OFFSET ${MAX_OVER})`,
}

export type PostgresCrawlsOptions = {
  /** Epoch of the scheduler's leader: saving progress throws `lease-lost` if another process leads. If omitted, nothing is checked. */
  epoch?: number
}

export function createPostgresCrawls(pool: PostgresPool, { epoch }: PostgresCrawlsOptions = {}): CrawlStore {
  const rows = async (text: string, values: readonly unknown[] = []) =>
    (await pool.query<KeptCrawl>(text, values)).map(crawlOf)
  return {
    add: (draft, maxOpen) =>
      pool.transaction(async (tx) => {
        await tx.query(statements.lock)
        const values = [storable(draft.askedBy), draft.askedAt, requestOf(draft), maxOpen, draft.maxPages]
        const [row] = await tx.query<{ id: number }>(statements.add, values)
        return row?.id ?? null
      }),
    find: async (id) => (await rows(statements.find, [id]))[0] ?? null,
    list: ({ before, limit }) => rows(statements.list, [before, limit]),
    newestOf: async (askedBy) => (await rows(statements.newestOf, [storable(askedBy)]))[0] ?? null,
    open: () => rows(statements.open),
    askStop: async (id) => (await pool.query(statements.askStop, [id])).length === 1,
    async save(progress) {
      if (progress.length === 0) return
      await pool.transaction(async (tx) => {
        if (epoch !== undefined) await checkLeader(tx, schedulerRole, epoch)
        for (const { id, state, startedAt, endedAt, queued, counts, reason } of progress)
          await tx.query(statements.save, [
            ...[id, state, startedAt, endedAt, queued, JSON.stringify(counts), storable(reason)],
          ])
        const over = progress.filter(({ endedAt }) => endedAt > 0)
        if (over.length === 0) return
        await tx.query(forgetProgress, [over.map(({ id }) => FIRST_CRAWL + id)])
        await tx.query(statements.dropOld)
      })
    },
  }
}

const pageStatements = {
  take: `UPDATE crawls SET pages_left = pages_left - 1 WHERE id = $1 AND (pages_left IS NULL OR pages_left > 0) RETURNING id`,
  giveBack: 'UPDATE crawls SET pages_left = pages_left + 1 WHERE id = $1',
}

/**
 * The pages that limited crawls may still fetch, shared by all workers. Pages that a worker had taken when it died, or couldn't give
 * back, are lost to their crawl.
 */
export function createPostgresCrawlPages(pool: PostgresPool) {
  return {
    take: async (watch: number): Promise<boolean> =>
      (await pool.query(pageStatements.take, [watch - FIRST_CRAWL])).length === 1,
    giveBack(watch: number): void {
      pool.query(pageStatements.giveBack, [watch - FIRST_CRAWL]).catch(() => {})
    },
  }
}
