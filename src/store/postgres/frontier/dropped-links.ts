import { partitionOf } from '../../../core/url/partition.ts'
import type { DroppedLink, DroppedLinks, DroppedPosition } from '../../contracts/dropped-links.ts'
import { groupDrops, type KeptDrops, mergeDrops } from '../../rules/dropped-links.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'

export const droppedStatements = {
  find: 'SELECT run, count, examples FROM dropped_links WHERE partition = $1 AND host = $2 AND rule = $3 FOR UPDATE',
  put: `INSERT INTO dropped_links (partition, host, rule, run, count, examples) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (partition, host, rule) DO UPDATE SET run = excluded.run, count = excluded.count, examples = excluded.examples`,
  page: `SELECT host, rule, count, examples FROM dropped_links WHERE (host, rule) > ($1, $2) ORDER BY host, rule LIMIT $3`,
} as const

/** Adds to the links that the trap limits dropped. Not fenced: the count of a worker that lost the partition does no harm. */
export async function noteDropped(pool: PostgresPool, run: number, drops: readonly DroppedLinks[]): Promise<void> {
  for (const drop of groupDrops(drops)) {
    const { host, rule } = drop
    const key = [partitionOf(host), host, rule]
    await pool.transaction(async (tx) => {
      const [before] = await tx.query<KeptDrops>(droppedStatements.find, key)
      const { count, examples } = mergeDrops(before ?? null, run, drop)
      await tx.query(droppedStatements.put, [...key, run, count, JSON.stringify(examples.map(storableLink))])
    })
  }
}

export function droppedOfPartitions(
  pool: PostgresPool,
  after: DroppedPosition | null,
  limit: number,
): Promise<DroppedLinks[]> {
  return pool.query<DroppedLinks>(droppedStatements.page, [after?.host ?? '', after?.rule ?? '', limit])
}

const storableLink = ({ url, parent, at }: DroppedLink): DroppedLink => ({
  url: storable(url),
  parent: storable(parent),
  at,
})
