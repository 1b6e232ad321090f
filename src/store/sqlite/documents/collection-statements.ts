import type { Database } from '../folder/database.ts'

// The condition of the partial index, so that it is used.
const shared = 'EXISTS (SELECT 1 FROM versions r WHERE r.original = v.id AND r.original <> r.id)'

const keptColumns = `v.id, v.document AS documentId, v.n, d.url, v.at, d.version = v.id AS current, v.body,
  iif(v.file = 0, 0, v.length) AS bytes, v.original AS originalId,
  iif(d.version <> v.id OR v.wanted = 0, ${shared}, 0) AS shared,
  (SELECT owner FROM holds h WHERE h.version = v.id LIMIT 1) AS heldBy, v.wanted
  FROM versions v CROSS JOIN documents d ON d.id = v.document`

/** What the catalogue is asked and told when garbage is collected. */
export function collectionStatements(db: Database) {
  const sql = {
    page: db.prepare(
      `SELECT ${keptColumns} WHERE (v.document, v.n) < (?, ?) ORDER BY v.document DESC, v.n DESC LIMIT ?`,
    ),
    one: db.prepare(`SELECT ${keptColumns} WHERE v.id = ?`),
    exists: db.prepare('SELECT 1 FROM versions WHERE id = ?'),
    place: db.prepare('SELECT text, file, offset, length FROM versions WHERE id = ?'),
    // The newest counts as current whatever the document says: the numbers of versions go on from it.
    order: db.prepare(
      `SELECT v.id, v.document, v.n, v.digest, v.original, v.links, v.body, v.wanted, v.file, v.offset, v.length,
       d.version = v.id OR NOT EXISTS (SELECT 1 FROM versions x WHERE x.document = v.document AND x.n > v.n) AS current,
       EXISTS (SELECT 1 FROM holds h WHERE h.version = v.id) AS held, ${shared} AS shared
       FROM versions v CROSS JOIN documents d ON d.id = v.document WHERE v.id = ?`,
    ),
    forgetBody: db.prepare('DELETE FROM bodies WHERE digest = ? AND version = ?'),
    remove: db.prepare('DELETE FROM versions WHERE id = ?'),
    linksBefore: db.prepare('SELECT links FROM versions WHERE document = ? AND n < ? ORDER BY n DESC LIMIT 1'),
    linksAfter: db.prepare('SELECT links FROM versions WHERE document = ? AND n > ? ORDER BY n LIMIT 1'),
    removeLinks: db.prepare('DELETE FROM links WHERE id = ?'),
    drop: db.prepare(
      `UPDATE versions SET body = 'dropped', header = ?, text = coalesce(?, text), text_rules = coalesce(?, text_rules),
       original = id, file = 0, offset = 0, length = 0 WHERE id = ?`,
    ),
    hold: db.prepare('INSERT OR IGNORE INTO holds (version, owner, since) VALUES (?, ?, ?)'),
    release: db.prepare('DELETE FROM holds WHERE version = ? AND owner = ?'),
    mark: db.prepare('UPDATE versions SET wanted = ? WHERE id = ? AND wanted <> ?1'),
  }
  sql.page.setReturnArrays(true)
  sql.one.setReturnArrays(true)
  return sql
}
