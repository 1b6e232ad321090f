import type { Database } from '../folder/database.ts'

/** What the catalogue is asked and told when captures are recorded. */
export function documentStatements(db: Database) {
  return {
    current: db.prepare(
      `SELECT d.id, d.version, d.seen_at AS seen, d.not_modified AS notModified, v.n, v.reason, v.digest, v.truncated, v.etag, v.last_modified AS lastModified, v.body, v.original, v.links
       FROM documents d LEFT JOIN versions v ON v.id = d.version WHERE d.host = ? AND d.fp = ?`,
    ),
    // A lost body is to be fetched whatever the server says, and validators that lied are not believed.
    known: db.prepare(
      `SELECT d.url, d.run, d.checked_at AS checkedAt, d.status, iif(v.reason IS NULL OR v.reason = 'gone', 0, d.version) AS versionId,
       iif(v.body <> 'lost' AND d.not_modified >= 0, v.etag, '') AS etag,
       iif(v.body <> 'lost' AND d.not_modified >= 0, v.last_modified, '') AS lastModified,
       coalesce(v.digest, x'') AS digest, v.text, coalesce(v.text_rules, 0) AS textRules,
       coalesce(v.truncated, '') AS truncated, coalesce(v.body, 'none') AS body, d.not_modified AS notModified, coalesce(l.keys, x'') AS linkKeys, coalesce(l.naming, 0) AS linkNaming,
       coalesce(l.id, 0) AS linkRow
       FROM documents d LEFT JOIN versions v ON v.id = d.version LEFT JOIN links l ON l.id = v.links
       WHERE d.host = ? AND d.fp = ?`,
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
       last_modified, truncated, title, address, location, body, original, file, offset, length, links)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    insertDocument: db.prepare(
      `INSERT INTO documents (host, fp, url, parent, first_at, checked_at, run, status, outcome, location, version,
       seen_at, fresh_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    note: db.prepare(
      `UPDATE documents SET checked_at = ?, run = ?, status = ?, outcome = ?, location = ?, version = ?, seen_at = ?,
       not_modified = ?, fresh_until = coalesce(?, fresh_until) WHERE host = ? AND fp = ?`,
    ),
    notModified: db.prepare(
      `UPDATE documents SET checked_at = ?, run = ?, status = ?, outcome = 'unchanged', location = '', seen_at = ?,
       not_modified = not_modified + 1, fresh_until = coalesce(?, fresh_until) WHERE host = ? AND fp = ?`,
    ),
    attempt: db.prepare(
      `UPDATE documents SET checked_at = ?, run = ?, status = ?, outcome = ?, location = ? WHERE host = ? AND fp = ?`,
    ),
    lastChecker: db.prepare('SELECT run FROM documents WHERE host = ? AND fp = ?'),
    insertTask: db.prepare(
      'INSERT INTO tasks (version, watch, hops, round, first, made) VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING',
    ),
    // The current version, if all of it is news or if it came since the watch looked last. What was gone by its first look is none.
    insertKnownTask: db.prepare(
      `INSERT INTO tasks (version, watch, hops, round, first, made) SELECT v.id, ?, ?, ?, ?, 0 FROM documents d
       JOIN versions v ON v.id = d.version WHERE d.host = ? AND d.fp = ? AND (v.id > ? OR (? AND v.reason <> 'gone'))
       AND (v.reason <> 'gone' OR ?) ON CONFLICT DO NOTHING`,
    ),
    setOutcome: db.prepare('UPDATE documents SET outcome = ? WHERE id = ?'),
    counts: db.prepare(
      `SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM versions) AS versions,
       (SELECT count(*) FROM bodies) AS bodies`,
    ),
  }
}
