import type { Task } from '../../contracts/annotations.ts'
import type { PostgresPool } from '../connection/pool.ts'

export type TaskShare = { limit: number; part: number; parts: number }

const columns = 't.id, t.version AS "versionId", t.watch, t.hops, t.round, t.first, t.made'

/** The same document is always the same taker's. Ids are drawn in turns, so they are mixed first. */
const inShare = '(hashint8(t.document)::bigint & 2147483647) % $2::bigint = $3::bigint'

/**
 * The oldest tasks of the given partitions; null for all of them. First it is asked where there are any, then each partition on its own,
 * the one with the oldest first, until there are enough.
 */
export async function takeTasks(
  pool: PostgresPool,
  partitions: readonly number[] | null,
  { limit, part, parts }: TaskShare,
): Promise<Task[]> {
  if (partitions?.length === 0) return []
  const waiting =
    partitions === null
      ? await pool.query<{ partition: number }>('SELECT partition FROM tasks GROUP BY partition ORDER BY min(id)')
      : await pool.query<{ partition: number }>(
          `SELECT partition FROM tasks WHERE partition = ANY($1::smallint[]) GROUP BY partition ORDER BY min(id)`,
          [partitions],
        )
  const tasks: Task[] = []
  for (const { partition } of waiting) {
    if (tasks.length >= limit) break
    tasks.push(
      ...(await pool.query<Task>(
        `SELECT ${columns} FROM tasks t WHERE t.partition = $1 AND ${inShare} ORDER BY t.id LIMIT $4`,
        [partition, parts, part, limit - tasks.length],
      )),
    )
  }
  return tasks.sort((x, y) => x.id - y.id)
}

export async function countTasks(pool: PostgresPool): Promise<number> {
  const [row] = await pool.query<{ n: number }>('SELECT count(*) AS n FROM tasks')
  return row!.n
}
