import type { RequestCountStore } from '../../contracts/request-counts.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

export function createPostgresRequestCounts(pool: PostgresPool): RequestCountStore {
  return {
    async add(window, counts) {
      // Sorted, so that servers that report the same keys lock them in the same order.
      const keys = [...counts.keys()].sort()
      const rows = await pool.query<{ key: string; count: number }>(
        `WITH old AS (DELETE FROM request_counts WHERE time_window < $1)
         INSERT INTO request_counts AS r (time_window, key, count)
         SELECT $1, key, count FROM unnest($2::text[], $3::bigint[]) AS given (key, count)
         ON CONFLICT (time_window, key) DO UPDATE SET count = r.count + excluded.count
         RETURNING key, count`,
        [window, keys.map(storable), keys.map((key) => counts.get(key)!)],
      )
      return new Map(rows.map(({ key, count }) => [key, Number(count)]))
    },
  }
}
