import type { WatchNews } from '../../core/errand-order.ts'
import { AppError } from '../../core/errors.ts'
import type { NewsStore } from '../cluster-events.ts'
import { leaderFence } from './leader.ts'
import type { ClusterPool } from './pool.ts'

/** The role whose leader takes the news. */
export const schedulerRole = 'scheduler'
export const newsChannel = 'news'

const statements = {
  put: `WITH put AS (INSERT INTO news (news) SELECT value FROM jsonb_array_elements($1::jsonb))
    SELECT pg_notify('${newsChannel}', '')`,
  take: `DELETE FROM news WHERE id IN (SELECT id FROM news ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING id, news`,
  queued: 'SELECT watch, count(*) AS n FROM queue WHERE watch > 0 AND watch = ANY($1) GROUP BY watch',
}

export function createClusterNews(pool: ClusterPool): NewsStore {
  return {
    async put(news) {
      if (news.length > 0) await pool.query(statements.put, [JSON.stringify(news)])
    },
    take: (leaderEpoch, limit) =>
      pool.transaction(async (tx) => {
        if ((await tx.query(leaderFence, [schedulerRole, leaderEpoch])).length === 0)
          throw new AppError('lease-lost', 'another process leads the scheduler by now')
        const rows = await tx.query<{ id: number; news: WatchNews }>(statements.take, [limit])
        return rows.sort((a, b) => a.id - b.id).map(({ news }) => news)
      }),
    async queued(watches) {
      const rows = await pool.query<{ watch: number; n: number }>(statements.queued, [watches])
      return new Map(rows.map(({ watch, n }) => [watch, n]))
    },
  }
}
