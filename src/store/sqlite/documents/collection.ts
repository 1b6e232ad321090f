import { isAppError } from '../../../core/errors.ts'
import type {
  CollectableVersion,
  CollectionOrder,
  CollectionOutcome,
  CollectionStore,
  KeptVersion,
  TextMark,
} from '../../contracts/collection.ts'
import type { BodyState } from '../../contracts/documents.ts'
import type { ObjectStore } from '../../contracts/objects.ts'
import { collectableSql, firstCursor, noPartitions, rankVersion, refusalOf } from '../../rules/collectable.ts'
import type { Database } from '../folder/database.ts'

export type SqliteCollectionDeps = {
  db: Database
  objects: Pick<ObjectStore, 'read'>
  /** The response header of a record, as stored in the catalogue; throws `record-damaged` if it can't be read. */
  headerOf(record: Buffer): string
  /** The fingerprint of a version's visible text and the rules that made it; null if there is none. */
  textOf(versionId: number): Promise<TextMark | null>
}

/** A row as an array, in the order of the statement; arrays cost half as much as objects. */
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
  pinnedBy: string | null,
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
  pinned: 0 | 1
  awaited: 0 | 1
  undelivered: 0 | 1
  compared: 0 | 1
  shared: 0 | 1
}
type Position = { file: number; offset: number; length: number; text: Uint8Array | null }
/** Data needed to drop a body, read before the write lock is taken, as the disk may be slow. */
type Read = (Position & { header: string; mark: TextMark | null }) | 'damaged' | null

export function createSqliteCollection({ db, objects, headerOf, textOf }: SqliteCollectionDeps): CollectionStore {
  const sql = collectionStatements(db)

  async function readHeader({ versionId, action }: CollectionOrder): Promise<Read> {
    if (action === 'remove') return null
    const row = db.read(() => sql.position.get(versionId)) as Position | undefined
    if (row === undefined || row.file === 0) return null
    try {
      const record = await objects.read({ fileId: row.file, offset: row.offset, length: row.length })
      // Once the body is gone, its text can no longer be read.
      return { ...row, header: headerOf(record), mark: row.text === null ? await textOf(versionId) : null }
    } catch (error) {
      if (isAppError(error, 'record-damaged') || isAppError(error, 'store-damaged')) return 'damaged'
      throw error
    }
  }

  function carryOut({ versionId, action }: CollectionOrder, read: Read): CollectionOutcome {
    const row = sql.order.get(versionId) as OrderRow | undefined
    if (row === undefined) return { kind: 'nothing' }
    const isRead = read !== null && read !== 'damaged' && read.file === row.file && read.offset === row.offset
    const refusal = refusalOf(action, {
      current: row.current === 1,
      pinned: row.pinned === 1,
      awaited: row.awaited === 1,
      undelivered: row.undelivered === 1,
      compared: row.compared === 1,
      shared: row.shared === 1,
      wanted: row.wanted === 1,
      body: row.body,
      hasRecord: row.file > 0,
      isRead,
    })
    if (refusal !== null) return refusal
    sql.forgetBody.run(row.digest, row.id)
    if (action === 'remove') {
      sql.remove.run(row.id)
      if (row.links > 0) removeLinks(row)
    } else if (isRead) sql.drop.run(read.header, read.mark?.text ?? null, read.mark?.rules ?? null, row.id)
    return { kind: 'done', bytes: row.file === 0 ? 0 : row.length }
  }

  /** Consecutive versions may share a list of links, so checking the two neighbours is enough. */
  function removeLinks({ document, n, links }: OrderRow): void {
    const neighbours = [sql.linksBefore.get(document, n), sql.linksAfter.get(document, n)]
    if (neighbours.some((row) => (row as { links: number } | undefined)?.links === links)) return
    sql.removeLinks.run(links)
  }

  return {
    async versions(after, limit) {
      const cursor = { ...(after ?? firstCursor) }
      const rows = db.read(() => sql.page.all(cursor.documentId, cursor.n, limit)) as unknown as KeptRow[]
      const versions = rows.map((row) => rankVersion(versionOf(row), cursor))
      return { versions, next: rows.length < limit ? null : cursor }
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
    async pin(versionIds, owner, at) {
      return db.write(() => versionIds.filter((id) => sql.exists.get(id) !== undefined && sql.pin.run(id, owner, at)))
    },
    async unpin(versionIds, owner) {
      db.write(() => {
        for (const id of versionIds) sql.unpin.run(id, owner)
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

function keptVersion(row: KeptRow): KeptVersion {
  const { newer, supersededAt, ...version } = versionOf(row)
  return version
}

function versionOf(row: KeptRow): CollectableVersion {
  const [id, documentId, n, url, at, current, body, bytes, originalId, shared, pinnedBy, wanted] = row
  return {
    id,
    documentId,
    n,
    url,
    at,
    current: current === 1,
    body,
    bytes,
    originalId,
    shared: shared === 1,
    pinnedBy,
    wanted: wanted === 1,
    supersededAt: null,
    newer: 0,
  }
}

const shared = `EXISTS (SELECT 1 FROM versions r WHERE r.original = v.id AND ${collectableSql.isReference('r')})`

const keptColumns = `v.id, v.document AS documentId, v.n, d.url, v.at, d.version = v.id AS current, v.body,
  iif(v.file = 0, 0, v.length) AS bytes, v.original AS originalId,
  iif(d.version <> v.id OR v.wanted = 0, ${shared}, 0) AS shared,
  (SELECT owner FROM holds h WHERE h.version = v.id LIMIT 1) AS pinnedBy, v.wanted
  FROM versions v CROSS JOIN documents d ON d.id = v.document`

function collectionStatements(db: Database) {
  const sql = {
    page: db.prepare(
      `SELECT ${keptColumns} WHERE (v.document, v.n) < (?, ?) ORDER BY v.document DESC, v.n DESC LIMIT ?`,
    ),
    one: db.prepare(`SELECT ${keptColumns} WHERE v.id = ?`),
    exists: db.prepare('SELECT 1 FROM versions WHERE id = ?'),
    position: db.prepare('SELECT text, file, offset, length FROM versions WHERE id = ?'),
    order: db.prepare(
      `SELECT v.id, v.document, v.n, v.digest, v.original, v.links, v.body, v.wanted, v.file, v.offset, v.length,
       ${collectableSql.isCurrent(noPartitions)} AS current,
       EXISTS (SELECT 1 FROM holds h WHERE h.version = v.id) AS pinned, ${collectableSql.isAwaited(noPartitions)} AS awaited,
       EXISTS (SELECT 1 FROM ${collectableSql.undelivered} WHERE a.document = v.document AND a.version = v.id) AS undelivered,
       EXISTS (SELECT 1 FROM reached r JOIN urds u ON u.watch = r.watch
         WHERE r.document = v.document AND r.known = v.id) AS compared,
       ${shared} AS shared
       FROM versions v CROSS JOIN documents d ON d.id = v.document WHERE v.id = ?`,
    ),
    forgetBody: db.prepare('DELETE FROM bodies WHERE digest = ? AND version = ?'),
    remove: db.prepare('DELETE FROM versions WHERE id = ?'),
    linksBefore: db.prepare('SELECT links FROM versions WHERE document = ? AND n < ? ORDER BY n DESC LIMIT 1'),
    linksAfter: db.prepare('SELECT links FROM versions WHERE document = ? AND n > ? ORDER BY n LIMIT 1'),
    removeLinks: db.prepare('DELETE FROM links WHERE id = ?'),
    drop: db.prepare(
      `UPDATE versions SET body = 'dropped', header = ?, text = coalesce(?, text), text_rules = coalesce(?, text_rules),
       original = id, file = 0, offset = 0, length = 0 WHERE id = ?`,
    ),
    pin: db.prepare('INSERT OR IGNORE INTO holds (version, owner, since) VALUES (?, ?, ?)'),
    unpin: db.prepare('DELETE FROM holds WHERE version = ? AND owner = ?'),
    mark: db.prepare('UPDATE versions SET wanted = ? WHERE id = ? AND wanted <> ?1'),
  }
  sql.page.setReturnArrays(true)
  sql.one.setReturnArrays(true)
  return sql
}
