import type { AnnotationStore, NearDuplicate } from '../../contracts/annotations.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { commitBatch, type EpochOf } from './annotation-commit.ts'
import { annotationColumns, findNearDuplicates, readAnnotations } from './annotation-rows.ts'
import { countTasks, takeTasks } from './annotation-tasks.ts'

export type PostgresAnnotationDeps = {
  pool: PostgresPool
  /** Those whose tasks are taken: what this worker holds. Null for all. */
  partitions?: (() => readonly number[] | null) | undefined
  /** What is settled is checked against it: a worker that has lost a partition writes nothing of it. Without it nothing is checked. */
  epochOf?: EpochOf | undefined
}

const select = `SELECT ${annotationColumns} FROM annotations a`

/** One statement for each way to narrow the list, so that each goes along its index. An owner's are found through the inbox. */
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
    settle: (batch) => commitBatch(pool, batch, epochOf ?? null),
    async find(id) {
      return (await readAnnotations(pool, `${select} WHERE a.id = $1`, [id]))[0] ?? null
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
    ofNearDuplicates: (profile, story, documentId) => findNearDuplicates(pool, profile, story, documentId),
    async stories(limit) {
      const rows = await pool.query<{ versionId: number; hash: string; story: number }>(
        'SELECT version AS "versionId", hash::text, story FROM stories ORDER BY version DESC LIMIT $1',
        [limit],
      )
      return rows.map((row): NearDuplicate => ({ ...row, hash: BigInt(row.hash) })).reverse()
    },
  }
}
