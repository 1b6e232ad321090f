/** What is asked and told when garbage is collected: seldom and much at once, so statements may go through many partitions. */

const keptColumns = `v.id, v.document AS "documentId", v.n, d.url, v.at, d.version = v.id AS current, v.body,
  CASE WHEN v.record = 0 THEN 0 ELSE v.length END AS bytes, v.original AS "originalId",
  (SELECT h.owner FROM holds h WHERE h.partition = v.partition AND h.version = v.id LIMIT 1) AS "heldBy", v.wanted
  FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document`

const these = 'partition = ANY($1::smallint[]) AND id = ANY($2::bigint[])'

export const collectionStatements = {
  page: `SELECT ${keptColumns} WHERE (v.partition, v.document, v.n) < ($1::smallint, $2::bigint, $3::int)
    ORDER BY v.partition DESC, v.document DESC, v.n DESC LIMIT $4`,
  find: `SELECT ${keptColumns} WHERE v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])`,
  /** The second condition is that of the index. */
  references: 'SELECT id, original FROM versions WHERE original = ANY($1::bigint[]) AND original <> id',
  places: `SELECT id, text IS NOT NULL AS "hasText", record, length FROM versions WHERE ${these} AND record > 0`,
  leave: `UPDATE versions SET leaving = true WHERE ${these} AND NOT leaving`,
  stay: `UPDATE versions SET leaving = false WHERE ${these} AND leaving`,
  // The newest counts as current whatever the document says: the numbers of versions go on from it.
  orders: `SELECT v.id, v.document, v.digest, v.original, v.links, v.body, v.wanted, v.record, v.length,
    d.version = v.id OR NOT EXISTS (
      SELECT 1 FROM versions x WHERE x.partition = v.partition AND x.document = v.document AND x.n > v.n) AS current
    FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id = ANY($2::bigint[]) ORDER BY v.id FOR UPDATE OF v`,
  held: 'SELECT DISTINCT version FROM holds WHERE partition = ANY($1::smallint[]) AND version = ANY($2::bigint[])',
  forgetBodies: `DELETE FROM bodies b USING unnest($1::smallint[], $2::bytea[], $3::bigint[]) AS r(partition, digest, version)
    WHERE b.partition = r.partition AND b.digest = r.digest AND b.version = r.version`,
  remove: `DELETE FROM versions WHERE ${these}`,
  removeRecords: `DELETE FROM records WHERE ${these}`,
  /** Versions that follow each other may share a list. */
  removeLinks: `DELETE FROM links l USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS r(partition, id, document)
    WHERE l.partition = r.partition AND l.id = r.id AND NOT EXISTS (
      SELECT 1 FROM versions v WHERE v.partition = r.partition AND v.document = r.document AND v.links = r.id)`,
  drop: `UPDATE versions v SET body = 'dropped', header = r.header, text = coalesce(r.text, v.text),
    text_rules = coalesce(r.rules, v.text_rules), original = v.id, record = 0, length = 0, leaving = false
    FROM unnest($1::smallint[], $2::bigint[], $3::text[], $4::bytea[], $5::bigint[]) AS r(partition, id, header, text, rules)
    WHERE v.partition = r.partition AND v.id = r.id`,
  /** A reference that was made in the very moment when its original went, by somebody who did not live to see it. */
  lose: `UPDATE versions SET body = 'lost', original = id, record = 0, length = 0
    WHERE original = ANY($1::bigint[]) AND original <> id`,
  // Locking the version keeps it from being taken until it is known that it is held.
  hold: `WITH there AS (
      SELECT partition, id FROM versions WHERE partition = $1::smallint AND id = ANY($2::bigint[]) ORDER BY id FOR KEY SHARE),
    held AS (INSERT INTO holds (partition, version, owner, since) SELECT partition, id, $3, $4::bigint FROM there
      ON CONFLICT DO NOTHING)
    SELECT id FROM there`,
  release: 'DELETE FROM holds WHERE partition = ANY($1::smallint[]) AND version = ANY($2::bigint[]) AND owner = $3',
  mark: `UPDATE versions SET wanted = $3::boolean WHERE ${these} AND wanted <> $3::boolean`,
}
