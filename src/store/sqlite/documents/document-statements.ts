import { versionSql } from '../../rules/versioning.ts'
import type { Database } from '../folder/database.ts'

/** Maximum size of a page's links to be read with the page: they stay in memory for each page being fetched. */
const MAX_LINK_TEXT = 8_192

/** "Not modified". */
const confirm = `UPDATE documents SET checked_at = ?, run = ?, status = ?, outcome = 'unchanged', reason = '', failures = 0, location = '',
  seen_at = ?, not_modified = not_modified + 1, fresh_until = coalesce(?, fresh_until) WHERE host = ? AND fp = ?`

/** Statements that record captures and look up documents. */
export function prepareStatements(db: Database) {
  const known = db.prepare(
    `SELECT d.url, d.run, d.first_at, coalesce(v.n, 0), d.checked_at, d.status, ${versionSql.knownVersion},
     ${versionSql.validator('etag')}, ${versionSql.validator('last_modified')}, coalesce(v.digest, x''), v.text,
     coalesce(v.text_rules, 0), coalesce(v.truncated, ''), coalesce(v.body, 'none'), d.not_modified, ${versionSql.isCopy},
     coalesce(l.keys, x''), coalesce(l.naming, 0), iif(octet_length(l.list) <= ${MAX_LINK_TEXT}, l.list, NULL)
     FROM documents d LEFT JOIN versions v ON v.id = d.version LEFT JOIN links l ON l.id = v.links
     WHERE d.host = ? AND d.fp = ?`,
  )
  known.setReturnArrays(true)
  const links = db.prepare('SELECT l.list FROM versions v JOIN links l ON l.id = v.links WHERE v.id = ?')
  links.setReturnArrays(true)
  return {
    known,
    links,
    isDocument: db.prepare('SELECT 1 FROM documents WHERE host = ? AND fp = ?'),
    isBody: db.prepare('SELECT 1 FROM bodies WHERE digest = ?'),
    reach: db.prepare(
      `INSERT INTO reached (document, watch, hops) SELECT id, ?, ? FROM documents WHERE host = ? AND fp = ?
       ON CONFLICT DO UPDATE SET hops = excluded.hops WHERE excluded.hops < hops`,
    ),
    current: db.prepare(
      `SELECT d.id AS documentId, d.seen_at AS seenAt, d.not_modified AS notModified, coalesce(v.id, 0) AS id,
       coalesce(v.n, 0) AS n, v.reason, v.digest, v.truncated, v.etag, v.last_modified AS lastModified, v.body, v.original,
       coalesce(v.links, 0) AS links
       FROM documents d LEFT JOIN versions v ON v.id = d.version WHERE d.host = ? AND d.fp = ?`,
    ),
    body: db.prepare(
      `SELECT b.version, d.url, v.at, d.id AS document, d.run FROM bodies b JOIN versions v ON v.id = b.version
       JOIN documents d ON d.id = v.document WHERE b.digest = ?`,
    ),
    documentOf: db.prepare(
      'SELECT d.id AS document, d.run FROM versions v JOIN documents d ON d.id = v.document WHERE v.id = ?',
    ),
    lastVersion: db.prepare(
      `SELECT max(coalesce((SELECT max(id) FROM versions), 0),
       coalesce((SELECT max(last_version) FROM files), 0)) AS id`,
    ),
    insertVersion: db.prepare(
      `INSERT INTO versions (id, document, n, reason, at, seen_at, status, type, size, digest, text, text_rules, etag,
       last_modified, truncated, completed, title, address, location, body, original, file, offset, length, links)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24)`,
    ),
    // The same for the first version of a complete page, the usual case: every bound value costs time.
    insertFirst: db.prepare(
      `INSERT INTO versions (id, document, n, reason, at, seen_at, status, type, size, digest, text, text_rules, etag,
       last_modified, truncated, title, address, original, file, offset, length, links)
       VALUES (?1, ?2, 1, 'new', ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, '', ?12, ?13, ?14, ?15, ?16, ?17, ?18)`,
    ),
    supersede: db.prepare('UPDATE versions SET seen_at = ? WHERE id = ?'),
    renew: db.prepare('UPDATE versions SET etag = ?, last_modified = ? WHERE id = ?'),
    relink: db.prepare('UPDATE versions SET links = ? WHERE id = ?'),
    refill: db.prepare(
      `UPDATE versions SET body = 'kept', wanted = 1, digest = ?, size = ?, text = ?, text_rules = ?, original = ?, file = ?,
       offset = ?, length = ? WHERE id = ?`,
    ),
    insertBody: db.prepare('INSERT INTO bodies (digest, version) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    insertLinks: db.prepare('INSERT OR REPLACE INTO links (id, naming, keys, list) VALUES (?, ?, ?, ?)'),
    linkList: db.prepare('SELECT naming, list FROM links WHERE id = ?'),
    insertPage: db.prepare(
      `INSERT INTO documents (host, fp, url, parent, first_at, checked_at, run, status, outcome, version, seen_at, fresh_until, for_all)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, 'stored', ?8, ?5, ?9, ?10) ON CONFLICT DO NOTHING`,
    ),
    insertNoted: db.prepare(
      `INSERT INTO documents (host, fp, url, parent, first_at, checked_at, run, status, outcome, reason, failures, location, for_all)
       VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING`,
    ),
    note: db.prepare(
      `UPDATE documents SET checked_at = ?1, run = ?2, status = ?3, outcome = ?4, reason = ?5,
       failures = ${versionSql.failuresAfter('?4', '?1')}, location = ?6, version = ?7, seen_at = ?8, not_modified = ?9,
       fresh_until = coalesce(?10, fresh_until) WHERE host = ?11 AND fp = ?12`,
    ),
    confirm: db.prepare(confirm),
    confirmShared: db.prepare(`${confirm} AND for_all = 1`),
    attempt: db.prepare(
      `UPDATE documents SET checked_at = ?1, run = ?2, status = ?3, outcome = ?4, reason = ?5,
       failures = ${versionSql.failuresAfter('?4', '?1')}, location = ?6 WHERE host = ?7 AND fp = ?8`,
    ),
    share: db.prepare('UPDATE documents SET for_all = 1 WHERE host = ? AND fp = ? AND for_all = 0'),
    wantCurrent: db.prepare(
      'UPDATE versions SET wanted = 1 WHERE id = (SELECT version FROM documents WHERE host = ? AND fp = ?) AND wanted = 0',
    ),
    lastChecker: db.prepare('SELECT run FROM documents WHERE host = ? AND fp = ?'),
    insertTask: db.prepare(
      'INSERT INTO tasks (version, watch, hops, round, first, made) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    currentOf: db.prepare(
      `SELECT v.id, v.reason, v.body, v.n, v.document FROM documents d JOIN versions v ON v.id = d.version
       WHERE d.host = ? AND d.fp = ?`,
    ),
    withText: db.prepare(
      `SELECT id, reason, body FROM versions WHERE document = ? AND n < ? AND reason <> 'links' ORDER BY n DESC LIMIT 1`,
    ),
    setOutcome: db.prepare('UPDATE documents SET outcome = ? WHERE id = ?'),
  }
}
