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
import type { Database } from '../folder/database.ts'

const documentSelect = `id, host, fp, url, parent, first_at AS firstAt, checked_at AS checkedAt, seen_at AS seenAt,
  status, outcome, reason, failures, location, version AS versionId, fresh_until AS freshUntil`

const versionSelect = `v.id, v.document AS documentId, v.n, d.url, v.reason, v.at AS firstSeenAt,
  ${versionSql.lastSeenAt} AS lastSeenAt, v.status, v.type, v.size, v.digest, v.text AS textDigest,
  v.etag, v.last_modified AS lastModified, v.truncated, v.completed, v.title, v.address, v.location, v.body, v.original AS originalId,
  v.header, v.notice, v.file, v.offset, v.length FROM versions v JOIN documents d ON d.id = v.document`

type DocumentRow = Omit<CataloguedDocument, 'fp'> & { fp: number | bigint }
type VersionRow = Omit<Version, 'digest' | 'textDigest' | 'record'> & {
  digest: Uint8Array
  textDigest: Uint8Array | null
  file: number
  offset: number
  length: number
}

export function createSqliteVersions(db: Database): VersionStore {
  const sql = {
    document: db.prepare(`SELECT ${documentSelect} FROM documents WHERE host = ? AND fp = ?`),
    documentOfUrl: db.prepare(`SELECT ${documentSelect} FROM documents WHERE host = ? AND url = ?`),
    documentOfId: db.prepare(`SELECT ${documentSelect} FROM documents WHERE id = ?`),
    documents: db.prepare(`SELECT ${documentSelect} FROM documents WHERE id > ? ORDER BY id LIMIT ?`),
    badDocuments: db.prepare(
      `SELECT ${documentSelect} FROM documents WHERE id > ? AND ${versionSql.isBad} ORDER BY id LIMIT ?`,
    ),
    version: db.prepare(`SELECT ${versionSelect} WHERE v.id = ?`),
    history: db.prepare(`SELECT ${versionSelect} WHERE v.document = ? AND v.n > ? ORDER BY v.n LIMIT ?`),
    newest: db.prepare(`SELECT ${versionSelect} WHERE v.document = ? AND v.n < ? ORDER BY v.n DESC LIMIT ?`),
    versionAt: db.prepare(`SELECT ${versionSelect} WHERE v.document = ? AND v.at <= ? ORDER BY v.n DESC LIMIT 1`),
    versions: db.prepare(`SELECT ${versionSelect} WHERE v.id > ? ORDER BY v.id LIMIT ?`),
    current: db.prepare(`SELECT ${versionSelect} WHERE v.id < ? AND d.version = v.id ORDER BY v.id DESC LIMIT ?`),
    crawledForAll: db.prepare('SELECT 1 FROM documents WHERE id = ? AND for_all = 1'),
    reached: db.prepare(
      `SELECT document, watch, hops, known FROM reached WHERE document IN (SELECT value FROM json_each(?))
       AND watch IN (SELECT value FROM json_each(?))`,
    ),
    noise: db.prepare('SELECT state FROM noise WHERE document = ?'),
    undone: db.prepare('SELECT block, owner, at FROM unmuted WHERE document = ? ORDER BY at, block, owner'),
    prices: db.prepare(
      `SELECT document AS documentId, version AS versionId, part, at, amount, currency, availability FROM prices
       WHERE document = ?1 AND (?2 IS NULL OR part = ?2) ORDER BY version DESC LIMIT ?3`,
    ),
    links: db.prepare(
      `SELECT l.list, d.url FROM versions v JOIN links l ON l.id = v.links JOIN documents d ON d.id = v.document
       WHERE v.id = ?`,
    ),
  }
  // Fingerprints use all 64 bits, more than a JavaScript number can hold.
  for (const statement of [sql.document, sql.documentOfUrl, sql.documentOfId, sql.documents, sql.badDocuments])
    statement.setReadBigInts(true)

  const oneDocument = (row: unknown): CataloguedDocument | null => (row === undefined ? null : documentOf(row))
  const oneVersion = (row: unknown): Version | null => (row === undefined ? null : versionOf(row as VersionRow))

  return {
    document: async ({ host, fp }) => db.read(() => oneDocument(sql.document.get(host, fp))),
    documentOfUrl: async (host, url) => db.read(() => oneDocument(sql.documentOfUrl.get(host, url))),
    documentOfId: async (id) => db.read(() => oneDocument(sql.documentOfId.get(id))),
    documents: async ({ after, limit }) => db.read(() => sql.documents.all(after, limit).map(documentOf)),
    badDocuments: async ({ after, limit }) => db.read(() => sql.badDocuments.all(after, limit).map(documentOf)),
    version: async (id) => db.read(() => oneVersion(sql.version.get(id))),
    async history(documentId, { after, limit }) {
      return db.read(() => (sql.history.all(documentId, after, limit) as VersionRow[]).map(versionOf))
    },
    async newest(documentId, { before, limit }) {
      return db.read(() => (sql.newest.all(documentId, before, limit) as VersionRow[]).map(versionOf))
    },
    versionAt: async (documentId, at) => db.read(() => oneVersion(sql.versionAt.get(documentId, at))),
    async versions({ after, limit }) {
      return db.read(() => (sql.versions.all(after, limit) as VersionRow[]).map(versionOf))
    },
    async current({ before, limit }) {
      return db.read(() => (sql.current.all(before, limit) as VersionRow[]).map(versionOf))
    },
    crawledForAll: async (ids) => new Set(db.read(() => ids.filter((id) => sql.crawledForAll.get(id) !== undefined))),
    reached: async ({ documents, watches }) =>
      db.read(() => sql.reached.all(JSON.stringify(documents), JSON.stringify(watches)) as Reached[]),
    prices: async (documentId, { part, limit }) =>
      db.read(() =>
        sql.prices
          .all(documentId, part ?? null, limit)
          .map((row) => ({ ...(row as PriceRow) }))
          .reverse(),
      ),
    noise: async (documentId) =>
      db.read(() => ({
        state: readNoise((sql.noise.get(documentId) as { state: string } | undefined)?.state),
        undone: sql.undone.all(documentId).map((row) => ({ ...(row as KeptNoise['undone'][number]) })),
      })),
    async links(versionId) {
      const row = db.read(() => sql.links.get(versionId)) as { list: string; url: string } | undefined
      return row === undefined ? [] : unpackLinks(row.list, row.url)
    },
  }
}

/** The highest id of a version; 0 if there is none. */
export function createNewestVersion(db: Database): () => number {
  const newest = db.prepare('SELECT coalesce(max(id), 0) AS id FROM versions')
  return () => (db.read(() => newest.get()) as { id: number }).id
}

function documentOf(row: unknown): CataloguedDocument {
  const values = Object.entries(row as DocumentRow).map(([name, value]) => [
    name,
    typeof value === 'bigint' && name !== 'fp' ? Number(value) : value,
  ])
  return Object.fromEntries(values) as CataloguedDocument
}

function versionOf({ file, offset, length, digest, textDigest, ...row }: VersionRow): Version {
  return {
    ...row,
    digest: Buffer.from(digest),
    textDigest: textDigest === null ? null : Buffer.from(textDigest),
    record: file === 0 ? null : { fileId: file, offset, length },
  }
}
