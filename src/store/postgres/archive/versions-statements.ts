const documentColumns = `d.id, d.host, d.fp::text AS fp, d.url, d.parent, d.first_at AS "firstAt", d.checked_at AS "checkedAt",
  d.seen_at AS "seenAt", d.status, d.outcome, d.location, d.version AS "versionId", d.fresh_until AS "freshUntil" FROM documents d`

const versionColumns = `v.id, v.document AS "documentId", v.n, d.url, v.reason, v.at AS "firstSeenAt",
  CASE WHEN d.version = v.id THEN d.seen_at ELSE v.seen_at END AS "lastSeenAt", v.status, v.type, v.size, v.digest,
  v.text AS "textDigest", v.etag, v.last_modified AS "lastModified", v.truncated, v.title, v.address, v.location, v.body,
  v.original AS "originalId", v.header, v.record, v.length
  FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document`

const ofDocument = 'WHERE v.partition = $1::smallint AND v.document = $2::bigint'

/** Of many partitions at once: what a search has found. */
export const someVersions = `SELECT ${versionColumns} WHERE v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])`

/** What is asked by host or id names one partition; lists in the order of ids go through all of them. */
export const versionStatements = {
  document: `SELECT ${documentColumns} WHERE d.partition = $1::smallint AND d.host = $2 AND d.fp = $3::bigint`,
  documentOfUrl: `SELECT ${documentColumns} WHERE d.partition = $1::smallint AND d.host = $2 AND d.url = $3 LIMIT 1`,
  documentOfId: `SELECT ${documentColumns} WHERE d.partition = $1::smallint AND d.id = $2::bigint`,
  documents: `SELECT ${documentColumns} WHERE d.id > $1::bigint ORDER BY d.id LIMIT $2`,
  version: `SELECT ${versionColumns} WHERE v.partition = $1::smallint AND v.id = $2::bigint`,
  history: `SELECT ${versionColumns} ${ofDocument} AND v.n > $3::int ORDER BY v.n LIMIT $4`,
  newest: `SELECT ${versionColumns} ${ofDocument} AND v.n < $3::int ORDER BY v.n DESC LIMIT $4`,
  versionAt: `SELECT ${versionColumns} ${ofDocument} AND v.at <= $3::bigint ORDER BY v.n DESC LIMIT 1`,
  versions: `SELECT ${versionColumns} WHERE v.id > $1::bigint ORDER BY v.id LIMIT $2`,
  current: `SELECT ${versionColumns} WHERE v.id < $1::bigint AND d.version = v.id ORDER BY v.id DESC LIMIT $2`,
  links: `SELECT l.list, d.url FROM versions v JOIN links l ON l.partition = $1::smallint AND l.id = v.links
    JOIN documents d ON d.partition = $1::smallint AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id = $2::bigint`,
}
