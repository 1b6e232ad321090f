import type { Capture, CaptureOutcome, DocumentStore, KnownDocument } from '../documents.ts'
import type { createArchiveWriter } from './archive-writer.ts'
import type { Database } from './database.ts'
import { packLinks, unpackLinks } from './link-text.ts'

type DocumentRow = { id: number; version: number; digest: Uint8Array | null; n: number | null; original: number | null }
type OriginalRow = { version: number; url: string; at: number; document: number; run: number }
type BodyCapture = Extract<Capture, { kind: 'body' }>

export function createEmbeddedDocuments(db: Database, archive: ReturnType<typeof createArchiveWriter>): DocumentStore {
  const sql = prepareStatements(db)
  let nextVersion = 0

  /** Most captures are of a new document with a new body: trying to insert both answers both questions. */
  function recordBody(capture: BodyCapture): CaptureOutcome {
    const versionId = nextVersion
    const inserted = insertDocument(capture, 'stored', versionId)
    if (inserted !== null) return addVersion(capture, versionId, inserted, 1)
    const document = sql.document.get(capture.host, capture.fp) as DocumentRow
    if (document.digest !== null && capture.digest.equals(document.digest)) {
      note(capture, 'unchanged', document.version)
      const isOwn = document.original === document.version
      return { kind: 'unchanged', duplicate: !isOwn && wasSeenElsewhere(document.original!, document.id, capture.run) }
    }
    note(capture, 'stored', versionId)
    return addVersion(capture, versionId, document.id, (document.n ?? 0) + 1)
  }

  function addVersion(capture: BodyCapture, versionId: number, documentId: number, n: number): CaptureOutcome {
    nextVersion++
    const isNew = sql.insertBody.run(capture.digest, versionId).changes === 1
    const original = isNew ? null : (sql.body.get(capture.digest) as OriginalRow)
    const pointer = archive.append(versionId, capture.render(original))
    sql.insertVersion.run(
      versionId,
      documentId,
      n,
      capture.at,
      capture.status,
      capture.type,
      capture.size,
      capture.digest,
      capture.etag,
      capture.lastModified,
      capture.truncated,
      capture.title,
      capture.address,
      original?.version ?? versionId,
      pointer.fileId,
      pointer.offset,
      pointer.length,
      packLinks(capture.links, capture.url),
    )
    if (original === null) return { kind: 'stored', versionId }
    note(capture, 'duplicate', versionId)
    const linksOffered = original.document !== documentId && original.run === capture.run
    return { kind: 'duplicate', versionId, of: original.url, linksOffered }
  }

  /** Whether the body of a version was met in this run under another URL than the document's own. */
  function wasSeenElsewhere(versionId: number, documentId: number, run: number): boolean {
    const origin = sql.documentOf.get(versionId) as { document: number; run: number }
    return origin.document !== documentId && origin.run === run
  }

  /** Null when the document is there already. */
  function insertDocument(capture: Capture, outcome: string, version: number): number | null {
    const { host, fp, url, parent, at, run, status } = capture
    const location = capture.kind === 'note' ? capture.location : ''
    const { changes, lastInsertRowid } = sql.insertDocument.run(
      host,
      fp,
      url,
      parent,
      at,
      at,
      run,
      status,
      outcome,
      location,
      version,
    )
    return changes === 0 ? null : Number(lastInsertRowid)
  }

  function note(capture: Capture, outcome: string, version: number): void {
    const location = capture.kind === 'note' ? capture.location : ''
    sql.updateDocument.run(
      capture.at,
      capture.run,
      capture.status,
      outcome,
      location,
      version,
      capture.host,
      capture.fp,
    )
  }

  function recordNote(capture: Extract<Capture, { kind: 'note' }>): CaptureOutcome {
    const document = sql.document.get(capture.host, capture.fp) as DocumentRow | undefined
    if (document === undefined) insertDocument(capture, capture.outcome, 0)
    else note(capture, capture.outcome, document.version)
    return { kind: 'noted' }
  }

  return {
    async record(captures) {
      try {
        const outcomes = db.write(() => {
          // Version numbers are shared by all shards: the write lock that is held here makes the next one ours.
          nextVersion = (sql.lastVersion.get() as { id: number }).id + 1
          const results = captures.map((capture) =>
            capture.kind === 'body' ? recordBody(capture) : recordNote(capture),
          )
          archive.flush()
          return results
        })
        archive.committed()
        return outcomes
      } catch (error) {
        archive.rollback()
        throw error
      }
    },
    async find(keys) {
      return db.read(() => keys.map(({ host, fp }) => (sql.known.get(host, fp) as KnownDocument | undefined) ?? null))
    },
    async links(versionId) {
      const row = db.read(() => sql.links.get(versionId)) as { links: string; url: string } | undefined
      return row === undefined ? [] : unpackLinks(row.links, row.url)
    },
    async counts() {
      return db.read(() => sql.counts.get()) as { documents: number; versions: number; bodies: number }
    },
  }
}

function prepareStatements(db: Database) {
  return {
    document: db.prepare(
      `SELECT d.id, d.version, v.digest, v.n, v.original FROM documents d LEFT JOIN versions v ON v.id = d.version
       WHERE d.host = ? AND d.fp = ?`,
    ),
    known: db.prepare(
      `SELECT d.url, d.run, d.status, d.version AS versionId, coalesce(v.etag, '') AS etag,
       coalesce(v.last_modified, '') AS lastModified
       FROM documents d LEFT JOIN versions v ON v.id = d.version WHERE d.host = ? AND d.fp = ?`,
    ),
    body: db.prepare(
      `SELECT b.version, d.url, v.at, d.id AS document, d.run FROM bodies b JOIN versions v ON v.id = b.version JOIN documents d ON d.id = v.document
       WHERE b.digest = ?`,
    ),
    documentOf: db.prepare(
      'SELECT d.id AS document, d.run FROM versions v JOIN documents d ON d.id = v.document WHERE v.id = ?',
    ),
    lastVersion: db.prepare('SELECT coalesce(max(id), 0) AS id FROM versions'),
    insertVersion: db.prepare(
      `INSERT INTO versions (id, document, n, at, status, type, size, digest, etag, last_modified, truncated, title,
       address, original, file, offset, length, links) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertBody: db.prepare('INSERT INTO bodies (digest, version) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    insertDocument: db.prepare(
      `INSERT INTO documents (host, fp, url, parent, first_at, checked_at, run, status, outcome, location, version)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    updateDocument: db.prepare(
      `UPDATE documents SET checked_at = ?, run = ?, status = ?, outcome = ?, location = ?, version = ?
       WHERE host = ? AND fp = ?`,
    ),
    links: db.prepare('SELECT v.links, d.url FROM versions v JOIN documents d ON d.id = v.document WHERE v.id = ?'),
    counts: db.prepare(
      `SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM versions) AS versions,
       (SELECT count(*) FROM bodies) AS bodies`,
    ),
  }
}
