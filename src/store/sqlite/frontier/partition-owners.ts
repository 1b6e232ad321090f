import { partitionCount, partitionOf } from '../../../core/url/partition.ts'
import type { Database } from '../folder/database.ts'

/**
 * The owner shard of each partition. A partition is assigned round-robin when its first host appears, so that a crawl of
 * few hosts keeps all threads busy; then it never changes. All threads share one table in memory; a partition is
 * unassigned, being assigned, or owned by a shard. It is written to the catalogue before it can be used: a shard that is
 * killed right after leaves no host with two owners.
 */
export type PartitionMemory = SharedArrayBuffer

const UNASSIGNED = -1
const IN_PROGRESS = -2
/** Index of the number of partitions assigned so far. */
const GIVEN = partitionCount

export function loadPartitions(db: Database): PartitionMemory {
  const memory = new SharedArrayBuffer(4 * (partitionCount + 1))
  const table = new Int32Array(memory).fill(UNASSIGNED)
  const rows = db.prepare('SELECT partition, shard FROM partitions').all() as { partition: number; shard: number }[]
  for (const { partition, shard } of rows) table[partition] = shard
  table[GIVEN] = rows.length
  return memory
}

export function createPartitionOwners(memory: PartitionMemory, shards: number, db: Database): (host: string) => number {
  const table = new Int32Array(memory)
  const insert = db.prepare('INSERT INTO partitions (partition, shard) VALUES (?, ?)')

  function assign(partition: number): number {
    const found = Atomics.compareExchange(table, partition, UNASSIGNED, IN_PROGRESS)
    if (found >= 0) return found
    if (found === IN_PROGRESS) {
      Atomics.wait(table, partition, IN_PROGRESS)
      return assign(partition)
    }
    const shard = Atomics.add(table, GIVEN, 1) % shards
    let owner = UNASSIGNED
    try {
      db.write(() => insert.run(partition, shard))
      owner = shard
    } finally {
      Atomics.store(table, partition, owner)
      Atomics.notify(table, partition)
    }
    return owner
  }

  return (host) => {
    const partition = partitionOf(host)
    const owner = Atomics.load(table, partition)
    return owner >= 0 ? owner : assign(partition)
  }
}
