import {
  documentChangeColumns,
  documentColumns,
  refillColumns,
  taskColumns,
  versionChangeColumns,
  versionColumns,
} from './documents-state.ts'
import { unnestOf } from './row-batch.ts'

/** The statements of recording and finding. Each names one partition as its first parameter. */

const toColumn = (name: string): string => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`
const namesOf = (columns: readonly (readonly [string, string])[]): string =>
  columns.map(([name]) => toColumn(name)).join(', ')
const rowOf = (columns: readonly (readonly [string, string])[]): string =>
  columns.map(([name]) => `r."${name}"`).join(', ')
const changesOf = (columns: readonly (readonly [string, string])[]): string =>
  columns
    .filter(([name]) => name !== 'id')
    .map(([name]) => `${toColumn(name)} = r."${name}"`)
    .join(', ')

const keys = 'unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS k(host, fp, place)'

export const documentStatements = {
  /**
   * Makes sure of the lease, which also gives the transaction its number before any id is drawn, and reads what captures are held
   * against. No rows: the lease is lost. Two ids for each capture, for a document and a version.
   */
  open: `SELECT k.place, nextval('ids') * 256 + $1::smallint AS "firstId", nextval('ids') * 256 + $1::smallint AS "secondId",
    d.id, d.url, d.parent, d.first_at AS "firstAt", d.checked_at AS "checkedAt", d.run, d.status, d.outcome, d.location,
    d.version, d.seen_at AS "seenAt", d.fresh_until AS "freshUntil", d.not_modified AS "notModified",
    v.n, v.reason, v.seen_at AS "versionSeenAt", v.digest, v.truncated, v.etag, v.last_modified AS "lastModified", v.body,
    v.original, v.links, l.hash AS "linkHash"
    FROM (SELECT 1 FROM leases WHERE partition = $1::smallint AND epoch = $4::bigint FOR KEY SHARE) fence CROSS JOIN ${keys}
    LEFT JOIN documents d ON d.partition = $1::smallint AND d.host = k.host AND d.fp = k.fp
    LEFT JOIN versions v ON v.partition = $1::smallint AND v.id = d.version
    LEFT JOIN links l ON l.partition = $1::smallint AND l.id = v.links`,
  fence: 'SELECT 1 FROM leases WHERE partition = $1::smallint AND epoch = $2::bigint FOR KEY SHARE',
  insertDocuments: `INSERT INTO documents (partition, ${namesOf(documentColumns)})
    SELECT $1::smallint, ${rowOf(documentColumns)} FROM ${unnestOf(documentColumns, 2)}`,
  changeDocuments: `UPDATE documents d SET ${changesOf(documentChangeColumns)} FROM ${unnestOf(documentChangeColumns, 2)}
    WHERE d.partition = $1::smallint AND d.id = r.id`,
  insertVersions: `INSERT INTO versions (partition, ${namesOf(versionColumns)})
    SELECT $1::smallint, ${rowOf(versionColumns)} FROM ${unnestOf(versionColumns, 2)}`,
  changeVersions: `UPDATE versions v SET ${changesOf(versionChangeColumns)} FROM ${unnestOf(versionChangeColumns, 2)}
    WHERE v.partition = $1::smallint AND v.id = r.id`,
  refillVersions: `UPDATE versions v SET body = 'kept', wanted = true, leaving = false, ${changesOf(refillColumns)}
    FROM ${unnestOf(refillColumns, 2)} WHERE v.partition = $1::smallint AND v.id = r.id`,
  /** The keys of all lists lie behind each other in one parameter: hexadecimal arrays would be twice as long. */
  putLinks: `INSERT INTO links (partition, id, naming, hash, list, keys)
    SELECT $1::smallint, r.id, r.naming, r.hash, r.list, substring($2::bytea FROM r.place FOR r.length)
    FROM unnest($3::bigint[], $4::bigint[], $5::bytea[], $6::text[], $7::int[], $8::int[])
      AS r(id, naming, hash, list, place, length)
    ON CONFLICT (partition, id) DO UPDATE SET naming = excluded.naming, hash = excluded.hash, list = excluded.list,
      keys = excluded.keys`,
  insertRecords: `INSERT INTO records (partition, id, part, coding, bytes)
    SELECT $1::smallint, r.id, r.part, r.coding, substring($2::bytea FROM r.place FOR r.length)
    FROM unnest($3::bigint[], $4::int[], $5::smallint[], $6::int[], $7::int[]) AS r(id, part, coding, place, length)`,
  insertTasks: `INSERT INTO tasks (partition, id, ${namesOf(taskColumns)})
    SELECT $1::smallint, nextval('ids') * 256 + $1::smallint, ${rowOf(taskColumns)} FROM ${unnestOf(taskColumns, 2)}
    ON CONFLICT DO NOTHING`,
  dropRecords: `DELETE FROM records WHERE partition = $1::smallint AND id = ANY($2::bigint[])`,

  // Of bodies: the partition comes from the digest.
  bodies: 'SELECT digest, version FROM bodies WHERE partition = $1::smallint AND digest = ANY($2::bytea[])',
  /** A row that names a version which is not there is anybody's to take. */
  registerBodies: `INSERT INTO bodies (partition, digest, version)
    SELECT $1::smallint, r.digest, r.version FROM unnest($2::bytea[], $3::bigint[]) AS r(digest, version)
    ON CONFLICT (partition, digest) DO UPDATE SET version = excluded.version WHERE bodies.version = ANY($4::bigint[])`,
  originals: `SELECT v.id AS version, v.at, d.url, d.id AS document, d.run FROM versions v
    JOIN documents d ON d.partition = $1::smallint AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id = ANY($2::bigint[]) AND v.body = 'kept' AND NOT v.leaving`,

  // A lost body is to be fetched whatever the server says, and validators that lied are not believed.
  find: `SELECT k.place, d.url, d.run, d.checked_at AS "checkedAt", d.status,
    CASE WHEN v.reason IS NULL OR v.reason = 'gone' THEN 0 ELSE d.version END AS "versionId",
    CASE WHEN v.body <> 'lost' AND d.not_modified >= 0 THEN v.etag ELSE '' END AS etag,
    CASE WHEN v.body <> 'lost' AND d.not_modified >= 0 THEN v.last_modified ELSE '' END AS "lastModified",
    coalesce(v.digest, '') AS digest, v.text, coalesce(v.text_rules, 0) AS "textRules", coalesce(v.truncated, '') AS truncated,
    coalesce(v.body, 'none') AS body, d.not_modified AS "notModified", coalesce(l.keys, '') AS "linkKeys",
    coalesce(l.naming, 0) AS "linkNaming", coalesce(l.id, 0) AS "linkRow"
    FROM ${keys} JOIN documents d ON d.partition = $1::smallint AND d.host = k.host AND d.fp = k.fp
    LEFT JOIN versions v ON v.partition = $1::smallint AND v.id = d.version
    LEFT JOIN links l ON l.partition = $1::smallint AND l.id = v.links`,
  links: 'SELECT list FROM links WHERE partition = $1::smallint AND id = $2::bigint',
}
