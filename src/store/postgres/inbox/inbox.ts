import type { InboxFilter, InboxStore, Marks } from '../../contracts/inbox.ts'
import { countsOf, highestOf, isEmptyCount, type ProfileRow, pins, type ScopeRow } from '../../rules/inbox.ts'
import { partitionsOfIds, readItems } from '../annotations/annotation-rows.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { inPartitions, storable } from '../connection/row-batch.ts'
import { removeEntries } from './deliveries.ts'
import { listPages } from './inbox-page-list.ts'
import { dropEmptyPages, notePages, type PageStep } from './inbox-pages.ts'
import { arrivalsStatement, documentsStatement, givenRows, itemsOf, selectRows } from './inbox-selection.ts'

type Id = { id: number }

export function createPostgresInbox(pool: PostgresPool): InboxStore {
  return {
    async list(owner, filter, { before, limit }) {
      const rows = await selectRows(pool, storable(owner), storableFilter(filter), {
        highest: highestOf(filter, before),
        limit,
      })
      if (rows === null) return []
      return readItems(pool, itemsOf(rows.sql, 'DESC'), rows.values)
    },
    pages: (owner, filter, page) => listPages(pool, storable(owner), storableFilter(filter), page),
    async find(owner, id) {
      const { sql, values } = givenRows(storable(owner), [id])
      return (await readItems(pool, itemsOf(sql, 'DESC'), values))[0] ?? null
    },
    arrivals(owner, { after, limit }) {
      return readItems(pool, itemsOf(arrivalsStatement, 'ASC'), [storable(owner), after, limit])
    },
    async mark(owner, ids, marks) {
      if (ids.length === 0) return []
      return inInbox(pool, owner, (tx, name) => mark(tx, name, ids, marks))
    },
    async markAll(owner, filter, marks, limit) {
      return inInbox(pool, owner, async (tx, name) => {
        const selection = { highest: highestOf(filter, null), limit, changedBy: marks }
        const found = await selectRows(tx, name, storableFilter(filter), selection)
        const ids = found === null ? [] : await tx.query<Id>(found.sql, found.values)
        if (ids.length === 0) return []
        return mark(
          tx,
          name,
          ids.map(({ id }) => id),
          marks,
        )
      })
    },
    async counts(owner) {
      const name = [storable(owner)]
      const rows = await pool.query<ProfileRow>(
        `SELECT profile, unread, shown AS "all", starred, archived FROM inbox_counts
         WHERE owner = $1 AND shown + archived > 0 ORDER BY profile`,
        name,
      )
      const scopes = await pool.query<ScopeRow>(
        'SELECT scope, unread, shown AS "all", starred, archived FROM inbox_page_counts WHERE owner = $1',
        name,
      )
      return countsOf(rows, scopes)
    },
    async documentsOf(owner, documentIds) {
      const rows = await pool.query<{ document: number }>(
        'SELECT DISTINCT document FROM inbox WHERE owner = $1 AND document = ANY($2::bigint[])',
        [storable(owner), documentIds],
      )
      return new Set(rows.map(({ document }) => document))
    },
    async documents(owner, { before, limit }) {
      const values = [storable(owner), before ?? Number.MAX_SAFE_INTEGER, limit]
      const rows = await pool.query<{ id: number; document: number }>(documentsStatement, values)
      return rows.map(({ id, document }) => ({ annotation: id, documentId: document }))
    },
    async remove(owner, { profile, limit }) {
      return inInbox(pool, owner, async (tx, name) => {
        const rows =
          profile === undefined
            ? await tx.query<Id>(arrivalsStatement, [name, 0, limit])
            : await tx.query<Id>('SELECT id FROM inbox WHERE owner = $1 AND profile = $2 ORDER BY id LIMIT $3', [
                name,
                storable(profile),
                limit,
              ])
        if (rows.length === 0) return 0
        return remove(
          tx,
          name,
          rows.map(({ id }) => id),
        )
      })
    },
  }
}

/** Runs work with the owner's inbox locked. */
function inInbox<T>(pool: PostgresPool, owner: string, work: (tx: Tx, name: string) => Promise<T>): Promise<T> {
  const name = storable(owner)
  return pool.transaction(async (tx) => {
    await lockInbox(tx, name)
    return work(tx, name)
  })
}

function storableFilter(filter: InboxFilter): InboxFilter {
  const { profile, page } = filter
  return {
    ...filter,
    ...(profile === undefined ? {} : { profile: storable(profile) }),
    ...(page === undefined ? {} : { page: { ...page, entry: storable(page.entry) } }),
  }
}

/** Everything below runs in the caller's transaction, with the owner locked. The owner is storable. */

type Touched = PageStep & { version: number; at: number }
type Wish = { version: number; wanted: boolean }

/** Keeps other transactions from adding to this inbox or marking in it, until this one ends. */
export async function lockInbox(tx: Tx, owner: string): Promise<void> {
  await tx.query(
    `INSERT INTO inbox_owners (owner) VALUES ($1) ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner WHERE false`,
    [owner],
  )
}

const difference = (after: string, before: string): string => `(${after})::int - (${before})::int`

/** Updates rows, and the counts of their profiles by the difference. */
const markStatement = `
WITH old AS MATERIALIZED (
  SELECT id, read, starred, archived FROM inbox WHERE owner = $1 AND id = ANY($2::bigint[])
), changed AS (
  UPDATE inbox i SET read = coalesce($3::boolean, i.read), starred = coalesce($4::boolean, i.starred),
    archived = coalesce($5::boolean, i.archived)
  FROM old WHERE i.owner = $1 AND i.id = old.id AND (i.read <> $3::boolean OR i.starred <> $4::boolean OR i.archived <> $5::boolean)
  RETURNING i.id, i.profile, i.document, i.entry, i.version, i.at,
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
SELECT id, profile, document, entry, version, at, unread, shown, starred, archived FROM changed`

/** Returns the ids that changed, in the given order. */
export async function mark(
  tx: Tx,
  owner: string,
  ids: readonly number[],
  { read, starred, archived }: Marks,
): Promise<number[]> {
  const values = [owner, ids, read ?? null, starred ?? null, archived ?? null]
  const changed = await tx.query<Touched>(markStatement, values)
  await notePages(tx, owner, changed)
  await commitPins(tx, owner, changed)
  const touched = new Set(changed.map(({ id }) => id))
  // An id given twice is returned once.
  return ids.filter((id) => touched.delete(id))
}

const removeStatement = `
WITH removed AS (
  DELETE FROM inbox WHERE owner = $1 AND id = ANY($2::bigint[])
  RETURNING id, profile, document, entry, version, at, read, starred, archived
), told AS (
  DELETE FROM annotations WHERE id = ANY($2::bigint[]) AND owner = $1
), met AS (
  DELETE FROM also_at WHERE annotation IN (SELECT id FROM removed)
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
SELECT id, profile, document, entry, version, at, -(NOT read AND NOT archived)::int AS unread, -(NOT archived)::int AS shown,
  -starred::int AS starred, -archived::int AS archived FROM removed`

export async function remove(tx: Tx, owner: string, ids: readonly number[]): Promise<number> {
  const removed = await tx.query<Touched>(removeStatement, [owner, ids])
  await removeEntries(
    tx,
    removed.map(({ id }) => id),
  )
  await notePages(tx, owner, removed)
  await commitPins(tx, owner, removed)
  await dropEmptyPages(
    tx,
    owner,
    removed.map(({ document }) => document),
  )
  await tx.query(`DELETE FROM inbox_counts WHERE owner = $1 AND ${isEmptyCount}`, [owner])
  return removed.length
}

/** Pins the versions that the owner still needs, and unpins the others. */
async function commitPins(tx: Tx, owner: string, touched: readonly Touched[]): Promise<void> {
  if (touched.length === 0) return
  const since = new Map(touched.map(({ version, at }) => [version, at]))
  const wishes = await tx.query<Wish>(
    `SELECT t.version, EXISTS (SELECT 1 FROM inbox i WHERE i.owner = $1 AND i.document = t.document
       AND i.version = t.version AND ${pins('i.')}) AS wanted
     FROM unnest($2::bigint[], $3::bigint[]) AS t (document, version)`,
    [owner, touched.map(({ document }) => document), touched.map(({ version }) => version)],
  )
  const wanted = versionsOf(wishes, true)
  const left = versionsOf(wishes, false)
  // A version that was collected meanwhile has nothing to pin.
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
