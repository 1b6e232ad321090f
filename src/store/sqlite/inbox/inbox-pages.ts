import type { StatementSync } from 'node:sqlite'
import {
  type InboxFilter,
  type InboxItem,
  type InboxPageItem,
  type InboxState,
  inboxStates,
} from '../../contracts/inbox.ts'
import { countColumns, type Found, firstOfPages, highestOf, MAX_COUNTED, MAX_FIRST } from '../../rules/inbox.ts'
import type { Database } from '../folder/database.ts'
import type { createInboxSelection } from './inbox-selection.ts'

/** Number of the owner's annotations of a page in a scope: in the state of the list, unread and starred. */
type PageRow = { n: number; unread: number; starred: number }
type Row = Found & PageRow

const stateRows: Record<InboxState, string> = {
  unread: 'archived = 0 AND read = 0',
  all: 'archived = 0',
  starred: 'starred = 1',
  archived: 'archived = 1',
}

const statements = (db: Database, state: InboxState) => {
  const column = countColumns[state]
  return {
    list: db.prepare(
      `SELECT p.last_${column} AS id, p.document AS documentId, p.entry, p.${column} AS n, p.unread, p.starred
       FROM inbox_pages p INDEXED BY inbox_pages_${column}
       WHERE p.owner = ? AND p.scope = ? AND p.last_${column} > 0 AND p.last_${column} <= ?
       ORDER BY p.last_${column} DESC LIMIT ?`,
    ),
    page: db.prepare(
      `SELECT ${column} AS n, unread, starred FROM inbox_pages WHERE owner = ? AND document = ? AND entry = ? AND scope = ?`,
    ),
    profiles: db.prepare(
      `SELECT scope AS profile FROM inbox_pages WHERE owner = ? AND document = ? AND entry = ? AND scope > ''
       AND ${column} > 0 ORDER BY scope`,
    ),
    versions: db.prepare(
      `SELECT count(DISTINCT version) AS n FROM (SELECT version, backlog FROM annotations INDEXED BY annotations_page
       WHERE owner = ? AND document = ? AND entry = ? AND ${stateRows[state]} ORDER BY id DESC LIMIT ${MAX_COUNTED})
       WHERE backlog = 0`,
    ),
    backlog: db.prepare(
      `SELECT count(*) AS n FROM (SELECT * FROM annotations INDEXED BY annotations_page
       WHERE owner = ? AND document = ? AND entry = ? ORDER BY id LIMIT ${MAX_FIRST})
       WHERE backlog = 1 AND profile = ? AND ${stateRows[state]}`,
    ),
  } satisfies Record<string, StatementSync>
}

export type InboxPagesDeps = {
  db: Database
  select: ReturnType<typeof createInboxSelection>['select']
  items(owner: string, ids: readonly number[]): InboxItem[]
}

/** The inbox as rows of pages. */
export function createInboxPages({ db, select, items }: InboxPagesDeps) {
  const sql = new Map(inboxStates.map((state) => [state, statements(db, state)]))
  const pageOf = db.prepare('SELECT document AS documentId, entry FROM annotations WHERE id = ?')

  function rowOf(owner: string, { state, profile = '' }: InboxFilter, found: Found): Row {
    const page = sql.get(state)!.page.get(owner, found.documentId, found.entry, profile) as PageRow
    return { ...found, ...page }
  }

  function itemsOf(owner: string, { state, profile }: InboxFilter, rows: readonly Row[]): InboxPageItem[] {
    const byId = new Map(rows.map((row) => [row.id, row]))
    const { profiles, versions, backlog } = sql.get(state)!
    const countOf = (statement: StatementSync, ...values: (string | number)[]): number =>
      (statement.get(owner, ...values) as { n: number }).n
    const found = items(
      owner,
      rows.map(({ id }) => id),
    )
    return found.map((item) => {
      const { documentId, entry, n, unread, starred } = byId.get(item.id)!
      const named = profiles.all(owner, documentId, entry) as { profile: string }[]
      const others = named.map((each) => each.profile).filter((each) => each !== item.profile)
      const isShared = profile === undefined && others.length > 0
      const count =
        n === 1
          ? Number(!item.backlog)
          : isShared
            ? countOf(versions, documentId, entry)
            : n - countOf(backlog, documentId, entry, item.profile)
      return { ...item, read: unread === 0, starred: starred > 0, count, profiles: [item.profile, ...others] }
    })
  }

  function stored(owner: string, filter: InboxFilter, before: number | null, limit: number): Row[] {
    const highest = highestOf(filter, before) ?? Number.MAX_SAFE_INTEGER
    return sql.get(filter.state)!.list.all(owner, filter.profile ?? '', highest, limit) as Row[]
  }

  function matches(owner: string, filter: InboxFilter, before: number | null, limit: number): Found[] {
    const ids = select(owner, filter, { highest: highestOf(filter, before), limit })
    return ids.map((id) => ({ id, ...(pageOf.get(id) as Omit<Found, 'id'>) }))
  }

  /** Candidates without a newer match. If a page has only one annotation in the state, there is no newer one. */
  function newestOf(owner: string, filter: InboxFilter, candidates: readonly Found[]): Set<number> {
    const isNewest = (found: Found): boolean => {
      if (rowOf(owner, filter, found).n === 1) return true
      const { documentId, entry } = found
      const selection = { highest: highestOf(filter, null), limit: 1 }
      return select(owner, { ...filter, page: { documentId, entry } }, selection)[0] === found.id
    }
    return new Set(candidates.filter(isNewest).map(({ id }) => id))
  }

  return async function pages(owner: string, filter: InboxFilter, page: { before: number | null; limit: number }) {
    const { urgency, query, page: one } = filter
    if (urgency === undefined && query === undefined && one === undefined)
      return db.readTogether(() => {
        const rows = stored(owner, filter, page.before, page.limit + 1)
        const shown = rows.slice(0, page.limit)
        return { items: itemsOf(owner, filter, shown), next: rows.length > page.limit ? shown.at(-1)!.id : null }
      })
    const { found, next } = await firstOfPages(
      page,
      (before, limit) => db.readTogether(() => matches(owner, filter, before, limit)),
      (candidates) => db.readTogether(() => newestOf(owner, filter, candidates)),
    )
    const rows = () => found.map((each) => rowOf(owner, filter, each)).filter(({ n }) => n > 0)
    return { items: db.readTogether(() => itemsOf(owner, filter, rows())), next }
  }
}
