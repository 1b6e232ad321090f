import { partitionOf } from '../../../core/url/partition.ts'
import type { Database } from '../folder/database.ts'

/** Chooses the shard of a host that none has yet. */
export type ChooseOwner = (host: string, hostsOf: readonly number[]) => number

/**
 * Which shard owns which host, where hosts are given out one by one instead of by their partition. The table in the catalogue decides,
 * since all shards write it in turn; what a shard has read stays true. Hosts of a partition that was given out before stay where
 * they are, and so do hosts that were given out one by one when partitions are again: `byPartition` is asked for all others.
 */
export function createHostOwners(
  db: Database,
  { shards, byPartition, choose }: { shards: number; byPartition(host: string): number; choose: ChooseOwner | null },
): (host: string) => number {
  const known = new Map<string, number>()
  const sql = {
    find: db.prepare('SELECT shard FROM host_owners WHERE host = ?'),
    any: db.prepare('SELECT EXISTS (SELECT 1 FROM host_owners) AS any'),
    partition: db.prepare('SELECT shard FROM partitions WHERE partition = ?'),
    hostsOf: db.prepare('SELECT shard, count(*) AS n FROM host_owners GROUP BY shard'),
    add: db.prepare('INSERT INTO host_owners (host, shard) VALUES (?, ?)'),
  }
  if (choose === null && (db.read(() => sql.any.get()) as { any: number }).any === 0) return byPartition

  function assign(host: string): number {
    const found = (sql.find.get(host) ?? sql.partition.get(partitionOf(host))) as { shard: number } | undefined
    if (found !== undefined) return found.shard
    if (choose === null) return -1
    const hostsOf = new Array<number>(shards).fill(0)
    for (const { shard, n } of sql.hostsOf.all() as { shard: number; n: number }[]) hostsOf[shard] = n
    const shard = choose(host, hostsOf)
    sql.add.run(host, shard)
    return shard
  }

  return (host) => {
    const owner = known.get(host)
    if (owner !== undefined) return owner
    const assigned = db.write(() => assign(host))
    const shard = assigned >= 0 ? assigned : byPartition(host)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(host, shard)
    return shard
  }
}

const MAX_KNOWN = 20_000
