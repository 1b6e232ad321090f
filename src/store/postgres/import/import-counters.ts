import { partitionCount } from '../../../core/url/partition.ts'
import type { CountedTable, ImportFacts } from '../../contracts/import.ts'
import { isGivenUpSql } from '../../rules/host-ranking.ts'
import type { Tx } from '../connection/pool.ts'
import { countedPages, pageCounts } from '../inbox/inbox-pages.ts'

/**
 * Derived data, computed once all rows are written. Counters continue above the values used before; a sequence isn't rolled back
 * with its transaction, and needn't be: it is never set to a lower value.
 */
const statements = {
  frontiers: `UPDATE frontiers f SET run = greatest(f.run, $1::bigint),
      seq = greatest(f.seq, coalesce(q.seq, 0)), queued = coalesce(q.n, 0),
      last_host = greatest(f.last_host, coalesce(h.last, 0)), hosts = coalesce(h.n, 0), waiting = coalesce(h.waiting, 0),
      given_up = coalesce(h.given_up, 0), seen = coalesce(h.accepted, 0)
    FROM frontiers p
    LEFT JOIN (SELECT partition, max(seq) AS seq, count(*) AS n FROM queue GROUP BY partition) q ON q.partition = p.partition
    LEFT JOIN (SELECT partition, max(id / ${partitionCount}) AS last, count(*) AS n,
        count(*) FILTER (WHERE queued > 0) AS waiting, count(*) FILTER (WHERE ${isGivenUpSql('$1::bigint')}) AS given_up,
        coalesce(sum(accepted) FILTER (WHERE run = $1::bigint), 0)::bigint AS accepted
      FROM hosts GROUP BY partition) h ON h.partition = p.partition
    WHERE f.partition = p.partition`,
  leases: 'UPDATE leases SET clean = $1',
  forgetCounts: 'DELETE FROM inbox_counts',
  inboxCounts: `INSERT INTO inbox_counts (owner, profile, unread, shown, starred, archived)
    SELECT owner, profile, count(*) FILTER (WHERE NOT read AND NOT archived), count(*) FILTER (WHERE NOT archived),
      count(*) FILTER (WHERE starred), count(*) FILTER (WHERE archived)
    FROM inbox GROUP BY owner, profile`,
  forgetPages: 'DELETE FROM inbox_pages',
  inboxPages: countedPages,
  forgetPageCounts: 'DELETE FROM inbox_page_counts',
  inboxPageCounts: pageCounts,
  fact: `INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  forgetFact: 'DELETE FROM facts WHERE name = $1',
  ids: `SELECT setval('ids', greatest($1::bigint, (SELECT last_value FROM ids)))`,
  /** Exact: no other process is drawing ids. */
  versionMark: `UPDATE version_marks SET settled = greatest(settled, $1::bigint), candidate = greatest(candidate, $1::bigint)
    WHERE name = 'versions'`,
}

const identities = [
  'accounts',
  'sessions',
  'tokens',
  'watches',
  'crawls',
  'urds',
  'annotations',
] as const satisfies CountedTable[]

const identityStatement = (table: (typeof identities)[number]): string =>
  `SELECT setval(pg_get_serial_sequence('${table}', 'id'), greatest($1::bigint, (SELECT coalesce(max(id), 0) FROM ${table})))`

export async function setImportCounters(tx: Tx, { run, clean, setup, revisions, highest }: ImportFacts): Promise<void> {
  await tx.unhurried()
  await tx.query(statements.frontiers, [run])
  await tx.query(statements.leases, [clean])
  await tx.query(statements.forgetCounts)
  await tx.query(statements.inboxCounts)
  await tx.query(statements.forgetPages)
  await tx.query(statements.inboxPages)
  await tx.query(statements.forgetPageCounts)
  await tx.query(statements.inboxPageCounts)
  for (const [name, revision] of Object.entries(revisions))
    await tx.query(statements.fact, [name, JSON.stringify(revision)])
  if (setup === null) await tx.query(statements.forgetFact, ['setup'])
  else await tx.query(statements.fact, ['setup', JSON.stringify(setup)])
  if (highest.ids > 0) {
    await tx.query(statements.ids, [highest.ids])
    await tx.query(statements.versionMark, [highest.ids * partitionCount + partitionCount - 1])
  }
  // A sequence begins at 1: it can't be set to 0.
  for (const table of identities) if (highest[table] > 0) await tx.query(identityStatement(table), [highest[table]])
}

/** Finds counters that disagree with the rows. */
export const counterFaults = `
  SELECT 'partition ' || f.partition || ': its queue has ' || coalesce(q.n, 0) || ' requests, its hosts count '
    || coalesce(h.queued, 0) AS fault
  FROM frontiers f
  LEFT JOIN (SELECT partition, count(*) AS n FROM queue GROUP BY partition) q USING (partition)
  LEFT JOIN (SELECT partition, sum(queued) AS queued FROM hosts GROUP BY partition) h USING (partition)
  WHERE coalesce(q.n, 0) <> f.queued OR coalesce(h.queued, 0) <> f.queued
  ORDER BY f.partition LIMIT 20`
