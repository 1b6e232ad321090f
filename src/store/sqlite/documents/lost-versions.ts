import type { Database } from '../folder/database.ts'

/** Versions whose body can't be read any more. */
export type LostVersions = {
  count: number
  /** The first of them, for people. */
  urls: string[]
}

const NAMED = 3

/**
 * Notes that the records of these versions are gone, in the transaction of the caller. Versions that refer to their bodies are lost with them. The
 * next crawl asks for each document without conditions and fills the same version in again. Where there never was a
 * body, only the response header is lost.
 */
export function markLost(db: Database, versionIds: Iterable<number>): LostVersions {
  const forget = db.prepare(
    'DELETE FROM bodies WHERE version = ?1 AND digest = (SELECT digest FROM versions WHERE id = ?1)',
  )
  const mark = db.prepare(
    `UPDATE versions SET body = iif(body = 'none', body, 'lost'), original = id, file = 0, offset = 0, length = 0 WHERE id = ?`,
  )
  // The second condition is that of the index.
  const sharing = db.prepare('SELECT id FROM versions WHERE original = ? AND original <> id')
  const urlOf = db.prepare('SELECT d.url FROM versions v JOIN documents d ON d.id = v.document WHERE v.id = ?')
  const lost: LostVersions = { count: 0, urls: [] }
  const lose = (id: number): void => {
    forget.run(id)
    if (mark.run(id).changes === 0) return
    lost.count++
    const row = lost.urls.length < NAMED ? (urlOf.get(id) as { url: string } | undefined) : undefined
    if (row !== undefined) lost.urls.push(row.url)
  }
  for (const id of versionIds) {
    const others = sharing.all(id) as { id: number }[]
    lose(id)
    for (const other of others) lose(other.id)
  }
  return lost
}
