import type { AnnotationStore, Task, TaskShare } from '../../contracts/annotations.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'
import { adoptAnnotations } from './annotation-adoption.ts'
import { commitBatch, type EpochOf } from './annotation-commit.ts'
import { annotationColumns, findStory, readAnnotations } from './annotation-rows.ts'
import { textsInBands, textsOfHost } from './near-duplicate-statements.ts'
import { splitStory } from './splitting.ts'
import { createTaskFailures } from './task-failures.ts'

export type PostgresAnnotationDeps = {
  pool: PostgresPool
  /** Partitions to take tasks from: those leased by this worker. Null for all. */
  partitions?: (() => readonly number[] | null) | undefined
  /** Fences commits: a worker that has lost a partition writes nothing to it. If omitted, leases aren't checked. */
  epochOf?: EpochOf | undefined
}

const select = `SELECT ${annotationColumns} FROM annotations a`

/** One statement for each filter, so that each uses its index. An owner's annotations are found through the inbox. */
const ofInbox = (condition: string): string => `SELECT ${annotationColumns}
  FROM (SELECT id FROM inbox WHERE ${condition} AND id > $1 ORDER BY id LIMIT $2) i
  CROSS JOIN LATERAL (SELECT * FROM annotations WHERE id = i.id LIMIT 1) a ORDER BY a.id`
const lists = {
  all: `${select} WHERE a.id > $1 ORDER BY a.id LIMIT $2`,
  owner: ofInbox('owner = $3'),
  profile: `${select} WHERE a.id > $1 AND a.profile = $3 ORDER BY a.id LIMIT $2`,
  both: ofInbox('profile = $3 AND owner = $4'),
}

export function createPostgresAnnotations({ pool, partitions, epochOf }: PostgresAnnotationDeps): AnnotationStore {
  return {
    tasks: (share) => takeTasks(pool, partitions?.() ?? null, share),
    countTasks: () => countTasks(pool),
    ...createTaskFailures(pool),
    adopt: (annotations) => adoptAnnotations(pool, annotations),
    commit: (batch) => commitBatch(pool, batch, epochOf ?? null),
    async find(id) {
      return (await readAnnotations(pool, `${select} WHERE a.id = $1`, [id]))[0] ?? null
    },
    async findAll(ids) {
      const rows = await readAnnotations(pool, `${select} WHERE a.id = ANY($1::bigint[])`, [ids])
      const found = new Map(rows.map((each) => [each.id, each]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    list({ after, limit, owner, profile }) {
      if (owner === undefined && profile === undefined) return readAnnotations(pool, lists.all, [after, limit])
      if (profile === undefined) return readAnnotations(pool, lists.owner, [after, limit, storable(owner!)])
      if (owner === undefined) return readAnnotations(pool, lists.profile, [after, limit, storable(profile)])
      return readAnnotations(pool, lists.both, [after, limit, storable(profile), storable(owner)])
    },
    async last(profile, documentId) {
      const sql = `${select} WHERE a.document = $1 AND a.profile = $2 ORDER BY a.id DESC LIMIT 1`
      return (await readAnnotations(pool, sql, [documentId, storable(profile)]))[0] ?? null
    },
    ofCluster: (lookup) => findStory(pool, lookup),
    textsOfHost: (host, documentId) => textsOfHost(pool, host, documentId),
    textsInBands: (bands) => textsInBands(pool, bands),
    split: (wish) => splitStory(pool, wish),
    async unmute({ documentId, block, owner, at }) {
      await pool.query(
        `INSERT INTO unmuted (partition, document, block, owner, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
        [partitionOfId(documentId), documentId, storable(block), storable(owner), at],
      )
    },
    async muteAgain({ documentId, block, owner }) {
      await pool.query('DELETE FROM unmuted WHERE partition = $1 AND document = $2 AND block = $3 AND owner = $4', [
        partitionOfId(documentId),
        documentId,
        storable(block),
        storable(owner),
      ])
    },
  }
}

const columns = `t.id, t.version AS "versionId", CASE WHEN v.id IS NULL THEN 0 ELSE t.document END AS "documentId",
  coalesce(v.size, 0) AS size, t.watch, t.hops, t.round, t.first, t.made, t.attempts`

/** A document always goes to the same worker. Ids are assigned in turns, so they are hashed first. */
const inShare = '(hashint8(t.document)::bigint & 2147483647) % $2::bigint = $3::bigint'

/**
 * The oldest tasks of the given partitions; null for all. One query finds the partitions with tasks, then each is read on its own,
 * the one with the oldest task first, up to the limit.
 */
export async function takeTasks(
  pool: PostgresPool,
  partitions: readonly number[] | null,
  { limit, part, parts, after = 0 }: TaskShare,
): Promise<Task[]> {
  if (partitions?.length === 0) return []
  const waiting =
    partitions === null
      ? await pool.query<{ partition: number }>(
          'SELECT partition FROM tasks WHERE aside_at = 0 AND id > $1 GROUP BY partition ORDER BY min(id)',
          [after],
        )
      : await pool.query<{ partition: number }>(
          `SELECT partition FROM tasks WHERE partition = ANY($1::smallint[]) AND aside_at = 0 AND id > $2
           GROUP BY partition ORDER BY min(id)`,
          [partitions, after],
        )
  const tasks: Task[] = []
  for (const { partition } of waiting) {
    if (tasks.length >= limit) break
    tasks.push(
      ...(await pool.query<Task>(
        `SELECT ${columns} FROM tasks t LEFT JOIN versions v ON v.partition = t.partition AND v.id = t.version
         WHERE t.partition = $1 AND t.aside_at = 0 AND t.id > $5 AND ${inShare} ORDER BY t.id LIMIT $4`,
        [partition, parts, part, limit - tasks.length, after],
      )),
    )
  }
  return tasks.sort((x, y) => x.id - y.id)
}

export async function countTasks(pool: PostgresPool): Promise<number> {
  const [row] = await pool.query<{ n: number }>('SELECT count(*) AS n FROM tasks WHERE aside_at = 0')
  return row!.n
}
