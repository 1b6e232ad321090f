import type pg from 'pg'
import { AppError } from '../../../core/errors.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import type { Sender } from '../connection/pool.ts'
import { byPartition, numberArray, textArray } from '../connection/row-batch.ts'
import { readMark, refuseLiveNodes } from '../import/import-progress.ts'

/**
 * Migrates a database in which the partition of a host was that of its domain.
 *
 * - Hosts with their queues, seen URLs, robots.txt and so on move to the partitions of their own names, under new ids.
 * - Documents stay, since their ids, which carry the partition, are known outside; `host_places` says for which hosts (host-places.ts).
 *
 * Hosts move in small transactions, each host in one. A process that is killed leaves some hosts moved and others not; the next start goes
 * through all of them again and continues. No role starts until the migration is recorded as applied, and it doesn't begin while workers
 * or servers of the earlier version are running: they would keep using the partitions of domains.
 */
export async function moveHosts(client: pg.PoolClient): Promise<void> {
  const [found] = await ask<{ any: boolean }>(client, statements.any, [])
  if (!found!.any) return
  await refuseWhileInUse(client)
  const partitions = await ask<{ partition: number }>(client, statements.partitions, [])
  for (const { partition } of partitions) {
    await moveFrom(client, partition)
    await notePlaces(client, partition)
  }
}

export const placesSchema = `
CREATE TABLE IF NOT EXISTS host_places (
  partition smallint NOT NULL,
  host text COLLATE "C" NOT NULL,
  place smallint NOT NULL,
  PRIMARY KEY (partition, host)
)
`

/** Hosts per batch; those that go to the same partition move together. */
const PORTION = 2_000

/** $1: the old partition, $2: the new one, $3 and $4: old and new ids of hosts, $5: the last `seq` of the new queue. */
const moved = 'unnest($3::bigint[], $4::bigint[]) AS m (old, new)'
const queueColumns = `priority, fp, watch, round, fresh_from, since, depth, hops, redirects, attempts, first, url, parent, rises`

const statements = {
  any: 'SELECT EXISTS (SELECT 1 FROM hosts) OR EXISTS (SELECT 1 FROM documents) AS any',
  holders: 'SELECT name FROM holders WHERE until > now()',
  partitions: 'SELECT partition FROM frontiers ORDER BY partition',
  hosts: 'SELECT id, host FROM hosts WHERE partition = $1::smallint AND id > $2 ORDER BY id LIMIT $3',
  /** With `beginRun`: handles a newer run as `frontier_offer` does. */
  lock: 'SELECT run, seq, last_host FROM frontiers WHERE partition = $1::smallint FOR NO KEY UPDATE',
  beginRun: `UPDATE frontiers SET run = $2, seen = 0, given_up = 0 WHERE partition = $1::smallint AND run < $2`,
  hostRows: `INSERT INTO hosts (partition, id, run, next_at, queued, accepted, failures, rests, given_up, host)
    SELECT $2::smallint, m.new, h.run, h.next_at, h.queued, h.accepted, h.failures, h.rests, h.given_up, h.host
    FROM ${moved} JOIN hosts h ON h.partition = $1::smallint AND h.id = m.old`,
  seenRows: `INSERT INTO seen (partition, host, fp, run, depth) SELECT $2::smallint, m.new, s.fp, s.run, s.depth
    FROM ${moved} JOIN seen s ON s.partition = $1::smallint AND s.host = m.old`,
  /** In the order in which they were queued. */
  queueRows: `INSERT INTO queue (partition, seq, host, ${queueColumns})
    SELECT $2::smallint, $5::bigint + row_number() OVER (ORDER BY q.seq), m.new, ${queueColumns}
    FROM ${moved} JOIN queue q ON q.partition = $1::smallint AND q.host = m.old`,
  counts: `SELECT count(*) AS hosts, sum(queued) AS queued, count(*) FILTER (WHERE queued > 0) AS waiting,
      coalesce(sum(accepted) FILTER (WHERE run = $3), 0) AS seen, count(*) FILTER (WHERE given_up AND run = $3) AS given_up
    FROM hosts WHERE partition = $1::smallint AND id = ANY($2::bigint[])`,
  add: `UPDATE frontiers SET hosts = hosts + $2, queued = queued + $3, waiting = waiting + $4, seen = greatest(0, seen + $5),
    given_up = greatest(0, given_up + $6), last_host = last_host + $7, seq = seq + $8 WHERE partition = $1::smallint`,
  dropQueue: 'DELETE FROM queue WHERE partition = $1::smallint AND host = ANY($2::bigint[])',
  dropSeen: 'DELETE FROM seen WHERE partition = $1::smallint AND host = ANY($2::bigint[])',
  dropHosts: 'DELETE FROM hosts WHERE partition = $1::smallint AND id = ANY($2::bigint[])',
  robots: moveByKey('robots', 'origin', 'kind, body, expires_at'),
  tables: moveByKey('host_tables', 'origin', 'kind, expires_at'),
  dropped: moveByKey('dropped_links', 'host', 'rule, run, count, examples'),
  /** The distinct hosts of a partition's documents, by skipping through the index. */
  documentHosts: `WITH RECURSIVE found AS (
      (SELECT host FROM documents WHERE partition = $1::smallint AND host > $2 ORDER BY host LIMIT 1)
      UNION ALL
      SELECT (SELECT d.host FROM documents d WHERE d.partition = $1::smallint AND d.host > found.host ORDER BY d.host LIMIT 1)
      FROM found WHERE found.host IS NOT NULL
    ) SELECT host FROM found WHERE host IS NOT NULL LIMIT $3`,
  notePlaces: `INSERT INTO host_places (partition, host, place)
    SELECT $1::smallint, host, $2::smallint FROM unnest($3::text[]) AS g (host) ON CONFLICT (partition, host) DO NOTHING`,
} as const

/** $1: the old partition, $2: the new one, $3: the keys. */
function moveByKey(table: string, key: string, columns: string): { put: string; drop: string } {
  return {
    put: `INSERT INTO ${table} (partition, ${key}, ${columns}) SELECT $2::smallint, ${key}, ${columns} FROM ${table}
      WHERE partition = $1::smallint AND ${key} = ANY($3::text[]) ON CONFLICT DO NOTHING`,
    drop: `DELETE FROM ${table} WHERE partition = $1::smallint AND ${key} = ANY($2::text[])`,
  }
}

async function ask<T>(client: pg.PoolClient, text: string, values: readonly unknown[]): Promise<T[]> {
  return (await client.query(text, [...values])).rows as T[]
}

async function refuseWhileInUse(client: pg.PoolClient): Promise<void> {
  const sender: Sender = { query: (text, values = []) => ask(client, text, values) }
  await refuseLiveNodes(sender)
  const [holder] = await ask<{ name: string }>(client, statements.holders, [])
  if (holder !== undefined)
    throw new AppError(
      'store-locked',
      `The store is in use by ${holder.name}. Stop everything of the earlier version first.`,
    )
  const mark = await readMark(sender)
  if (mark !== null && mark.phase !== 'done')
    throw new AppError(
      'store-refused',
      'an earlier version began to move a data folder into this database; finish that with the earlier version',
    )
}

type HostRow = { id: number; host: string }

async function moveFrom(client: pg.PoolClient, partition: number): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await ask<HostRow>(client, statements.hosts, [partition, after, PORTION])
    for (const [target, hosts] of byPartition(rows, ({ host }) => partitionOf(host)))
      if (target !== partition) await moveTogether(client, partition, target, hosts)
    if (rows.length < PORTION) return
    after = rows.at(-1)!.id
  }
}

async function moveTogether(client: pg.PoolClient, from: number, to: number, hosts: readonly HostRow[]): Promise<void> {
  await client.query('BEGIN')
  try {
    await moveInTransaction(client, from, to, hosts)
    await client.query('COMMIT')
  } catch (error) {
    // If this fails as well, the connection ends with the migration.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function moveInTransaction(
  client: pg.PoolClient,
  from: number,
  to: number,
  hosts: readonly HostRow[],
): Promise<void> {
  const frontiers = new Map<number, { run: number; seq: number; last_host: number }>()
  for (const partition of [from, to].sort((a, b) => a - b))
    frontiers.set(
      partition,
      (await ask<{ run: number; seq: number; last_host: number }>(client, statements.lock, [partition]))[0]!,
    )
  const [source, target] = [frontiers.get(from)!, frontiers.get(to)!]
  await client.query(statements.beginRun, [to, source.run])
  const old = numberArray(hosts.map(({ id }) => id))
  const fresh = numberArray(hosts.map((_, n) => (target.last_host + n + 1) * 256 + to))
  const names = hosts.map(({ host }) => host)
  const origins = textArray(names.flatMap((name) => [`http://${name}`, `https://${name}`]))
  const leaving = await countsOf(client, from, old, source.run)
  await client.query(statements.hostRows, [from, to, old, fresh])
  await client.query(statements.seenRows, [from, to, old, fresh])
  const { rowCount } = await client.query(statements.queueRows, [from, to, old, fresh, target.seq])
  const arriving = await countsOf(client, to, fresh, Math.max(source.run, target.run))
  await client.query(statements.add, [from, ...leaving.map((n) => -n), 0, 0])
  await client.query(statements.add, [to, ...arriving, hosts.length, rowCount ?? 0])
  await client.query(statements.dropQueue, [from, old])
  await client.query(statements.dropSeen, [from, old])
  await client.query(statements.dropHosts, [from, old])
  for (const { put, drop, keys } of [
    { ...statements.robots, keys: origins },
    { ...statements.tables, keys: origins },
    { ...statements.dropped, keys: textArray(names) },
  ]) {
    await client.query(put, [from, to, keys])
    await client.query(drop, [from, keys])
  }
}

/** Counts of these hosts in their partition: hosts, queued, waiting, seen, given up. */
async function countsOf(client: pg.PoolClient, partition: number, ids: string, run: number): Promise<number[]> {
  type Counts = { hosts: number; queued: number; waiting: number; seen: number; given_up: number }
  const [row] = await ask<Counts>(client, statements.counts, [partition, ids, run])
  const { hosts, queued, waiting, seen, given_up } = row!
  return [hosts, queued, waiting, seen, given_up].map(Number)
}

async function notePlaces(client: pg.PoolClient, place: number): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await ask<{ host: string }>(client, statements.documentHosts, [place, after, PORTION])
    const groups = byPartition(
      rows.map(({ host }) => host),
      partitionOf,
    )
    for (const [partition, hosts] of groups)
      if (partition !== place) await client.query(statements.notePlaces, [partition, place, textArray(hosts)])
    if (rows.length < PORTION) return
    after = rows.at(-1)!.host
  }
}
