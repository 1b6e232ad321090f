import { collectableSql } from '../../rules/collectable.ts'
import { type LostVersions, noteLost, versionSql } from '../../rules/versioning.ts'
import type { Database } from '../folder/database.ts'

/**
 * Marks versions whose records are gone as lost, in the caller's transaction, together with all versions that refer to their bodies.
 * The next crawl fetches each document unconditionally and restores the same version.
 */
export function markLost(db: Database, versionIds: Iterable<number>): LostVersions {
  const forget = db.prepare(
    'DELETE FROM bodies WHERE version = ?1 AND digest = (SELECT digest FROM versions WHERE id = ?1)',
  )
  const mark = db.prepare(
    `UPDATE versions SET body = ${versionSql.bodyOnceLost}, original = id, file = 0, offset = 0, length = 0 WHERE id = ?`,
  )
  const sharing = db.prepare(`SELECT v.id FROM versions v WHERE v.original = ? AND ${collectableSql.isReference('v')}`)
  const urlOf = db.prepare('SELECT d.url FROM versions v JOIN documents d ON d.id = v.document WHERE v.id = ?')
  const lost: LostVersions = { count: 0, urls: [] }
  const lose = (id: number): void => {
    forget.run(id)
    if (mark.run(id).changes === 0) return
    noteLost(lost, () => (urlOf.get(id) as { url: string } | undefined)?.url)
  }
  for (const id of versionIds) {
    const others = sharing.all(id) as { id: number }[]
    lose(id)
    for (const other of others) lose(other.id)
  }
  return lost
}
