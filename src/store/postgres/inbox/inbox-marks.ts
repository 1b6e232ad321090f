import type { Marks } from '../../contracts/inbox.ts'
import { isEmptyCountSql } from '../../rules/inbox-counts.ts'
import { partitionsOfIds } from '../annotations/annotation-rows.ts'
import type { Tx } from '../connection/pool.ts'
import { inPartitions } from '../connection/row-batch.ts'

/** Everything here runs in the caller's transaction and behind the lock of the owner, who is storable. */

type Touched = { id: number; document: number; version: number; at: number }
type Wish = { version: number; wanted: boolean }

/** A version is held for its reader as long as this is true of any of the reader's annotations of it. */
const isWanted = 'NOT i.archived AND (NOT i.read OR i.starred)'

/** Until the end of the transaction nobody else adds to this inbox or marks in it. */
export async function lockInbox(tx: Tx, owner: string): Promise<void> {
  await tx.query(
    `INSERT INTO inbox_owners (owner) VALUES ($1) ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner WHERE false`,
    [owner],
  )
}

const difference = (after: string, before: string): string => `(${after})::int - (${before})::int`

/** Rows, and the counts of their profiles by what was before and after. */
const markStatement = `
WITH old AS MATERIALIZED (
  SELECT id, read, starred, archived FROM inbox WHERE owner = $1 AND id = ANY($2::bigint[])
), changed AS (
  UPDATE inbox i SET read = coalesce($3::boolean, i.read), starred = coalesce($4::boolean, i.starred),
    archived = coalesce($5::boolean, i.archived)
  FROM old WHERE i.owner = $1 AND i.id = old.id AND (i.read <> $3::boolean OR i.starred <> $4::boolean OR i.archived <> $5::boolean)
  RETURNING i.id, i.profile, i.document, i.version, i.at,
    ${difference('NOT i.read AND NOT i.archived', 'NOT old.read AND NOT old.archived')} AS unread,
    ${difference('NOT i.archived', 'NOT old.archived')} AS shown,
    ${difference('i.starred', 'old.starred')} AS starred,
    ${difference('i.archived', 'old.archived')} AS archived
), counted AS (
  UPDATE inbox_counts c SET unread = c.unread + d.unread, shown = c.shown + d.shown, starred = c.starred + d.starred,
    archived = c.archived + d.archived
  FROM (SELECT profile, sum(unread) AS unread, sum(shown) AS shown, sum(starred) AS starred, sum(archived) AS archived
    FROM changed GROUP BY profile) d
  WHERE c.owner = $1 AND c.profile = d.profile
)
SELECT id, document, version, at FROM changed`

/** Those of the ids that it changed, in their order. */
export async function mark(
  tx: Tx,
  owner: string,
  ids: readonly number[],
  { read, starred, archived }: Marks,
): Promise<number[]> {
  const values = [owner, ids, read ?? null, starred ?? null, archived ?? null]
  const changed = await tx.query<Touched>(markStatement, values)
  await commitPins(tx, owner, changed)
  const touched = new Set(changed.map(({ id }) => id))
  // Of an id that is given twice the first counts.
  return ids.filter((id) => touched.delete(id))
}

const removeStatement = `
WITH removed AS (
  DELETE FROM inbox WHERE owner = $1 AND id = ANY($2::bigint[])
  RETURNING id, profile, document, version, at, read, starred, archived
), told AS (
  DELETE FROM annotations WHERE id = ANY($2::bigint[]) AND owner = $1
), met AS (
  DELETE FROM also_at WHERE annotation IN (SELECT id FROM removed)
), unsent AS (
  DELETE FROM outbox WHERE annotation IN (SELECT id FROM removed)
), spelled AS (
  DELETE FROM inbox_words WHERE annotation IN (SELECT id FROM removed)
), counted AS (
  UPDATE inbox_counts c SET unread = c.unread - d.unread, shown = c.shown - d.shown, starred = c.starred - d.starred,
    archived = c.archived - d.archived
  FROM (SELECT profile, count(*) FILTER (WHERE NOT read AND NOT archived) AS unread,
      count(*) FILTER (WHERE NOT archived) AS shown, count(*) FILTER (WHERE starred) AS starred,
      count(*) FILTER (WHERE archived) AS archived FROM removed GROUP BY profile) d
  WHERE c.owner = $1 AND c.profile = d.profile
)
SELECT id, document, version, at FROM removed`

export async function remove(tx: Tx, owner: string, ids: readonly number[]): Promise<number> {
  const removed = await tx.query<Touched>(removeStatement, [owner, ids])
  await commitPins(tx, owner, removed)
  await tx.query(`DELETE FROM inbox_counts WHERE owner = $1 AND ${isEmptyCountSql}`, [owner])
  return removed.length
}

/** Versions are held for the owner who wants them, and for nobody who does not. */
async function commitPins(tx: Tx, owner: string, touched: readonly Touched[]): Promise<void> {
  if (touched.length === 0) return
  const since = new Map(touched.map(({ version, at }) => [version, at]))
  const wishes = await tx.query<Wish>(
    `SELECT t.version, EXISTS (SELECT 1 FROM inbox i WHERE i.owner = $1 AND i.document = t.document
       AND i.version = t.version AND ${isWanted}) AS wanted
     FROM unnest($2::bigint[], $3::bigint[]) AS t (document, version)`,
    [owner, touched.map(({ document }) => document), touched.map(({ version }) => version)],
  )
  const wanted = versionsOf(wishes, true)
  const left = versionsOf(wishes, false)
  // A version that was collected meanwhile has nothing that could be held.
  for (const [partition, own] of inPartitions(wanted))
    await tx.query(
      `INSERT INTO holds (partition, version, owner, since)
       SELECT v.partition, v.id, $2::text, h.since FROM unnest($3::bigint[], $4::bigint[]) AS h (version, since)
       JOIN versions v ON v.partition = $1::smallint AND v.id = h.version FOR KEY SHARE OF v
       ON CONFLICT DO NOTHING`,
      [partition, owner, own, own.map((version) => since.get(version)!)],
    )
  if (left.length > 0)
    await tx.query(
      `DELETE FROM holds WHERE partition = ANY($1::smallint[]) AND version = ANY($2::bigint[]) AND owner = $3`,
      [partitionsOfIds(left), left, owner],
    )
}

const versionsOf = (wishes: readonly Wish[], wanted: boolean): number[] => [
  ...new Set(wishes.filter((wish) => wish.wanted === wanted).map(({ version }) => version)),
]
