import type { InboxItem, InboxStore, Marks } from '../../contracts/inbox.ts'
import { countsOf, highestOf, isEmptyCount, type ProfileRow, pins, type ScopeRow } from '../../rules/inbox.ts'
import { type Database, flagOf } from '../folder/database.ts'
import { createAnnotationReader, prepareAnnotations } from './annotation-rows.ts'
import { createChannelClearing } from './deliveries.ts'
import { createInboxPages } from './inbox-pages.ts'
import { createInboxSelection } from './inbox-selection.ts'

type Id = { id: number }

/** All annotations of an owner, in any state: merges two indexes, as no single one covers them. */
const everyState = (columns: string, compared: '<' | '>'): string =>
  [
    `SELECT ${columns} FROM annotations a INDEXED BY annotations_owner WHERE a.owner = ?1 AND a.archived = 0 AND a.id ${compared} ?2`,
    `SELECT ${columns} FROM annotations a INDEXED BY annotations_archived WHERE a.owner = ?1 AND a.archived = 1 AND a.id ${compared} ?2`,
  ].join(' UNION ALL ')

export function createSqliteInbox(db: Database): InboxStore {
  const { itemOf, itemsOf } = createAnnotationReader(db)
  const { select } = createInboxSelection(db)
  const marks = createInboxMarks(db)
  const sql = inboxStatements(db)

  const item = (owner: string, id: number): InboxItem | null => itemOf(sql.find.get(id, owner))
  function items(owner: string, ids: readonly number[]): InboxItem[] {
    if (ids.length === 0) return []
    const found = new Map(itemsOf(sql.some.all(JSON.stringify(ids), owner)).map((each) => [each.id, each]))
    return ids.flatMap((id) => found.get(id) ?? [])
  }

  return {
    pages: createInboxPages({ db, select, items }),
    async list(owner, filter, { before, limit }) {
      return db.readTogether(() => items(owner, select(owner, filter, { highest: highestOf(filter, before), limit })))
    },
    find: async (owner, id) => db.read(() => item(owner, id)),
    async arrivals(owner, { after, limit }) {
      return db.readTogether(() => {
        const rows = sql.arrivals.all(owner, after, limit) as Id[]
        return items(
          owner,
          rows.map(({ id }) => id),
        )
      })
    },
    mark: async (owner, ids, given) => db.write(() => marks.mark(owner, ids, given)),
    async markAll(owner, filter, given, limit) {
      return db.write(() => {
        const ids = select(owner, filter, { highest: highestOf(filter, null), limit, changedBy: given })
        return marks.mark(owner, ids, given)
      })
    },
    counts: async (owner) =>
      db.readTogether(() => countsOf(sql.counts.all(owner) as ProfileRow[], sql.pageCounts.all(owner) as ScopeRow[])),
    async documentsOf(owner, documentIds) {
      const isKnown = (id: number): boolean => sql.ofDocument.get(id, owner) !== undefined
      return db.readTogether(() => new Set(documentIds.filter(isKnown)))
    },
    async documents(owner, { before, limit }) {
      const rows = db.read(() => sql.documents.all(owner, before ?? Number.MAX_SAFE_INTEGER, limit))
      return (rows as { annotation: number; documentId: number }[]).map((row) => ({ ...row }))
    },
    async remove(owner, { profile, limit }) {
      return db.write(() => {
        const rows = profile === undefined ? sql.arrivals.all(owner, 0, limit) : sql.someOf.all(owner, profile, limit)
        marks.remove(
          owner,
          (rows as Id[]).map(({ id }) => id),
        )
        return rows.length
      })
    },
  }
}

function inboxStatements(db: Database) {
  return {
    find: prepareAnnotations(db, 'WHERE a.id = ? AND a.owner = ?'),
    // The plus keeps it off the owner's index: ids are fewer.
    some: prepareAnnotations(db, 'WHERE a.id IN (SELECT value FROM json_each(?)) AND +a.owner = ?'),
    arrivals: db.prepare(`${everyState('a.id', '>')} ORDER BY 1 LIMIT ?3`),
    someOf: db.prepare(
      `SELECT a.id FROM annotations a INDEXED BY annotations_profile WHERE a.owner = ?1 AND a.profile = ?2
       ORDER BY a.id LIMIT ?3`,
    ),
    counts: db.prepare(
      `SELECT profile, unread, shown AS "all", starred, archived FROM inbox_counts
       WHERE owner = ? AND shown + archived > 0 ORDER BY profile`,
    ),
    pageCounts: db.prepare(
      'SELECT scope, unread, shown AS "all", starred, archived FROM inbox_page_counts WHERE owner = ?',
    ),
    ofDocument: db.prepare('SELECT 1 FROM annotations WHERE document = ? AND owner = ? LIMIT 1'),
    // Only the last annotation of each document.
    documents: db.prepare(
      `SELECT a.id AS annotation, a.document AS documentId FROM (${everyState('a.id, a.document', '<')}) a
       WHERE NOT EXISTS (SELECT 1 FROM annotations b WHERE b.document = a.document AND b.owner = ?1 AND b.id > a.id)
       ORDER BY a.id DESC LIMIT ?3`,
    ),
  }
}

type Changed = { document: number; version: number; at: number; isPinned: 0 | 1 }

/** Changes rows and the pins of their versions. Everything here runs in the caller's transaction. */
export function createInboxMarks(db: Database) {
  const clearing = createChannelClearing(db)
  const sql = {
    mark: db.prepare(
      `UPDATE annotations SET read = coalesce(:read, read), starred = coalesce(:starred, starred),
       archived = coalesce(:archived, archived) WHERE id = :id AND owner = :owner AND
       (read <> coalesce(:read, read) OR starred <> coalesce(:starred, starred) OR archived <> coalesce(:archived, archived))
       RETURNING document, version, at, ${pins()} AS isPinned`,
    ),
    remove: db.prepare('DELETE FROM annotations WHERE id = ? RETURNING document, version'),
    removeAlsoAt: db.prepare('DELETE FROM also_at WHERE annotation = ?'),
    removeEntries: db.prepare('DELETE FROM outbox WHERE annotation = ? RETURNING message'),
    // A version that was collected in the meantime can't be pinned.
    pin: db.prepare(
      'INSERT OR IGNORE INTO holds (version, owner, since) SELECT id, ?2, ?3 FROM versions WHERE id = ?1',
    ),
    isPinned: db.prepare(
      `SELECT 1 FROM annotations WHERE document = ? AND version = ? AND owner = ? AND ${pins()} LIMIT 1`,
    ),
    unpin: db.prepare('DELETE FROM holds WHERE version = ? AND owner = ?'),
    dropEmptyCounts: db.prepare(`DELETE FROM inbox_counts WHERE owner = ? AND ${isEmptyCount}`),
    dropEmptyPageCounts: db.prepare(`DELETE FROM inbox_page_counts WHERE owner = ? AND ${isEmptyCount}`),
  }

  function unpinUnlessWanted(owner: string, { document, version }: Pick<Changed, 'document' | 'version'>): void {
    if (sql.isPinned.get(document, version, owner) === undefined) sql.unpin.run(version, owner)
  }

  return {
    /** Returns the ids that changed. */
    mark(owner: string, ids: readonly number[], { read, starred, archived }: Marks): number[] {
      const marks = { read: flagOf(read), starred: flagOf(starred), archived: flagOf(archived) }
      return ids.filter((id) => {
        const changed = sql.mark.get({ ...marks, id, owner }) as Changed | undefined
        if (changed === undefined) return false
        if (changed.isPinned === 1) sql.pin.run(changed.version, owner, changed.at)
        else unpinUnlessWanted(owner, changed)
        return true
      })
    },
    /** All ids must be the owner's. */
    remove(owner: string, ids: readonly number[]): void {
      const messages = new Set<string>()
      for (const id of ids) {
        const removed = sql.remove.get(id) as Changed
        sql.removeAlsoAt.run(id)
        for (const { message } of sql.removeEntries.all(id) as { message: string }[]) messages.add(message)
        unpinUnlessWanted(owner, removed)
      }
      messages.delete('')
      clearing.dropEmpty(messages)
      sql.dropEmptyCounts.run(owner)
      sql.dropEmptyPageCounts.run(owner)
    },
  }
}
