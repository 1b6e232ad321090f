import { partitionOf } from '../../../core/partition.ts'
import type { CataloguedDocument, Version, VersionStore } from '../../contracts/versions.ts'
import { unpackLinks } from '../../rules/link-text.ts'
import { versionSql } from '../../rules/versioning.ts'
import type { PostgresPool, Sender } from '../connection/pool.ts'
import { partitionOfId } from '../connection/row-batch.ts'
import { storable } from './storable-text.ts'
import { newestVersion } from './version-mark.ts'

const documentColumns = `d.id, d.host, d.fp::text AS fp, d.url, d.parent, d.first_at AS "firstAt", d.checked_at AS "checkedAt",
  d.seen_at AS "seenAt", d.status, d.outcome, d.location, d.version AS "versionId", d.fresh_until AS "freshUntil" FROM documents d`

const versionColumns = `v.id, v.document AS "documentId", v.n, d.url, v.reason, v.at AS "firstSeenAt",
  ${versionSql.lastSeenAt} AS "lastSeenAt", v.status, v.type, v.size, v.digest,
  v.text AS "textDigest", v.etag, v.last_modified AS "lastModified", v.truncated, v.title, v.address, v.location, v.body,
  v.original AS "originalId", v.header, v.record, v.length
  FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document`

const ofDocument = 'WHERE v.partition = $1::smallint AND v.document = $2::bigint'

/** Of many partitions at once: what a search has found. */
const someVersions = `SELECT ${versionColumns} WHERE v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])`

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

type DocumentRow = Omit<CataloguedDocument, 'fp'> & { fp: string }
type VersionRow = Omit<Version, 'record'> & { record: number; length: number }

/** The highest id of a list that goes from the newest down. */
const MAX_ID = Number.MAX_SAFE_INTEGER

const sql = versionStatements

export function createPostgresVersions(pool: PostgresPool): VersionStore {
  /** Below it no version can still appear; it only grows. */
  let settled = 0

  async function oneDocument(text: string, values: readonly unknown[]): Promise<CataloguedDocument | null> {
    const [row] = await pool.query<DocumentRow>(text, values)
    return row === undefined ? null : documentOf(row)
  }

  async function versionsOf(text: string, values: readonly unknown[]): Promise<Version[]> {
    return (await pool.query<VersionRow>(text, values)).map(versionOf)
  }

  return {
    document: ({ host, fp }) => oneDocument(sql.document, [partitionOf(host), storable(host), fp]),
    documentOfUrl: (host, url) => oneDocument(sql.documentOfUrl, [partitionOf(host), storable(host), storable(url)]),
    documentOfId: (id) => oneDocument(sql.documentOfId, [partitionOfId(id), id]),
    async documents({ after, limit }) {
      return (await pool.query<DocumentRow>(sql.documents, [after, limit])).map(documentOf)
    },
    version: async (id) => (await versionsOf(sql.version, [partitionOfId(id), id]))[0] ?? null,
    history: (id, { after, limit }) => versionsOf(sql.history, [partitionOfId(id), id, after, limit]),
    newest: (id, { before, limit }) =>
      versionsOf(sql.newest, [partitionOfId(id), id, Math.min(before, MAX_NUMBER), limit]),
    versionAt: async (id, at) => (await versionsOf(sql.versionAt, [partitionOfId(id), id, at]))[0] ?? null,
    async versions({ after, limit, mayMiss = false }) {
      const rows = await versionsOf(sql.versions, [after, limit])
      if (mayMiss) return rows
      // Whoever goes on behind the last of them must not have passed over one that was not there yet.
      if ((rows.at(-1)?.id ?? 0) <= settled) return rows
      settled = Math.max(settled, await newestVersion(pool))
      return rows.filter(({ id }) => id <= settled)
    },
    current: ({ before, limit }) => versionsOf(sql.current, [Math.min(before, MAX_ID), limit]),
    async links(versionId) {
      const [row] = await pool.query<{ list: string; url: string }>(sql.links, [partitionOfId(versionId), versionId])
      return row === undefined ? [] : unpackLinks(row.list, row.url)
    },
  }
}

/** Those that are there, in any order. */
export async function findVersions(sender: Sender, ids: readonly number[]): Promise<Version[]> {
  if (ids.length === 0) return []
  return (await sender.query<VersionRow>(someVersions, [ids.map(partitionOfId), ids])).map(versionOf)
}

/** Numbers of versions are integers of 32 bits. */
const MAX_NUMBER = 0x7fffffff

function documentOf({ fp, ...row }: DocumentRow): CataloguedDocument {
  return { ...row, fp: BigInt(fp) }
}

function versionOf({ record, length, ...row }: VersionRow): Version {
  const fileId = partitionOfId(row.id) + 1
  return { ...row, record: record === 0 ? null : { fileId, offset: record, length } }
}
