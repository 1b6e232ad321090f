import { AppError, isAppError } from '../../../core/errors.ts'
import { partitionCount } from '../../../core/url/partition.ts'
import type {
  CollectionOrder,
  CollectionOutcome,
  CollectionStore,
  KeptVersion,
  TextMark,
} from '../../contracts/collection.ts'
import type { BodyState } from '../../contracts/documents.ts'
import type { ObjectStore } from '../../contracts/objects.ts'
import { collectableSql, firstCursor, type PartitionJoin, rankVersion, refusalOf } from '../../rules/collectable.ts'
import type { PostgresPool, Sender, Tx } from '../connection/pool.ts'
import { lockInPartitions, partitionOfId, storable } from '../connection/row-batch.ts'
import { type SessionLock, trySessionLock } from '../connection/session-lock.ts'
import { partitionOfDigest } from '../documents/documents-bodies.ts'

export type PostgresCollectionDeps = {
  pool: PostgresPool
  objects: Pick<ObjectStore, 'read'>
  /** The response header of a record, as kept in the catalogue; throws `record-damaged` if it can't be read. */
  headerOf(record: Buffer): string
  /** The fingerprint of a version's visible text, and the rules that produced it; null if there is none. */
  textOf(versionId: number): Promise<TextMark | null>
}

type KeptRow = Omit<KeptVersion, 'shared'>
type Position = { id: number; hasText: boolean; record: number; length: number }
/** Data needed to drop a body, read before rows are locked. */
type Read = { record: number; header: string; mark: TextMark | null } | 'damaged' | null
type OrderRow = {
  id: number
  document: number
  digest: Buffer
  original: number
  links: number
  body: BodyState
  wanted: boolean
  record: number
  length: number
  current: boolean
  awaited: boolean
}
type Decision = { row: OrderRow; action: CollectionOrder['action']; read: Read }

const keptColumns = `v.id, v.document AS "documentId", v.n, d.url, v.at, d.version = v.id AS current, v.body,
  CASE WHEN v.record = 0 THEN 0 ELSE v.length END AS bytes, v.original AS "originalId",
  (SELECT h.owner FROM holds h WHERE h.partition = v.partition AND h.version = v.id LIMIT 1) AS "pinnedBy", v.wanted
  FROM versions v JOIN documents d ON d.partition = v.partition AND d.id = v.document`

const these = 'partition = ANY($1::smallint[]) AND id = ANY($2::bigint[])'

/** Rows are locked in one partition; Citus requires it to be named for every table. */
const inPartition: PartitionJoin = (a) => `${a}.partition = $1::smallint AND `

/** Collecting is rare and goes through many rows at once, so statements may span many partitions. */
const sql = {
  page: `SELECT ${keptColumns} WHERE (v.partition, v.document, v.n) < ($1::smallint, $2::bigint, $3::int)
    ORDER BY v.partition DESC, v.document DESC, v.n DESC LIMIT $4`,
  find: `SELECT ${keptColumns} WHERE v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])`,
  references: `SELECT v.id, v.original FROM versions v WHERE v.original = ANY($1::bigint[]) AND ${collectableSql.isReference('v')}`,
  positions: `SELECT id, text IS NOT NULL AS "hasText", record, length FROM versions WHERE ${these} AND record > 0`,
  leave: `UPDATE versions SET leaving = true WHERE ${these} AND NOT leaving`,
  stay: `UPDATE versions SET leaving = false WHERE ${these} AND leaving`,
  orders: `SELECT v.id, v.document, v.digest, v.original, v.links, v.body, v.wanted, v.record, v.length,
    ${collectableSql.isCurrent(inPartition)} AS current, ${collectableSql.isAwaited(inPartition)} AS awaited
    FROM versions v JOIN documents d ON d.partition = $1::smallint AND d.id = v.document
    WHERE v.partition = $1::smallint AND v.id = ANY($2::bigint[]) ORDER BY v.id FOR UPDATE OF v`,
  pinned: 'SELECT DISTINCT version FROM holds WHERE partition = ANY($1::smallint[]) AND version = ANY($2::bigint[])',
  known: `SELECT r.known AS version, r.watch FROM reached r JOIN versions v
    ON v.partition = r.partition AND v.document = r.document AND v.id = r.known
    WHERE v.partition = ANY($1::smallint[]) AND v.id = ANY($2::bigint[])`,
  watched: 'SELECT DISTINCT watch FROM urds WHERE watch = ANY($1::bigint[])',
  undelivered: `SELECT DISTINCT a.version FROM ${collectableSql.undelivered} WHERE a.version = ANY($1::bigint[])`,
  forgetBodies: `DELETE FROM bodies b USING unnest($1::smallint[], $2::bytea[], $3::bigint[]) AS r(partition, digest, version)
    WHERE b.partition = r.partition AND b.digest = r.digest AND b.version = r.version`,
  remove: `DELETE FROM versions WHERE ${these}`,
  removeRecords: `DELETE FROM records WHERE ${these}`,
  /** Consecutive versions may share a list. */
  removeLinks: `DELETE FROM links l USING unnest($1::smallint[], $2::bigint[], $3::bigint[]) AS r(partition, id, document)
    WHERE l.partition = r.partition AND l.id = r.id AND NOT EXISTS (
      SELECT 1 FROM versions v WHERE v.partition = l.partition AND v.document = r.document AND v.links = l.id)`,
  drop: `UPDATE versions v SET body = 'dropped', header = r.header, text = coalesce(r.text, v.text),
    text_rules = coalesce(r.rules, v.text_rules), original = v.id, record = 0, length = 0, leaving = false
    FROM unnest($1::smallint[], $2::bigint[], $3::text[], $4::bytea[], $5::bigint[]) AS r(partition, id, header, text, rules)
    WHERE v.partition = r.partition AND v.id = r.id`,
  /** References added just as their originals were removed, by a worker that died before its second check. */
  lose: `UPDATE versions v SET body = 'lost', original = v.id, record = 0, length = 0
    WHERE v.original = ANY($1::bigint[]) AND ${collectableSql.isReference('v')}`,
  // Locking the version keeps the collector from removing it until the pin is inserted.
  pin: `WITH there AS (
      SELECT partition, id FROM versions WHERE partition = $1::smallint AND id = ANY($2::bigint[]) ORDER BY id FOR KEY SHARE),
    pinned AS (INSERT INTO holds (partition, version, owner, since) SELECT partition, id, $3, $4::bigint FROM there
      ON CONFLICT DO NOTHING)
    SELECT id FROM there`,
  unpin: 'DELETE FROM holds WHERE partition = ANY($1::smallint[]) AND version = ANY($2::bigint[]) AND owner = $3',
  mark: `UPDATE versions SET wanted = $3::boolean WHERE ${these} AND wanted <> $3::boolean`,
}

/**
 * Removes versions while writers of other partitions may be about to refer to their bodies:
 *
 * 1. The versions are marked as leaving, and the mark is committed: from now on they aren't found as originals.
 * 2. References are looked up. A writer adds its reference before it checks the mark once more; so either the collector sees the
 *    reference, or the writer sees the mark.
 * 3. Versions without references are removed; the others stay.
 * 4. A writer that died between its reference and its second check leaves a dangling reference: that version is lost, and refetched.
 */
export function createPostgresCollection({ pool, objects, headerOf, textOf }: PostgresCollectionDeps): CollectionStore {
  async function readHeaders(orders: readonly CollectionOrder[]): Promise<Map<number, Read>> {
    const ids = orders.filter(({ action }) => action === 'drop').map(({ versionId }) => versionId)
    const reads = new Map<number, Read>()
    if (ids.length === 0) return reads
    for (const position of await pool.query<Position>(sql.positions, those(ids)))
      reads.set(position.id, await readHeader(position))
    return reads
  }

  async function readHeader({ id, hasText, record, length }: Position): Promise<Read> {
    try {
      const header = headerOf(await objects.read({ fileId: partitionOfId(id) + 1, offset: record, length }))
      // Once the body is gone, its text can't be read any more.
      return { record, header, mark: hasText ? null : await textOf(id) }
    } catch (error) {
      if (isAppError(error, 'record-damaged') || isAppError(error, 'store-damaged')) return 'damaged'
      throw error
    }
  }

  async function comparedOf(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
    const known = await tx.query<OfVersion & { watch: number }>(sql.known, those(ids))
    if (known.length === 0) return new Set()
    const asked = [...new Set(known.map(({ watch }) => watch))]
    const watched = new Set((await tx.query<{ watch: number }>(sql.watched, [asked])).map(({ watch }) => watch))
    return versionsOf(known.filter(({ watch }) => watched.has(watch)))
  }

  async function carryOut(tx: Tx, orders: readonly CollectionOrder[], reads: Map<number, Read>) {
    const ids = orders.map(({ versionId }) => versionId)
    const rows = new Map((await lockInPartitions<OrderRow>(tx, sql.orders, ids)).map((row) => [row.id, row]))
    const pinned = versionsOf(await tx.query<OfVersion>(sql.pinned, those(ids)))
    const undelivered = versionsOf(await tx.query<OfVersion>(sql.undelivered, [ids]))
    const compared = await comparedOf(tx, ids)
    const references = await referencesTo(tx, ids)
    const done = new Map<number, Decision>()
    const outcomes = orders.map(({ versionId, action }): CollectionOutcome => {
      const row = done.get(versionId)?.action === 'remove' ? undefined : rows.get(versionId)
      if (row === undefined || done.has(versionId)) return { kind: 'nothing' }
      const read = reads.get(versionId) ?? null
      const refusal = refusalOf(action, {
        ...row,
        pinned: pinned.has(versionId),
        undelivered: undelivered.has(versionId),
        compared: compared.has(versionId),
        shared: (references.get(versionId)?.size ?? 0) > 0,
        hasRecord: row.record > 0,
        isRead: read !== null && read !== 'damaged' && read.record === row.record,
      })
      if (refusal !== null) return refusal
      done.set(versionId, { row, action, read })
      references.get(row.original)?.delete(versionId)
      return { kind: 'done', bytes: row.record === 0 ? 0 : row.length }
    })
    await take(tx, [...done.values()])
    await tx.query(sql.stay, those(ids))
    return { outcomes, taken: [...done.keys()] }
  }

  async function collect(orders: readonly CollectionOrder[]): Promise<CollectionOutcome[]> {
    if (orders.length === 0) return []
    const reads = await readHeaders(orders)
    await pool.query(sql.leave, those(orders.map(({ versionId }) => versionId)))
    const { outcomes, taken } = await pool.transaction((tx) => carryOut(tx, orders, reads))
    if (taken.length > 0) await pool.query(sql.lose, [taken])
    return outcomes
  }

  async function withShared(rows: readonly KeptRow[]): Promise<KeptVersion[]> {
    // A current version that is wanted stays in any case.
    const asked = rows.filter(({ current, wanted }) => !current || !wanted).map(({ id }) => id)
    const references = await referencesTo(pool, asked)
    return rows.map((row) => ({ ...row, shared: references.has(row.id) }))
  }

  async function mark(versionIds: readonly number[], wanted: boolean): Promise<void> {
    if (versionIds.length > 0) await pool.query(sql.mark, [...those(versionIds), wanted])
  }

  return {
    async versions(after, limit) {
      const cursor = { ...(after ?? firstCursor) }
      const partition = after === null ? partitionCount : partitionOfId(after.documentId)
      const rows = await pool.query<KeptRow>(sql.page, [partition, cursor.documentId, cursor.n, limit])
      const versions = (await withShared(rows)).map((version) =>
        rankVersion({ ...version, supersededAt: null, newer: 0 }, cursor),
      )
      return { versions, next: rows.length < limit ? null : cursor }
    },
    async find(versionIds) {
      if (versionIds.length === 0) return []
      const rows = await withShared(await pool.query<KeptRow>(sql.find, those(versionIds)))
      const found = new Map(rows.map((row) => [row.id, row]))
      return versionIds.flatMap((id) => found.get(id) ?? [])
    },
    collect,
    async pin(versionIds, owner, at) {
      if (versionIds.length === 0) return []
      const rows = await lockInPartitions<{ id: number }>(pool, sql.pin, versionIds, storable(owner), at)
      const there = new Set(rows.map(({ id }) => id))
      return versionIds.filter((id) => there.has(id))
    },
    async unpin(versionIds, owner) {
      if (versionIds.length > 0) await pool.query(sql.unpin, [...those(versionIds), storable(owner)])
    },
    markUnwanted: (versionIds) => mark(versionIds, false),
    markWanted: (versionIds) => mark(versionIds, true),
  }
}

type OfVersion = { version: number }

const versionsOf = (rows: readonly OfVersion[]): Set<number> => new Set(rows.map(({ version }) => version))

/** The partitions of the ids, and the ids. Naming both saves searching other partitions. */
function those(ids: readonly number[]): [partitions: number[], ids: readonly number[]] {
  return [[...new Set(ids.map(partitionOfId))], ids]
}

/** Versions that refer to these, by original. */
async function referencesTo(sender: Sender, ids: readonly number[]): Promise<Map<number, Set<number>>> {
  const references = new Map<number, Set<number>>()
  if (ids.length === 0) return references
  for (const { id, original } of await sender.query<{ id: number; original: number }>(sql.references, [ids])) {
    const known = references.get(original)
    if (known === undefined) references.set(original, new Set([id]))
    else known.add(id)
  }
  return references
}

async function take(tx: Tx, decisions: readonly Decision[]): Promise<void> {
  if (decisions.length === 0) return
  const rows = decisions.map(({ row }) => row)
  await tx.query(sql.forgetBodies, [
    rows.map(({ digest }) => partitionOfDigest(digest)),
    rows.map(({ digest }) => digest),
    rows.map(({ id }) => id),
  ])
  await tx.query(sql.removeRecords, [
    [...new Set(rows.map(({ id }) => partitionOfId(id)))],
    rows.map(({ record }) => record),
  ])
  const removed = decisions.filter(({ action }) => action === 'remove').map(({ row }) => row)
  if (removed.length > 0) await remove(tx, removed)
  const dropped = decisions.filter(({ action }) => action === 'drop')
  if (dropped.length > 0) await drop(tx, dropped)
}

async function remove(tx: Tx, rows: readonly OrderRow[]): Promise<void> {
  await tx.query(sql.remove, those(rows.map(({ id }) => id)))
  const linked = rows.filter(({ links }) => links > 0)
  if (linked.length === 0) return
  await tx.query(sql.removeLinks, [
    linked.map(({ id }) => partitionOfId(id)),
    linked.map(({ links }) => links),
    linked.map(({ document }) => document),
  ])
}

async function drop(tx: Tx, decisions: readonly Decision[]): Promise<void> {
  const reads = decisions.map(({ read }) => read as Exclude<Read, 'damaged' | null>)
  await tx.query(sql.drop, [
    decisions.map(({ row }) => partitionOfId(row.id)),
    decisions.map(({ row }) => row.id),
    reads.map(({ header }) => storable(header)),
    reads.map(({ mark }) => mark?.text ?? null),
    reads.map(({ mark }) => mark?.rules ?? null),
  ])
}

/** Any number that no other advisory lock uses. */
const LOCK = 7_252_020

/** Uses a partial index: there may be many versions, but few are marked. */
export const takeMarksBack = 'UPDATE versions SET leaving = false WHERE leaving'

/**
 * One collector at a time: two would only do the same work twice. A killed collector loses the lock with its connection. The versions that
 * it was about to remove stay marked, and would never be referred to again; so the marks are cleared first.
 */
export async function lockCollector(pool: PostgresPool): Promise<SessionLock> {
  const lock = await trySessionLock(pool, LOCK)
  if (lock === null) throw new AppError('store-locked', 'another garbage collection is under way')
  try {
    await pool.query(takeMarksBack)
  } catch (error) {
    await lock.release()
    throw error
  }
  return lock
}
