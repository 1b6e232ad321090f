import { type InboxState, inboxStates } from '../../contracts/inbox.ts'
import { countColumns, isEmptyCount } from '../../rules/inbox.ts'
import type { Tx } from '../connection/pool.ts'

/**
 * `inbox_pages` sums up the annotations of one page, or of one entry of a feed: how many are in each state, and the newest of them
 * (0: none). Its scope is a profile, or empty for all of the owner's profiles. `inbox_page_counts` has the number of pages in each
 * state. Statements that change rows of `inbox` maintain both, with the owner locked.
 */

/** The rows of a state, worded like the condition of its partial index. */
export const rowsOfState: Record<InboxState, string> = {
  unread: 'NOT i.archived AND NOT i.read',
  all: 'NOT i.archived',
  starred: 'i.starred',
  archived: 'i.archived',
}

const states = inboxStates.map((state) => ({ column: countColumns[state], rows: rowsOfState[state] }))
const each = (write: (state: (typeof states)[number]) => string, between = ', '): string =>
  states.map(write).join(between)
const columns = `${each(({ column }) => column)}, ${each(({ column }) => `last_${column}`)}`
const sums = `${each(({ rows }) => `count(*) FILTER (WHERE ${rows})`)},
  ${each(({ rows }) => `coalesce(max(i.id) FILTER (WHERE ${rows}), 0)`)}`
const scopes = `CROSS JOIN LATERAL (SELECT '' AS scope UNION SELECT i.profile) s`

/** Rebuilds all pages from the rows of `inbox`, for an import. */
export const countedPages = `INSERT INTO inbox_pages (owner, document, entry, scope, ${columns})
  SELECT i.owner, i.document, i.entry, s.scope, ${sums}
  FROM inbox i ${scopes} GROUP BY i.owner, i.document, i.entry, s.scope`
export const pageCounts = `INSERT INTO inbox_page_counts (owner, scope, ${each(({ column }) => column)})
  SELECT owner, scope, ${each(({ column }) => `count(*) FILTER (WHERE ${column} > 0)`)} FROM inbox_pages GROUP BY owner, scope`

/**
 * CTEs of a statement that adds the rows `fresh`. A page has entered a state if all its rows in that state are among them. RETURNING gives
 * values read after the owners were locked, unlike a query in the same statement.
 */
export const addedPages = `given_pages AS MATERIALIZED (
  SELECT i.owner, i.document, i.entry, s.scope, ${each(({ column, rows }) => `count(*) FILTER (WHERE ${rows}) AS ${column}`)},
    ${each(({ column, rows }) => `coalesce(max(i.id) FILTER (WHERE ${rows}), 0) AS last_${column}`)}
  FROM (SELECT *, false AS starred FROM fresh) i ${scopes} GROUP BY i.owner, i.document, i.entry, s.scope
), paged AS (
  INSERT INTO inbox_pages AS p (owner, document, entry, scope, ${columns})
  SELECT owner, document, entry, scope, ${columns} FROM given_pages
  ON CONFLICT (owner, document, entry, scope) DO UPDATE SET ${each(({ column }) => `${column} = p.${column} + excluded.${column}`)},
    ${each(({ column }) => `last_${column} = greatest(p.last_${column}, excluded.last_${column})`)}
  RETURNING p.owner, p.document, p.entry, p.scope, ${each(({ column }) => `p.${column}`)}
), paged_counted AS (
  INSERT INTO inbox_page_counts AS c (owner, scope, ${each(({ column }) => column)})
  SELECT p.owner, p.scope, ${each(({ column }) => `count(*) FILTER (WHERE g.${column} > 0 AND p.${column} = g.${column})`)}
  FROM paged p JOIN given_pages g USING (owner, document, entry, scope) GROUP BY p.owner, p.scope
  ON CONFLICT (owner, scope) DO UPDATE SET ${each(({ column }) => `${column} = c.${column} + excluded.${column}`)}
)`

/** A change to a row of `inbox`: 1 for each state that it entered, -1 for each that it left. */
export type PageStep = { id: number; profile: string; document: number; entry: string } & Record<
  (typeof inboxColumns)[number],
  number
>
const inboxColumns = ['unread', 'shown', 'starred', 'archived'] as const

/**
 * The newest row of a state is one that just entered it, the previous newest, or the next older one still in it: rows above the
 * previous newest needn't be read again.
 */
const steppedStatement = `
WITH steps AS MATERIALIZED (
  SELECT t.document, t.entry, s.scope, ${each(({ column }) => `sum(t.${column})::bigint AS ${column}`)},
    ${each(({ column }) => `coalesce(max(t.id) FILTER (WHERE t.${column} > 0), 0) AS last_${column}`)}
  FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::int[], $7::int[], $8::int[], $9::int[])
    AS t (id, profile, document, entry, ${each(({ column }) => column)})
  CROSS JOIN LATERAL (SELECT '' AS scope UNION SELECT t.profile) s GROUP BY t.document, t.entry, s.scope
), paged AS (
  UPDATE inbox_pages p SET ${each(({ column }) => `${column} = p.${column} + t.${column}`)},
    ${each(
      ({
        column,
        rows,
      }) => `last_${column} = CASE WHEN p.${column} + t.${column} = 0 THEN 0 ELSE greatest(t.last_${column},
      (SELECT i.id FROM inbox i WHERE i.owner = $1 AND i.document = p.document AND i.entry = p.entry
        AND i.id <= p.last_${column} AND ${rows} AND (p.scope = '' OR i.profile = p.scope) ORDER BY i.id DESC LIMIT 1)) END`,
    )}
  FROM steps t WHERE p.owner = $1 AND p.document = t.document AND p.entry = t.entry AND p.scope = t.scope
  RETURNING p.scope, ${each(({ column }) => `p.${column}, t.${column} AS by_${column}`)}
)
UPDATE inbox_page_counts c SET ${each(({ column }) => `${column} = c.${column} + d.${column}`)}
FROM (SELECT scope, ${each(({ column }) => `sum((${column} > 0)::int - (${column} - by_${column} > 0)::int) AS ${column}`)}
  FROM paged GROUP BY scope) d
WHERE c.owner = $1 AND c.scope = d.scope`

/** Updates the pages after rows of an owner have changed. */
export async function notePages(tx: Tx, owner: string, steps: readonly PageStep[]): Promise<void> {
  if (steps.length === 0) return
  await tx.query(steppedStatement, [
    owner,
    ...(['id', 'profile', 'document', 'entry', ...inboxColumns] as const).map((name) =>
      steps.map((step) => step[name]),
    ),
  ])
}

/** Deletes pages and scopes that have nothing in the inbox any more. */
export async function dropEmptyPages(tx: Tx, owner: string, documents: readonly number[]): Promise<void> {
  await tx.query(`DELETE FROM inbox_pages WHERE owner = $1 AND document = ANY($2::bigint[]) AND ${isEmptyCount}`, [
    owner,
    documents,
  ])
  await tx.query(`DELETE FROM inbox_page_counts WHERE owner = $1 AND ${isEmptyCount}`, [owner])
}
