import type { BodyState } from '../../contracts/body-state.ts'
import type { Capture, CaptureOutcome, DocumentStore, KnownDocument } from '../../contracts/documents.ts'
import type { VersionReason } from '../../contracts/versions.ts'
import { packLinks, unpackLinks } from '../../rules/link-text.ts'
import type { createArchiveWriter } from '../archive/archive-writer.ts'
import type { Database } from '../folder/database.ts'
import { documentStatements } from './document-statements.ts'

/** A document with its current version, as far as a new capture is held against it. */
type Current = {
  id: number
  version: number
  seen: number
  notModified: number
  n: number | null
  reason: VersionReason | null
  digest: Uint8Array | null
  truncated: string
  etag: string
  lastModified: string
  body: BodyState
  original: number
  links: number
}
type Original = { version: number; url: string; at: number; document: number; run: number }
type BodyCapture = Extract<Capture, { kind: 'body' }>
type NoteCapture = Extract<Capture, { kind: 'note' }>
type GoneCapture = Extract<Capture, { kind: 'gone' }>

/** Its validators stood still while the content changed: they are not asked for again. */
const VALIDATORS_LIE = -1

const noDigest = Buffer.alloc(0)

/**
 * A document's versions are ordered by number; the current one is the last. When a capture differs from it, it is
 * superseded: the moment it was last seen moves from the document's row, where each check notes it, to its own.
 */
export function createSqliteDocuments(db: Database, archive: ReturnType<typeof createArchiveWriter>): DocumentStore {
  const sql = documentStatements(db)
  let nextVersion = 0

  /** Most captures are of a new document with a new body: trying to insert both answers both questions. */
  function recordBody(capture: BodyCapture): CaptureOutcome {
    const inserted = insertDocument(capture, 'stored', nextVersion, capture.at, capture.freshUntil)
    if (inserted !== null) return addBody(capture, inserted, 1, 'new', null)
    const current = sql.current.get(capture.host, capture.fp) as Current
    if (current.reason === null) return replace(capture, current, 'new')
    if (current.reason === 'gone') return replace(capture, current, 'back')
    if (capture.digest.equals(current.digest!)) return confirm(capture, current, true)
    if (capture.sameTextAs === current.version) return confirm(capture, current, false)
    // What came in time says nothing about what did not; the whole page that is kept is worth more.
    if (capture.truncated === 'time' && current.truncated === '') {
      note(capture, 'failed', current.version, current.seen, current.notModified)
      return { kind: 'incomplete' }
    }
    return replace(capture, current, 'changed')
  }

  function confirm(capture: BodyCapture, current: Current, sameBody: boolean): CaptureOutcome {
    // Lost, or collected before somebody came who has not seen it yet.
    const isMissed = current.body === 'lost' || (current.body === 'dropped' && capture.check.first)
    if (isMissed) refill(capture, current.version)
    note(capture, 'unchanged', current.version, capture.at, Math.min(current.notModified, 0), capture.freshUntil)
    const hasNewValidators = current.etag !== capture.etag || current.lastModified !== capture.lastModified
    if (hasNewValidators) sql.renew.run(capture.etag, capture.lastModified, current.version)
    // Behind the same words there may be other links. They are those of the page from now on.
    if (!sameBody) sql.relink.run(linkRow(capture, current.version, current.links), current.version)
    const isOwn = !sameBody || current.original === current.version
    return { kind: 'unchanged', duplicate: !isOwn && wasSeenElsewhere(current.original, current.id, capture.run) }
  }

  /** The capture becomes the document's current version. */
  function replace(capture: BodyCapture, current: Current, reason: VersionReason): CaptureOutcome {
    supersede(current)
    const lies = reason === 'changed' && keptItsValidators(capture, current)
    const notModified = lies || current.notModified < 0 ? VALIDATORS_LIE : 0
    note(capture, 'stored', nextVersion, capture.at, notModified, capture.freshUntil)
    return addBody(capture, current.id, (current.n ?? 0) + 1, reason, current)
  }

  function supersede(current: Current): void {
    if (current.version > 0) sql.supersede.run(current.seen, current.version)
  }

  function addBody(
    capture: BodyCapture,
    documentId: number,
    n: number,
    reason: VersionReason,
    previous: Current | null,
  ): CaptureOutcome {
    const versionId = nextVersion++
    const isNew = sql.insertBody.run(capture.digest, versionId).changes === 1
    const original = isNew ? null : (sql.body.get(capture.digest) as Original)
    const pointer = archive.append(versionId, capture.render(original))
    sql.insertVersion.run(
      versionId,
      documentId,
      n,
      reason,
      capture.at,
      capture.at,
      capture.status,
      capture.type,
      capture.size,
      capture.digest,
      capture.text,
      capture.textRules,
      capture.etag,
      capture.lastModified,
      capture.truncated,
      capture.title,
      capture.address,
      '',
      'kept',
      original?.version ?? versionId,
      pointer.fileId,
      pointer.offset,
      pointer.length,
      linkRow(capture, versionId, previous?.links ?? 0),
    )
    if (original === null) return { kind: 'stored', versionId }
    sql.setOutcome.run('duplicate', documentId)
    const linksOffered = original.document !== documentId && original.run === capture.run
    return { kind: 'duplicate', versionId, of: original.url, linksOffered }
  }

  /** Brings back the record of a version that was lost. */
  function refill(capture: BodyCapture, versionId: number): void {
    const isNew = sql.insertBody.run(capture.digest, versionId).changes === 1
    const original = isNew ? null : (sql.body.get(capture.digest) as Original)
    const { fileId, offset, length } = archive.append(versionId, capture.render(original))
    const { digest, size, text, textRules } = capture
    sql.refill.run(digest, size, text, textRules, original?.version ?? versionId, fileId, offset, length, versionId)
  }

  /** The row with the version's links: the one of the version before where they are the same. */
  function linkRow(capture: BodyCapture, versionId: number, previous: number): number {
    const list = packLinks(capture.links, capture.url)
    const before = sql.linkList.get(previous) as { naming: number; list: string } | undefined
    if (before?.list === list && before.naming === capture.linkNaming) return previous
    if (list === '') return 0
    sql.insertLinks.run(versionId, capture.linkNaming, capture.linkKeys, list)
    return versionId
  }

  /** Whether the body of a version was met in this run under another URL than the document's own. */
  function wasSeenElsewhere(versionId: number, documentId: number, run: number): boolean {
    const origin = sql.documentOf.get(versionId) as { document: number; run: number } | undefined
    return origin !== undefined && origin.document !== documentId && origin.run === run
  }

  /** Null when the document is there already. */
  function insertDocument(
    capture: Capture,
    outcome: string,
    version: number,
    seenAt: number,
    freshUntil: number,
  ): number | null {
    const { host, fp, url, parent, at, run, status } = capture
    const location = 'location' in capture ? capture.location : ''
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
      seenAt,
      freshUntil,
    )
    return changes === 0 ? null : Number(lastInsertRowid)
  }

  function note(
    capture: Capture,
    outcome: string,
    version: number,
    seenAt: number,
    notModified: number,
    freshUntil: number | null = null,
  ): void {
    const { at, run, status, host, fp } = capture
    const location = 'location' in capture ? capture.location : ''
    sql.note.run(at, run, status, outcome, location, version, seenAt, notModified, freshUntil, host, fp)
  }

  function recordNote(capture: NoteCapture): CaptureOutcome {
    const { at, run, status, outcome, location, host, fp } = capture
    const { changes } =
      outcome === 'unchanged'
        ? sql.notModified.run(at, run, status, at, capture.freshUntil, host, fp)
        : sql.attempt.run(at, run, status, outcome, location, host, fp)
    if (changes === 0) insertDocument(capture, outcome, 0, 0, 0)
    return { kind: 'noted' }
  }

  function recordGone(capture: GoneCapture): CaptureOutcome {
    const current = sql.current.get(capture.host, capture.fp) as Current | undefined
    if (current === undefined) {
      insertDocument(capture, capture.outcome, 0, 0, 0)
      return { kind: 'noted' }
    }
    if (current.reason === null || current.reason === 'gone') {
      note(capture, capture.outcome, current.version, current.reason === null ? 0 : capture.at, 0)
      return { kind: 'noted' }
    }
    supersede(current)
    const versionId = nextVersion++
    const pointer = archive.append(versionId, capture.render())
    const { at, status, address, location } = capture
    const [type, etag, lastModified, truncated, title] = ['', '', '', '', '']
    sql.insertVersion.run(
      versionId,
      current.id,
      current.n! + 1,
      'gone',
      at,
      at,
      status,
      type,
      0,
      noDigest,
      null,
      0,
      etag,
      lastModified,
      truncated,
      title,
      address,
      location,
      'none',
      versionId,
      pointer.fileId,
      pointer.offset,
      pointer.length,
      0,
    )
    note(capture, capture.outcome, versionId, at, Math.min(current.notModified, 0))
    return { kind: 'gone', versionId }
  }

  function recordOne(capture: Capture): CaptureOutcome {
    if (capture.check.watch === 0) return keep(capture)
    const before = sql.lastChecker.get(capture.host, capture.fp) as { run: number } | undefined
    const outcome = keep(capture)
    queueTask(capture, outcome, before?.run ?? 0)
    return outcome
  }

  function keep(capture: Capture): CaptureOutcome {
    switch (capture.kind) {
      case 'body':
        return recordBody(capture)
      case 'note':
        return recordNote(capture)
      case 'gone':
        return recordGone(capture)
      case 'met':
        return { kind: 'noted' }
    }
  }

  /**
   * What is news to a watch waits for the annotation engine from the very moment that it is kept. A version that another watch
   * has found since this one looked last is news too, although nothing changed in between; so is one that this watch meets
   * again in the same check, since it may be nearer to the source this time.
   */
  function queueTask(capture: Capture, outcome: CaptureOutcome, lastChecker: number): void {
    const { hops, host, fp } = capture
    const { watch, round, since } = capture.check
    const first = capture.check.first ? 1 : 0
    if ('versionId' in outcome) sql.insertTask.run(outcome.versionId, watch, hops, round, first)
    else if (first === 1 || lastChecker !== watch || capture.kind === 'met')
      sql.insertKnownTask.run(watch, hops, round, first, host, fp, since, first, first === 0 || since > 0 ? 1 : 0)
  }

  return {
    async record(captures) {
      try {
        const outcomes = db.write(() => {
          // Version numbers are shared by all shards: the write lock that is held here makes the next one ours.
          nextVersion = (sql.lastVersion.get() as { id: number }).id + 1
          const results = captures.map(recordOne)
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
      return db.readTogether(() =>
        keys.map(({ host, fp }) => (sql.known.get(host, fp) as KnownDocument | undefined) ?? null),
      )
    },
    async links({ linkRow, url }) {
      const row = db.read(() => sql.linkList.get(linkRow)) as { list: string } | undefined
      return row === undefined ? [] : unpackLinks(row.list, url)
    },
    async counts() {
      return db.read(() => sql.counts.get()) as { documents: number; versions: number; bodies: number }
    },
  }
}

function keptItsValidators(capture: BodyCapture, current: Current): boolean {
  if (capture.etag !== '' || current.etag !== '') return capture.etag === current.etag
  return capture.lastModified !== '' && capture.lastModified === current.lastModified
}
