import { isAppError } from '../../../core/errors.ts'
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
import type { Database } from '../folder/database.ts'
import { collectionStatements } from './collection-statements.ts'

export type SqliteCollectionDeps = {
  db: Database
  objects: Pick<ObjectStore, 'read'>
  /** The response header of a record, as the catalogue keeps it; throws `record-damaged` where there is none to be read. */
  headerOf(record: Buffer): string
  /** The fingerprint of a version's visible text and of the rules that made it; null where there is none. */
  textOf(versionId: number): Promise<TextMark | null>
}

/** Rows come as lists, which cost half of what objects do; the order is that of the statement. */
type KeptRow = [
  id: number,
  documentId: number,
  n: number,
  url: string,
  at: number,
  current: 0 | 1,
  body: BodyState,
  bytes: number,
  originalId: number,
  shared: 0 | 1,
  heldBy: string | null,
  wanted: 0 | 1,
]
type OrderRow = {
  id: number
  document: number
  n: number
  digest: Uint8Array
  original: number
  links: number
  body: BodyState
  wanted: 0 | 1
  file: number
  offset: number
  length: number
  current: 0 | 1
  held: 0 | 1
  shared: 0 | 1
}
type Place = { file: number; offset: number; length: number; text: Uint8Array | null }
/** What an order to drop a body needs before the write lock is taken: the disk may take its time. */
type Read = (Place & { header: string; mark: TextMark | null }) | 'damaged' | null

export function createSqliteCollection({ db, objects, headerOf, textOf }: SqliteCollectionDeps): CollectionStore {
  const sql = collectionStatements(db)

  async function readHeader({ versionId, action }: CollectionOrder): Promise<Read> {
    if (action === 'remove') return null
    const row = db.read(() => sql.place.get(versionId)) as Place | undefined
    if (row === undefined || row.file === 0) return null
    try {
      const record = await objects.read({ fileId: row.file, offset: row.offset, length: row.length })
      // Once the body is gone nobody can tell what its text was.
      return { ...row, header: headerOf(record), mark: row.text === null ? await textOf(versionId) : null }
    } catch (error) {
      if (isAppError(error, 'record-damaged') || isAppError(error, 'store-damaged')) return 'damaged'
      throw error
    }
  }

  function carryOut({ versionId, action }: CollectionOrder, read: Read): CollectionOutcome {
    const row = sql.order.get(versionId) as OrderRow | undefined
    if (row === undefined) return { kind: 'nothing' }
    if (row.held === 1) return { kind: 'kept', why: 'held' }
    if (row.shared === 1) return { kind: 'kept', why: 'shared' }
    return action === 'remove' ? remove(row) : drop(row, read)
  }

  function remove(row: OrderRow): CollectionOutcome {
    if (row.current === 1) return { kind: 'kept', why: 'current' }
    sql.forgetBody.run(row.digest, row.id)
    sql.remove.run(row.id)
    if (row.links > 0) removeLinks(row)
    return { kind: 'done', bytes: row.file === 0 ? 0 : row.length }
  }

  /** Versions that follow each other may share a list of links; those next to this one tell whether anybody does. */
  function removeLinks({ document, n, links }: OrderRow): void {
    const neighbours = [sql.linksBefore.get(document, n), sql.linksAfter.get(document, n)]
    if (neighbours.some((row) => (row as { links: number } | undefined)?.links === links)) return
    sql.removeLinks.run(links)
  }

  function drop(row: OrderRow, read: Read): CollectionOutcome {
    if (row.body !== 'kept' || row.file === 0) return { kind: 'nothing' }
    if (row.wanted === 1) return { kind: 'kept', why: 'wanted' }
    // A record that moved meanwhile is whole: only nobody looked at it there. The next run will.
    const isSame = read !== null && read !== 'damaged' && read.file === row.file && read.offset === row.offset
    if (!isSame) return { kind: 'kept', why: 'damaged' }
    sql.forgetBody.run(row.digest, row.id)
    sql.drop.run(read.header, read.mark?.text ?? null, read.mark?.rules ?? null, row.id)
    return { kind: 'done', bytes: row.length }
  }

  return {
    async versions(after, limit) {
      const from = after ?? { documentId: Number.MAX_SAFE_INTEGER, n: 0, at: 0, newer: 0 }
      const rows = db.read(() => sql.page.all(from.documentId, from.n, limit)) as unknown as KeptRow[]
      const last = { ...from }
      const versions = rows.map((row) => collectable(row, last))
      return { versions, next: rows.length < limit ? null : last }
    },
    async find(versionIds) {
      const rows = db.read(() => versionIds.map((id) => sql.one.get(id) as unknown as KeptRow | undefined))
      return rows.filter((row) => row !== undefined).map(keptVersion)
    },
    async collect(orders) {
      const reads: Read[] = []
      for (const order of orders) reads.push(await readHeader(order))
      return db.write(() => orders.map((order, index) => carryOut(order, reads[index]!)))
    },
    async hold(versionIds, owner, at) {
      return db.write(() => versionIds.filter((id) => sql.exists.get(id) !== undefined && sql.hold.run(id, owner, at)))
    },
    async release(versionIds, owner) {
      db.write(() => {
        for (const id of versionIds) sql.release.run(id, owner)
      })
    },
    markUnwanted: async (versionIds) => mark(versionIds, 0),
    markWanted: async (versionIds) => mark(versionIds, 1),
  }

  function mark(versionIds: readonly number[], wanted: 0 | 1): void {
    db.write(() => {
      for (const id of versionIds) sql.mark.run(wanted, id)
    })
  }
}

/** Moves `last` on to this row: pages go from the newest version of a document to its oldest. */
function collectable(row: KeptRow, last: CollectionCursor): CollectableVersion {
  const [, documentId, n, , at] = row
  const isFirst = documentId !== last.documentId
  const newer = isFirst ? 0 : last.newer + 1
  const version = versionOf(row, newer, isFirst ? null : last.at)
  last.documentId = documentId
  last.n = n
  last.at = at
  last.newer = newer
  return version
}

function keptVersion(row: KeptRow): KeptVersion {
  const { newer, supersededAt, ...version } = versionOf(row, 1, null)
  return version
}

function versionOf(row: KeptRow, newer: number, supersededAt: number | null): CollectableVersion {
  const [id, documentId, n, url, at, current, body, bytes, originalId, shared, heldBy, wanted] = row
  return {
    id,
    documentId,
    n,
    url,
    at,
    current: current === 1 || newer === 0,
    body,
    bytes,
    originalId,
    shared: shared === 1,
    heldBy,
    wanted: wanted === 1,
    supersededAt,
    newer,
  }
}
