import type { InboxFilter, InboxPageItem } from '../../contracts/inbox.ts'
import { countColumns, type Found, firstOfPages, highestOf, MAX_COUNTED, MAX_FIRST } from '../../rules/inbox.ts'
import { readItems } from '../annotations/annotation-rows.ts'
import type { Sender } from '../connection/pool.ts'
import { rowsOfState } from './inbox-pages.ts'
import { givenRows, itemsOf, newestOfPages, selectRows, walkAlongPage, walkOf } from './inbox-selection.ts'

/** The owner's annotations of a page: counts in the state of the list, unread and starred, and the profiles that have it. */
type PageRow = { id: number; n: number; unread: number; starred: number; versions: number; profiles: string[] }

/** The inbox, one row per page. Owner and filter must be storable. */
export async function listPages(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  page: { before: number | null; limit: number },
): Promise<{ items: InboxPageItem[]; next: number | null }> {
  const { urgency, query, page: one } = filter
  if (urgency === undefined && query === undefined && one === undefined) {
    const found = await storedPages(sender, owner, filter, { before: page.before, limit: page.limit + 1 })
    const shown = found.slice(0, page.limit)
    return {
      items: await pageItems(sender, owner, filter, shown),
      next: found.length > page.limit ? shown.at(-1)!.id : null,
    }
  }
  const { found, next } = await firstOfPages(
    page,
    (before, limit) => matches(sender, owner, filter, { before, limit }),
    (candidates) => newestOf(sender, owner, filter, candidates),
  )
  return { items: await pageItems(sender, owner, filter, found), next }
}

async function storedPages(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<Found[]> {
  const last = `last_${countColumns[filter.state]}`
  return sender.query<Found>(
    `SELECT ${last} AS id, document AS "documentId", entry FROM inbox_pages
     WHERE owner = $1 AND scope = $2 AND ${last} > 0 AND ${last} <= $3 ORDER BY ${last} DESC LIMIT $4`,
    [owner, filter.profile ?? '', highestOf(filter, before) ?? Number.MAX_SAFE_INTEGER, limit],
  )
}

async function matches(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<Found[]> {
  const rows = await selectRows(sender, owner, filter, { highest: highestOf(filter, before), limit })
  if (rows === null) return []
  const found = await sender.query<{ id: number; document: number; entry: string }>(rows.sql, rows.values)
  return found.map(({ id, document, entry }) => ({ id, documentId: document, entry })).sort((a, b) => b.id - a.id)
}

async function newestOf(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  candidates: readonly Found[],
): Promise<Set<number>> {
  if (candidates.length === 0) return new Set()
  const walk = walkOf(owner, { ...filter }, { highest: highestOf(filter, null), limit: 1 })
  const { sql, values } = newestOfPages({ ...walkAlongPage(walk, filter), page: null }, candidates)
  return new Set((await sender.query<{ id: number }>(sql, values)).map(({ id }) => id))
}

/**
 * A page of one profile has one annotation per version; with several profiles, versions are counted. A profile's backlog doesn't
 * count.
 */
async function pageItems(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  found: readonly Found[],
): Promise<InboxPageItem[]> {
  if (found.length === 0) return []
  const { state, profile } = filter
  const column = countColumns[state]
  const ofPage = 'i.owner = $1 AND i.document = g.document AND i.entry = g.entry'
  const isBacklog = (alias: string) => `(SELECT a.backlog FROM annotations a WHERE a.id = ${alias}.id LIMIT 1)`
  const rows = await sender.query<PageRow>(
    `SELECT g.id, p.${column} AS n, p.unread, p.starred, o.profiles,
       CASE WHEN p.scope <> '' OR cardinality(o.profiles) = 1 OR p.${column} = 1 THEN p.${column} -
         (SELECT count(*) FROM (SELECT i.* FROM inbox i WHERE ${ofPage} ORDER BY i.id LIMIT ${MAX_FIRST}) i
           WHERE ${rowsOfState[state]} AND (p.scope = '' OR i.profile = p.scope) AND ${isBacklog('i')}) ELSE
         (SELECT count(DISTINCT c.version) FROM (SELECT i.id, i.version FROM inbox i
           WHERE ${ofPage} AND ${rowsOfState[state]} ORDER BY i.id DESC LIMIT ${MAX_COUNTED}) c
           WHERE NOT ${isBacklog('c')}) END AS versions
     FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS g (id, document, entry)
     CROSS JOIN LATERAL (SELECT * FROM inbox_pages WHERE owner = $1 AND document = g.document AND entry = g.entry
       AND scope = $5 LIMIT 1) p
     CROSS JOIN LATERAL (SELECT coalesce(array_agg(scope ORDER BY scope), '{}') AS profiles FROM inbox_pages
       WHERE owner = $1 AND document = g.document AND entry = g.entry AND scope > '' AND ${column} > 0) o`,
    [owner, ...(['id', 'documentId', 'entry'] as const).map((name) => found.map((each) => each[name])), profile ?? ''],
  )
  const pageOf = new Map(rows.map((row) => [row.id, row]))
  const { sql, values } = givenRows(
    owner,
    found.map(({ id }) => id),
  )
  return (await readItems(sender, itemsOf(sql, 'DESC'), values)).flatMap((item) => {
    const page = pageOf.get(item.id)
    if (page === undefined || page.n === 0) return []
    const others = page.profiles.filter((each) => each !== item.profile)
    return {
      ...item,
      read: page.unread === 0,
      starred: page.starred > 0,
      count: page.versions,
      profiles: [item.profile, ...others],
    }
  })
}
