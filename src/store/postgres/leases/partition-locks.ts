import type { Row, Sender } from '../connection/pool.ts'
import { byPartition, partitionOfId } from '../connection/row-batch.ts'

/**
 * Rows of several servers can't be locked by one statement (citus.ts): what locks rows is sent for each partition. Those who do so in the
 * order of partitions never wait for each other in a circle.
 */
export function inPartitions(ids: readonly number[]): [partition: number, ids: number[]][] {
  return [...byPartition(ids, partitionOfId)].sort(([a], [b]) => a - b)
}

/** `$1` is the partition, `$2` are its ids. */
export async function lockInPartitions<T = Row>(
  sender: Sender,
  statement: string,
  ids: readonly number[],
  ...further: readonly unknown[]
): Promise<T[]> {
  const rows: T[] = []
  for (const [partition, own] of inPartitions(ids))
    rows.push(...(await sender.query<T>(statement, [partition, own, ...further])))
  return rows
}
