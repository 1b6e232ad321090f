import { partitionOf } from '../../../core/url/partition.ts'
import type { Database } from '../folder/database.ts'

/** Chooses the shard of a host that has no owner yet. */
export type ChooseOwner = (host: string, hostsOf: readonly number[]) => number

/**
 * The owner shard of hosts that isn't determined by their partition: hosts assigned individually, and those of folders from when
 * all hosts of a domain were in one partition (`keepOwners`). The table in the catalogue decides, since the write lock serialises the
 * shards; what a shard has read stays true. Hosts of a partition that is already assigned stay there, and hosts assigned individually
 * stay so when assignment is by partition again; `byPartition` decides all others.
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

  function find(host: string): number {
    const found = db.read(() => sql.find.get(host)) as { shard: number } | undefined
    return found === undefined ? byPartition(host) : found.shard
  }

  function assign(host: string, choose: ChooseOwner): number {
    const found = (sql.find.get(host) ?? sql.partition.get(partitionOf(host))) as { shard: number } | undefined
    if (found !== undefined) return found.shard
    const hostsOf = new Array<number>(shards).fill(0)
    for (const { shard, n } of sql.hostsOf.all() as { shard: number; n: number }[]) hostsOf[shard] = n
    const shard = choose(host, hostsOf)
    sql.add.run(host, shard)
    return shard
  }

  return (host) => {
    const owner = known.get(host)
    if (owner !== undefined) return owner
    const shard = choose === null ? find(host) : db.write(() => assign(host, choose))
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(host, shard)
    return shard
  }
}

const MAX_KNOWN = 20_000

/**
 * Migrates a folder whose partitions were by domain: its hosts stay with the shards that have their queues, clocks and seen URLs, each
 * assigned individually, and all partitions are reassigned, for new hosts. It is one transaction: a process that is killed leaves the
 * folder unchanged.
 */
export function keepOwners(db: Database, shards: number, hostsOf: (shard: number) => Iterable<string>): void {
  if (db.prepare('SELECT 1 FROM facts WHERE name = ?').get(DOMAINS_FACT) === undefined) return
  const add = db.prepare('INSERT INTO host_owners (host, shard) VALUES (?, ?) ON CONFLICT (host) DO NOTHING')
  db.write(() => {
    for (let shard = 0; shard < shards; shard++) for (const host of hostsOf(shard)) add.run(host, shard)
    db.exec('DELETE FROM partitions')
    db.prepare('DELETE FROM facts WHERE name = ?').run(DOMAINS_FACT)
  })
}

/** Set by a schema migration: the assigned partitions are by domain. */
const DOMAINS_FACT = 'domain partitions'
