import type { Marks } from '../../contracts/inbox.ts'
import { isEmptyCountSql } from '../../rules/inbox-counts.ts'
import type { Database } from '../folder/database.ts'
import { flagOf } from '../folder/database.ts'

type Changed = { document: number; version: number; at: number; isWanted: 0 | 1 }

/** A version is held for its reader as long as this is true of any of the reader's annotations of it. */
const isWanted = 'archived = 0 AND (read = 0 OR starred = 1)'

/** Changes rows and keeps the holds right that hang on them. Everything here runs in the caller's transaction. */
export function createInboxMarks(db: Database) {
  const sql = {
    mark: db.prepare(
      `UPDATE annotations SET read = coalesce(:read, read), starred = coalesce(:starred, starred),
       archived = coalesce(:archived, archived) WHERE id = :id AND owner = :owner AND
       (read <> coalesce(:read, read) OR starred <> coalesce(:starred, starred) OR archived <> coalesce(:archived, archived))
       RETURNING document, version, at, ${isWanted} AS isWanted`,
    ),
    remove: db.prepare('DELETE FROM annotations WHERE id = ? RETURNING document, version'),
    removeAlsoAt: db.prepare('DELETE FROM also_at WHERE annotation = ?'),
    removeOutbox: db.prepare('DELETE FROM outbox WHERE annotation = ?'),
    // A version that was collected meanwhile has nothing that could be held.
    hold: db.prepare(
      'INSERT OR IGNORE INTO holds (version, owner, since) SELECT id, ?2, ?3 FROM versions WHERE id = ?1',
    ),
    // The pluses keep it off the indexes of the inbox, which know no documents.
    isHeld: db.prepare(
      `SELECT 1 FROM annotations WHERE document = ? AND version = ? AND owner = ?
       AND +archived = 0 AND (+read = 0 OR +starred = 1) LIMIT 1`,
    ),
    release: db.prepare('DELETE FROM holds WHERE version = ? AND owner = ?'),
    dropEmptyCounts: db.prepare(`DELETE FROM inbox_counts WHERE owner = ? AND ${isEmptyCountSql}`),
  }

  function releaseUnlessWanted(owner: string, { document, version }: Pick<Changed, 'document' | 'version'>): void {
    if (sql.isHeld.get(document, version, owner) === undefined) sql.release.run(version, owner)
  }

  return {
    /** Those of the ids that it changed. */
    mark(owner: string, ids: readonly number[], { read, starred, archived }: Marks): number[] {
      const marks = { read: flagOf(read), starred: flagOf(starred), archived: flagOf(archived) }
      return ids.filter((id) => {
        const changed = sql.mark.get({ ...marks, id, owner }) as Changed | undefined
        if (changed === undefined) return false
        if (changed.isWanted === 1) sql.hold.run(changed.version, owner, changed.at)
        else releaseUnlessWanted(owner, changed)
        return true
      })
    },
    /** The ids are the owner's. */
    remove(owner: string, ids: readonly number[]): void {
      for (const id of ids) {
        const removed = sql.remove.get(id) as Changed
        sql.removeAlsoAt.run(id)
        sql.removeOutbox.run(id)
        releaseUnlessWanted(owner, removed)
      }
      sql.dropEmptyCounts.run(owner)
    },
  }
}
