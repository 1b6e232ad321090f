import { isAppError } from '../../../core/errors.ts'
import { partitionCount } from '../../../core/partition.ts'
import type { BodyState } from '../../contracts/body-state.ts'
import type {
  CollectableVersion,
  CollectionCursor,
  CollectionOrder,
  CollectionOutcome,
  CollectionStore,
  KeptVersion,
  TextMark,
} from '../../contracts/collection.ts'
import type { ObjectStore } from '../../contracts/objects.ts'
import type { PostgresPool, Sender, Tx } from '../connection/pool.ts'
import { partitionOfId } from '../connection/row-batch.ts'
import { partitionOfDigest } from '../documents/documents-bodies.ts'
import { lockInPartitions } from '../leases/partition-locks.ts'
import { collectionStatements as sql } from './collection-statements.ts'
import { storable } from './storable-text.ts'

export type PostgresCollectionDeps = {
  pool: PostgresPool
  objects: Pick<ObjectStore, 'read'>
  /** The response header of a record, as the catalogue keeps it; throws `record-damaged` where there is none to be read. */
  headerOf(record: Buffer): string
  /** The fingerprint of a version's visible text and of the rules that made it; null where there is none. */
  textOf(versionId: number): Promise<TextMark | null>
}

type KeptRow = Omit<KeptVersion, 'shared'>
type Place = { id: number; hasText: boolean; record: number; length: number }
/** What an order to drop a body needs before rows are locked. */
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
}
type Decision = { row: OrderRow; action: CollectionOrder['action']; read: Read }

/**
 * Taking a version while others may be about to refer to its body, in partitions of their own:
 *
 * 1. The versions are marked as leaving, which is committed: from now on nobody finds them as originals.
 * 2. References are looked for. Whoever made one has done so before it looked at the mark once more; so either the reference is
 *    seen here, or the mark is seen there.
 * 3. What nobody refers to goes, the rest stays.
 * 4. Whoever died between reference and second look has left a reference to nothing: that version is lost, and fetched again.
 */
export function createPostgresCollection({ pool, objects, headerOf, textOf }: PostgresCollectionDeps): CollectionStore {
  async function readHeaders(orders: readonly CollectionOrder[]): Promise<Map<number, Read>> {
    const ids = orders.filter(({ action }) => action === 'drop').map(({ versionId }) => versionId)
    const reads = new Map<number, Read>()
    if (ids.length === 0) return reads
    for (const place of await pool.query<Place>(sql.places, those(ids))) reads.set(place.id, await readHeader(place))
    return reads
  }

  async function readHeader({ id, hasText, record, length }: Place): Promise<Read> {
    try {
      const header = headerOf(await objects.read({ fileId: partitionOfId(id) + 1, offset: record, length }))
      // Once the body is gone nobody can tell what its text was.
      return { record, header, mark: hasText ? null : await textOf(id) }
    } catch (error) {
      if (isAppError(error, 'record-damaged') || isAppError(error, 'store-damaged')) return 'damaged'
      throw error
    }
  }

  async function carryOut(tx: Tx, orders: readonly CollectionOrder[], reads: Map<number, Read>) {
    const ids = orders.map(({ versionId }) => versionId)
    const rows = new Map((await lockInPartitions<OrderRow>(tx, sql.orders, ids)).map((row) => [row.id, row]))
    const held = new Set((await tx.query<{ version: number }>(sql.held, those(ids))).map(({ version }) => version))
    const references = await referencesTo(tx, ids)
    const done = new Map<number, Decision>()
    const outcomes = orders.map(({ versionId, action }): CollectionOutcome => {
      const row = done.get(versionId)?.action === 'remove' ? undefined : rows.get(versionId)
      if (row === undefined || done.has(versionId)) return { kind: 'nothing' }
      if (held.has(versionId)) return { kind: 'kept', why: 'held' }
      if ((references.get(versionId)?.size ?? 0) > 0) return { kind: 'kept', why: 'shared' }
      const read = reads.get(versionId) ?? null
      const refusal = action === 'remove' ? mayRemove(row) : mayDrop(row, read)
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
      const last = after ?? { documentId: Number.MAX_SAFE_INTEGER, n: 0, at: 0, newer: 0 }
      const partition = after === null ? partitionCount : partitionOfId(after.documentId)
      const rows = await pool.query<KeptRow>(sql.page, [partition, last.documentId, last.n, limit])
      const cursor = { ...last }
      const versions = (await withShared(rows)).map((version) => collectable(version, cursor))
      return { versions, next: rows.length < limit ? null : cursor }
    },
    async find(versionIds) {
      if (versionIds.length === 0) return []
      const rows = await withShared(await pool.query<KeptRow>(sql.find, those(versionIds)))
      const found = new Map(rows.map((row) => [row.id, row]))
      return versionIds.flatMap((id) => found.get(id) ?? [])
    },
    collect,
    async hold(versionIds, owner, at) {
      if (versionIds.length === 0) return []
      const rows = await lockInPartitions<{ id: number }>(pool, sql.hold, versionIds, storable(owner), at)
      const there = new Set(rows.map(({ id }) => id))
      return versionIds.filter((id) => there.has(id))
    },
    async release(versionIds, owner) {
      if (versionIds.length > 0) await pool.query(sql.release, [...those(versionIds), storable(owner)])
    },
    markUnwanted: (versionIds) => mark(versionIds, false),
    markWanted: (versionIds) => mark(versionIds, true),
  }
}

/** The partitions of the ids, and the ids: both are named, so that others need not be looked at. */
function those(ids: readonly number[]): [partitions: number[], ids: readonly number[]] {
  return [[...new Set(ids.map(partitionOfId))], ids]
}

/** By original: the versions that refer to it. */
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

function mayRemove({ current }: OrderRow): CollectionOutcome | null {
  return current ? { kind: 'kept', why: 'current' } : null
}

function mayDrop({ body, record, wanted }: OrderRow, read: Read): CollectionOutcome | null {
  if (body !== 'kept' || record === 0) return { kind: 'nothing' }
  if (wanted) return { kind: 'kept', why: 'wanted' }
  // A record that was brought back meanwhile is whole: only nobody looked at it. The next run will.
  const isSame = read !== null && read !== 'damaged' && read.record === record
  return isSame ? null : { kind: 'kept', why: 'damaged' }
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

/** Moves `last` on to this row: pages go from the newest version of a document to its oldest. */
function collectable(version: KeptVersion, last: CollectionCursor): CollectableVersion {
  const { documentId, n, at } = version
  const isFirst = documentId !== last.documentId
  const newer = isFirst ? 0 : last.newer + 1
  const supersededAt = isFirst ? null : last.at
  Object.assign(last, { documentId, n, at, newer })
  return { ...version, current: version.current || isFirst, supersededAt, newer }
}
