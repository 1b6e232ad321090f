import { versionSql } from '../../rules/versioning.ts'
import { type Columns, unnestOf } from '../connection/row-batch.ts'
import {
  documentChangeColumns,
  documentColumns,
  reachedColumns,
  refillColumns,
  taskColumns,
  versionChangeColumns,
  versionColumns,
} from './documents-state.ts'

/** The statements of recording and finding. Each names one partition as its first parameter. */

/**
 * Each key is looked up by all columns of an index (LATERAL … OFFSET 0 is planned separately). As joins, these statements would depend on
 * the planner's estimates: it assumes few rows per partition in a new table, and reads a whole partition to find fifty.
 */
const toColumn = (name: string): string => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`

type Named = readonly (readonly [name: string, type: string])[]

const namesOf = (columns: Named): string => columns.map(([name]) => toColumn(name)).join(', ')
const rowOf = (columns: Named): string => columns.map(([name]) => `r."${name}"`).join(', ')
const changesOf = (columns: Named): string =>
  columns
    .filter(([name]) => name !== 'id')
    .map(([name]) => `${toColumn(name)} = excluded.${toColumn(name)}`)
    .join(', ')

/** Changes columns of existing versions, as an upsert of the rows themselves. */
function changeVersions(columns: Named, further = ''): string {
  const isChanged = (name: string): boolean => columns.some(([each]) => each === name)
  const values = versionColumns.map(([name]) => (isChanged(name) ? `r."${name}"` : `v.${toColumn(name)}`))
  return `INSERT INTO versions (partition, ${namesOf(versionColumns)})
    SELECT v.partition, ${values.join(', ')} FROM ${unnestOf(columns as Columns<Record<string, unknown>>, 2)}
    CROSS JOIN LATERAL (SELECT * FROM versions x WHERE x.partition = $1::smallint AND x.id = r.id OFFSET 0) v
    ON CONFLICT (partition, id) DO UPDATE SET ${changesOf(columns)}${further}`
}

const keys = 'unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS k(host, fp, place)'
const known = `(SELECT * FROM documents x WHERE x.partition = $1::smallint AND x.host = k.host AND x.fp = k.fp OFFSET 0) d`
const current = `LEFT JOIN LATERAL
      (SELECT * FROM versions x WHERE x.partition = $1::smallint AND x.id = d.version OFFSET 0) v ON true
    LEFT JOIN LATERAL (SELECT * FROM links x WHERE x.partition = $1::smallint AND x.id = v.links OFFSET 0) l ON true`

/** The version that brought the text, if the current one differs only in links. */
const withText = `LEFT JOIN LATERAL
      (SELECT id, reason, body FROM versions x WHERE v.reason = 'links' AND x.partition = $1::smallint AND x.document = v.document
        AND x.n < v.n AND x.reason <> 'links' ORDER BY x.n DESC LIMIT 1) w ON true`

/**
 * The partition, read from a table with a row for each. Citus sends an INSERT … SELECT whole to the server of its partition if the
 * partition comes from a table there. Otherwise rows pass through COPY, which requires a two-phase commit, or through a temporary
 * result if they may conflict.
 */
const own = '(SELECT partition FROM frontiers WHERE partition = $1::smallint) own'

/** Upserts new and changed documents. */
const putDocuments = `INSERT INTO documents (partition, ${namesOf(documentColumns)})
    SELECT own.partition, ${rowOf(documentColumns)} FROM ${own} CROSS JOIN ${unnestOf(documentColumns, 2)}
    ON CONFLICT (partition, id) DO UPDATE SET ${changesOf(documentChangeColumns)}`

const insertVersions = `INSERT INTO versions (partition, ${namesOf(versionColumns)})
    SELECT own.partition, ${rowOf(versionColumns)} FROM ${own} CROSS JOIN ${unnestOf(versionColumns, 2)}`

/** The keys of all lists are concatenated in one parameter: hexadecimal arrays would be twice as long. */
const putLinks = `INSERT INTO links (partition, id, naming, hash, list, keys)
    SELECT own.partition, r.id, r.naming, r.hash, r.list, substring($2::bytea FROM r.place FOR r.length)
    FROM ${own} CROSS JOIN unnest($3::bigint[], $4::bigint[], $5::bytea[], $6::text[], $7::int[], $8::int[])
      AS r(id, naming, hash, list, place, length)
    ON CONFLICT (partition, id) DO UPDATE SET naming = excluded.naming, hash = excluded.hash, list = excluded.list,
      keys = excluded.keys`

const insertRecords = `INSERT INTO records (partition, id, part, coding, bytes)
    SELECT own.partition, r.id, r.part, r.coding, substring($2::bytea FROM r.place FOR r.length)
    FROM ${own} CROSS JOIN unnest($3::bigint[], $4::int[], $5::smallint[], $6::int[], $7::int[])
      AS r(id, part, coding, place, length)`

const insertTasks = `INSERT INTO tasks (partition, id, ${namesOf(taskColumns)})
    SELECT $1::smallint, nextval('ids') * 256 + $1::smallint, ${rowOf(taskColumns)} FROM ${unnestOf(taskColumns, 2)}
    ON CONFLICT DO NOTHING`

/** Most pages were reached before; nothing is written for them. */
const insertReached = `INSERT INTO reached (partition, ${namesOf(reachedColumns)})
    SELECT $1::smallint, ${rowOf(reachedColumns)} FROM ${unnestOf(reachedColumns, 2)}
    LEFT JOIN LATERAL (SELECT o.hops FROM reached o WHERE o.partition = $1::smallint AND o.document = r.document
      AND o.watch = r.watch OFFSET 0) known ON true
    WHERE known.hops IS NULL OR known.hops > r.hops
    ON CONFLICT (partition, document, watch) DO UPDATE SET hops = least(reached.hops, excluded.hops)`

/** Combines statements whose first parameter is the partition into one; their other values are concatenated in the same order. */
function together(...statements: readonly string[]): string {
  let before = 0
  const parts = statements.map((text) => {
    const shift = before
    const shifted = text.replace(/\$(\d+)/g, (_, n: string) => `$${n === '1' ? 1 : Number(n) + shift}`)
    before += Math.max(...Array.from(text.matchAll(/\$(\d+)/g), ([, n]) => Number(n))) - 1
    return shifted
  })
  const last = parts.pop()
  return `WITH ${parts.map((text, at) => `part${at} AS (${text})`).join(', ')} ${last}`
}

export const documentStatements = {
  /**
   * Locks the lease, which also assigns the transaction id before any id is drawn. Then draws two ids per capture, for a document and a
   * version, in the partition $4 where they are kept. Null if the lease is lost.
   */
  fenceAndDraw: `SELECT string_agg((nextval('ids') * 256 + $4::smallint)::text, ',') AS ids
    FROM (SELECT 1 FROM leases WHERE partition = $1::smallint AND epoch = $2::bigint FOR KEY SHARE) fence
    CROSS JOIN generate_series(1, $3::int)`,
  /** The existing documents with their current versions, to compare captures with. */
  open: `SELECT k.place, d.id, d.url, d.parent, d.first_at AS "firstAt", d.checked_at AS "checkedAt", d.run, d.status, d.outcome, d.reason AS "failureReason", d.failures,
    d.location,
    d.version, d.seen_at AS "seenAt", d.fresh_until AS "freshUntil", d.not_modified AS "notModified", d.for_all AS "forAll",
    v.n, v.reason, v.at AS "versionAt", v.seen_at AS "versionSeenAt", v.digest, v.truncated, v.etag, v.last_modified AS "lastModified", v.body,
    v.original, v.links, l.hash AS "linkHash", l.naming AS "linkNaming",
    w.id AS "textVersion", w.reason AS "textReason", w.body AS "textBody"
    FROM ${keys} CROSS JOIN LATERAL ${known} ${current} ${withText}`,
  anyOf: 'SELECT 1 FROM documents WHERE partition = $1::smallint AND host = $2 AND fp = ANY($3::bigint[]) LIMIT 1',
  fence: 'SELECT 1 FROM leases WHERE partition = $1::smallint AND epoch = $2::bigint FOR KEY SHARE',
  putDocuments,
  insertVersions,
  /**
   * The rows of every new version: one statement costs hardly more than each of its parts. For distributed tables it is the other way
   * round, and Citus 13.0 deparses the inner statements wrongly.
   */
  putPages: together(insertRecords, putLinks, insertVersions, putDocuments),
  changeVersions: changeVersions(versionChangeColumns),
  refillVersions: changeVersions(refillColumns, `, body = 'kept', wanted = true, leaving = false`),
  wantVersions:
    'UPDATE versions SET wanted = true WHERE partition = $1::smallint AND id = ANY($2::bigint[]) AND NOT wanted',
  putLinks,
  insertRecords,
  insertTasks,
  insertReached,
  dropRecords: `DELETE FROM records WHERE partition = $1::smallint AND id = ANY($2::bigint[])`,

  // Statements on bodies: the partition is derived from the digest.
  /** For distributed tables. Names one table and one partition: Citus caches the plan only of such statements. */
  bodies: `SELECT digest, version FROM bodies WHERE partition = $1::smallint AND digest = ANY($2::bytea[])`,
  registerBodies: 'SELECT register_bodies($1::smallint, $2::bytea[], $3::bigint[])',
  /** Any writer may take over a row that names a stale version. */
  takeBodies: `UPDATE bodies b SET version = r.version FROM unnest($2::bytea[], $3::bigint[]) AS r(digest, version)
    WHERE b.partition = $1::smallint AND b.digest = r.digest AND b.version = ANY($4::bigint[])`,
  /** The newest versions that hold a body themselves. */
  newestBodies: `SELECT digest, id AS version FROM versions WHERE partition = $1::smallint AND id > 0
    AND original = id AND body = 'kept' AND NOT leaving ORDER BY id DESC LIMIT $2::int`,
  originals: `SELECT v.id AS version, v.at, d.url, d.id AS document, d.run FROM unnest($2::bigint[]) AS k(id)
    CROSS JOIN LATERAL (SELECT * FROM versions x WHERE x.partition = $1::smallint AND x.id = k.id OFFSET 0) v
    CROSS JOIN LATERAL (SELECT * FROM documents x WHERE x.partition = $1::smallint AND x.id = v.document OFFSET 0) d
    WHERE v.body = 'kept' AND NOT v.leaving`,

  find: `SELECT k.place, d.url, d.run, d.first_at AS "firstAt", coalesce(v.n, 0) AS versions, d.checked_at AS "checkedAt", d.status,
    ${versionSql.knownVersion} AS "versionId",
    ${versionSql.validator('etag')} AS etag, ${versionSql.validator('last_modified')} AS "lastModified",
    coalesce(v.digest, '') AS digest, v.text, coalesce(v.text_rules, 0) AS "textRules", coalesce(v.truncated, '') AS truncated,
    coalesce(v.body, 'none') AS body, d.not_modified AS "notModified", ${versionSql.isCopy} AS "isCopy", coalesce(l.keys, '') AS "linkKeys",
    coalesce(l.naming, 0) AS "linkNaming"
    FROM ${keys} CROSS JOIN LATERAL ${known} ${current}`,
  links: `SELECT k.place::int, l.list FROM unnest($2::bigint[]) WITH ORDINALITY AS k (id, place)
    CROSS JOIN LATERAL (SELECT * FROM versions x WHERE x.partition = $1::smallint AND x.id = k.id OFFSET 0) v
    CROSS JOIN LATERAL (SELECT * FROM links x WHERE x.partition = $1::smallint AND x.id = v.links OFFSET 0) l`,
}

/** Statements over several partitions at once, if all tables are on one server (documents-bodies.ts). */
export const togetherStatements = {
  bodies: `SELECT b.digest, b.version FROM unnest($1::smallint[], $2::bytea[]) AS k(partition, digest) CROSS JOIN LATERAL
      (SELECT * FROM bodies x WHERE x.partition = k.partition AND x.digest = k.digest OFFSET 0) b`,
  registerBodies: `INSERT INTO bodies (partition, digest, version)
    SELECT r.partition, r.digest, r.version FROM unnest($1::smallint[], $2::bytea[], $3::bigint[]) AS r(partition, digest, version)
    ON CONFLICT (partition, digest) DO NOTHING`,
}
