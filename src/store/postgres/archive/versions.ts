import { readNoise } from '../../../core/change/noise/learning.ts'
import type {
  CataloguedDocument,
  KeptNoise,
  PriceRow,
  Reached,
  Version,
  VersionStore,
} from '../../contracts/versions.ts'
import { unpackLinks } from '../../rules/link-text.ts'
import { versionSql } from '../../rules/versioning.ts'
import type { PostgresPool, Sender } from '../connection/pool.ts'
import { partitionOfId, storable } from '../connection/row-batch.ts'
import { createHostPlaces } from '../documents/host-places.ts'

const documentColumns = `d.id, d.host, d.fp::text AS fp, d.url, d.parent, d.first_at AS "firstAt", d.checked_at AS "checkedAt",
  d.seen_at AS "seenAt", d.status, d.outcome, d.reason, d.failures, d.location, d.version AS "versionId", d.fresh_until AS "freshUntil" FROM documents d`

const versionColumns = `v.id, v.document AS "documentId", v.n, d.url, v.reason, v.at AS "firstSeenAt",
  ${versionSql.lastSeenAt} AS "lastSeenAt", v.status, v.type, v.size, v.digest,
  v.text AS "textDigest", v.etag, v.last_modified AS "lastModified", v.truncated, v.completed, v.title, v.address, v.location, v.body,
  v.original AS "originalId", v.header, v.notice, v.record, v.length
  FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document`

const ofDocument = 'WHERE v.partition = $1::smallint AND v.document = $2::bigint'

/** Over many partitions at once, for search results. */
const someVersions = `SELECT ${versionColumns} WHERE v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])`

/** Look-ups by host or id name one partition; lists ordered by id go through all of them. */
export const versionStatements = {
  document: `SELECT ${documentColumns} WHERE d.partition = $1::smallint AND d.host = $2 AND d.fp = $3::bigint`,
  documentOfUrl: `SELECT ${documentColumns} WHERE d.partition = $1::smallint AND d.host = $2 AND d.url = $3 LIMIT 1`,
  documentOfId: `SELECT ${documentColumns} WHERE d.partition = $1::smallint AND d.id = $2::bigint`,
  documents: `SELECT ${documentColumns} WHERE d.id > $1::bigint ORDER BY d.id LIMIT $2`,
  badDocuments: `SELECT ${documentColumns} WHERE d.id > $1::bigint AND ${versionSql.isBad} ORDER BY d.id LIMIT $2`,
  version: `SELECT ${versionColumns} WHERE v.partition = $1::smallint AND v.id = $2::bigint`,
  history: `SELECT ${versionColumns} ${ofDocument} AND v.n > $3::int ORDER BY v.n LIMIT $4`,
  newest: `SELECT ${versionColumns} ${ofDocument} AND v.n < $3::int ORDER BY v.n DESC LIMIT $4`,
  versionAt: `SELECT ${versionColumns} ${ofDocument} AND v.at <= $3::bigint ORDER BY v.n DESC LIMIT 1`,
  versions: `SELECT ${versionColumns} WHERE v.id > $1::bigint ORDER BY v.id LIMIT $2`,
  current: `SELECT ${versionColumns} WHERE v.id < $1::bigint AND d.version = v.id ORDER BY v.id DESC LIMIT $2`,
  reached: `SELECT document, watch, hops, known FROM reached
    WHERE partition = ANY($1::smallint[]) AND document = ANY($2::bigint[]) AND watch = ANY($3::bigint[])`,
  prices: `SELECT document AS "documentId", version AS "versionId", part, at, amount, currency, availability FROM prices
    WHERE partition = $1::smallint AND document = $2::bigint AND ($3::text IS NULL OR part = $3) ORDER BY version DESC LIMIT $4`,
  noise: 'SELECT state FROM noise WHERE partition = $1::smallint AND document = $2::bigint',
  undone: `SELECT block, owner, at FROM unmuted WHERE partition = $1::smallint AND document = $2::bigint
    ORDER BY at, block, owner`,
  crawledForAll: `SELECT id FROM documents
    WHERE partition = ANY($1::smallint[]) AND id = ANY($2::bigint[]) AND for_all`,
  links: `SELECT l.list, d.url FROM versions v JOIN links l ON l.partition = $1::smallint AND l.id = v.links
    JOIN documents d ON d.partition = $1::smallint AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id = $2::bigint`,
}

type DocumentRow = Omit<CataloguedDocument, 'fp'> & { fp: string }
type VersionRow = Omit<Version, 'record'> & { record: number; length: number }

/** Highest possible id, where a list from newest to oldest begins. */
const MAX_ID = Number.MAX_SAFE_INTEGER

const sql = versionStatements

export function createPostgresVersions(pool: PostgresPool): VersionStore {
  const places = createHostPlaces(pool)
  /** No version up to this id can still appear; it only grows. */
  let settled = 0

  async function oneDocument(text: string, values: readonly unknown[]): Promise<CataloguedDocument | null> {
    const [row] = await pool.query<DocumentRow>(text, values)
    return row === undefined ? null : documentOf(row)
  }

  async function versionsOf(text: string, values: readonly unknown[]): Promise<Version[]> {
    return (await pool.query<VersionRow>(text, values)).map(versionOf)
  }

  return {
    document: async ({ host, fp }) => oneDocument(sql.document, [await places.one(host), storable(host), fp]),
    documentOfUrl: async (host, url) =>
      oneDocument(sql.documentOfUrl, [await places.one(host), storable(host), storable(url)]),
    documentOfId: (id) => oneDocument(sql.documentOfId, [partitionOfId(id), id]),
    async documents({ after, limit }) {
      return (await pool.query<DocumentRow>(sql.documents, [after, limit])).map(documentOf)
    },
    async badDocuments({ after, limit }) {
      return (await pool.query<DocumentRow>(sql.badDocuments, [after, limit])).map(documentOf)
    },
    version: async (id) => (await versionsOf(sql.version, [partitionOfId(id), id]))[0] ?? null,
    history: (id, { after, limit }) => versionsOf(sql.history, [partitionOfId(id), id, after, limit]),
    newest: (id, { before, limit }) =>
      versionsOf(sql.newest, [partitionOfId(id), id, Math.min(before, MAX_NUMBER), limit]),
    versionAt: async (id, at) => (await versionsOf(sql.versionAt, [partitionOfId(id), id, at]))[0] ?? null,
    async versions({ after, limit, mayMiss = false }) {
      const rows = await versionsOf(sql.versions, [after, limit])
      if (mayMiss) return rows
      // A reader that continues after the last one must not have skipped one that wasn't visible yet.
      if ((rows.at(-1)?.id ?? 0) <= settled) return rows
      settled = Math.max(settled, await newestVersion(pool))
      return rows.filter(({ id }) => id <= settled)
    },
    async crawledForAll(ids) {
      if (ids.length === 0) return new Set()
      const rows = await pool.query<{ id: number }>(sql.crawledForAll, [[...new Set(ids.map(partitionOfId))], ids])
      return new Set(rows.map(({ id }) => id))
    },
    async reached({ documents, watches }) {
      if (documents.length === 0 || watches.length === 0) return []
      const partitions = [...new Set(documents.map(partitionOfId))]
      return pool.query<Reached>(sql.reached, [partitions, documents, watches])
    },
    async prices(documentId, { part, limit }) {
      const rows = await pool.query<PriceRow>(sql.prices, [
        partitionOfId(documentId),
        documentId,
        part === undefined ? null : storable(part),
        limit,
      ])
      return rows.reverse()
    },
    async noise(documentId) {
      const place = [partitionOfId(documentId), documentId]
      const [row] = await pool.query<{ state: string }>(sql.noise, place)
      return { state: readNoise(row?.state), undone: await pool.query<KeptNoise['undone'][number]>(sql.undone, place) }
    },
    current: ({ before, limit }) => versionsOf(sql.current, [Math.min(before, MAX_ID), limit]),
    async links(versionId) {
      const [row] = await pool.query<{ list: string; url: string }>(sql.links, [partitionOfId(versionId), versionId])
      return row === undefined ? [] : unpackLinks(row.list, row.url)
    },
  }
}

/** The existing ones of these versions, in any order. */
export async function findVersions(sender: Sender, ids: readonly number[]): Promise<Version[]> {
  if (ids.length === 0) return []
  return (await sender.query<VersionRow>(someVersions, [ids.map(partitionOfId), ids])).map(versionOf)
}

/** Version numbers are 32-bit integers. */
const MAX_NUMBER = 0x7fffffff

function documentOf({ fp, ...row }: DocumentRow): CataloguedDocument {
  return { ...row, fp: BigInt(fp) }
}

function versionOf({ record, length, ...row }: VersionRow): Version {
  const fileId = partitionOfId(row.id) + 1
  return { ...row, record: record === 0 ? null : { fileId, offset: record, length } }
}

/**
 * Returns an id such that no version with this or a lower id can still appear. Ids are drawn before their transactions end, so a version
 * may be visible while one with a lower id isn't yet: a reader that remembers "seen up to here" by what is visible would miss the late
 * one for ever.
 *
 * Version ids are drawn in transactions that already have a transaction id: `record` locks its lease first. So once all transactions have
 * ended that had one when the sequence was at a given value, everything up to that value is visible or never will be. The rows' own
 * transaction ids wouldn't do: the transaction with the higher one may have drawn the lower version id. While others are always in
 * progress, the sequence value of an earlier call is used: the transactions of that time have ended by now. So the mark may lag while
 * much is written, and is exact when nothing is. A lag does no harm: versions after the mark are looked at once more.
 *
 * Transaction ids are shared with the server's other databases, whose transactions may take hours. If some don't end, `pg_locks` tells
 * whether one of them is ours, which is a slower query.
 *
 * Pass the pool, or a transaction that hasn't written anything yet; in one that has, the mark lags.
 */
export async function newestVersion(sender: Sender): Promise<number> {
  const [drawn] = await sender.query<{ id: number; hasWritten: boolean }>(markStatements.drawn)
  const { id, hasWritten } = drawn!
  if (hasWritten) return (await sender.query<{ settled: number }>(markStatements.settled))[0]?.settled ?? 0
  const [mark] = await sender.query<MarkRow>(markStatements.advance, [id])
  const { settled, horizon, isExact } = mark!
  if (isExact) return Math.max(id, settled)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Most transactions are over within milliseconds.
    const [now] = await sender.query<{ isOver: boolean }>(markStatements.wait, [horizon])
    if (now!.isOver) return Math.max(id, settled)
  }
  const [others] = await sender.query<{ isOver: boolean }>(markStatements.locks, [horizon])
  return others!.isOver ? Math.max(id, settled) : settled
}

type MarkRow = { settled: number; horizon: string; isExact: boolean }

const MAX_ATTEMPTS = 20

const oldest = 'pg_snapshot_xmin(pg_current_snapshot())'

const markStatements = {
  drawn: `SELECT CASE WHEN is_called THEN last_value * 256 + 255 ELSE 0 END AS id,
    pg_current_xact_id_if_assigned() IS NOT NULL AS "hasWritten" FROM ids`,
  settled: `SELECT CASE WHEN horizon <= ${oldest} THEN greatest(settled, candidate) ELSE settled END AS settled
    FROM version_marks WHERE name = 'versions'`,
  // A horizon in the future comes from another server, whose backup this database was restored from.
  advance: `UPDATE version_marks SET
      settled = CASE WHEN horizon <= ${oldest} THEN greatest(settled, candidate) ELSE settled END,
      candidate = CASE WHEN horizon <= ${oldest} OR horizon > pg_current_xact_id() THEN $1::bigint ELSE candidate END,
      horizon = CASE WHEN horizon <= ${oldest} OR horizon > pg_current_xact_id() THEN pg_current_xact_id() ELSE horizon END
    WHERE name = 'versions'
    RETURNING settled, pg_current_xact_id()::text AS horizon, pg_current_xact_id() <= ${oldest} AS "isExact"`,
  wait: `SELECT $1::xid8 <= ${oldest} AS "isOver", pg_sleep(0.003)::text`,
  // Locks are released after a transaction's rows become visible.
  locks: `SELECT NOT EXISTS (SELECT 1 FROM pg_locks lease JOIN pg_locks number USING (virtualtransaction)
      WHERE lease.relation = 'leases'::regclass
      AND lease.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND number.locktype = 'transactionid' AND number.mode = 'ExclusiveLock' AND number.granted
      AND age(number.transactionid) >= age($1::xid8::xid)) AS "isOver"`,
}
