import type { StatementSync } from 'node:sqlite'
import { isForAll } from '../../../core/request.ts'
import type { BodyState, Capture, CaptureOutcome, DocumentStore, KnownDocument } from '../../contracts/documents.ts'
import type { RecordPointer } from '../../contracts/objects.ts'
import type { VersionReason } from '../../contracts/versions.ts'
import { linkTextOf, unpackLinks } from '../../rules/link-text.ts'
import { dueVersion, mayBringKnown, newsOf, type TaskVersion } from '../../rules/tasks.ts'
import {
  type BodyCapture,
  confirmsCurrent,
  type DocumentNote,
  decideBody,
  decideGone,
  failuresAfter,
  type GoneCapture,
  type NoteCapture,
  noContent,
  type Original,
  outcomeOfBody,
  type VersionDecision,
  wasMetElsewhere,
} from '../../rules/versioning.ts'
import type { createArchiveWriter } from '../archive/archive-writer.ts'
import { type Database, storeError } from '../folder/database.ts'
import { prepareStatements } from './document-statements.ts'
import { createWriteAhead } from './write-ahead.ts'

/** The fields of a document and its current version that a new capture is compared with. */
type Known = {
  documentId: number
  seenAt: number
  notModified: number
  /** The version; 0 if there is none, and then the rest is null. */
  id: number
  n: number
  reason: VersionReason
  digest: Uint8Array
  truncated: string
  etag: string
  lastModified: string
  body: BodyState
  original: number
  links: number
}

/** The columns of `known`, in order. Rows are arrays, since naming the columns of every row takes as long as reading them. */
type KnownRow = [
  url: string,
  run: number,
  firstAt: number,
  versions: number,
  checkedAt: number,
  status: number,
  versionId: number,
  etag: string,
  lastModified: string,
  digest: Uint8Array,
  text: Uint8Array | null,
  textRules: number,
  truncated: string,
  body: BodyState,
  notModified: number,
  isCopy: 0 | 1,
  linkKeys: Uint8Array,
  linkNaming: number,
  linkText: string | null,
]

type Content = Pick<BodyCapture, 'at' | 'status' | 'address'> & {
  [name in Exclude<keyof typeof noContent, 'completed'>]: BodyCapture[name]
} & { completed?: string | undefined }

const noted: CaptureOutcome = { kind: 'noted' }

/**
 * Records captures. `rules/versioning.ts` decides how a document and its versions change; this carries it out, in one transaction
 * per batch.
 */
export function createSqliteDocuments(db: Database, archive: ReturnType<typeof createArchiveWriter>): DocumentStore {
  const sql = prepareStatements(db)
  let nextVersion = 0
  /** Number of documents inserted. */
  let inserted = 0
  const ahead = createWriteAhead(db, sql, archive)
  let last: Promise<unknown> = Promise.resolve()

  async function recordNext(captures: readonly Capture[]): Promise<CaptureOutcome[]> {
    try {
      await ahead.write(captures)
      const outcomes = db.write(() => {
        // Version ids are shared by all shards: the write lock held here reserves the next one for us.
        nextVersion = (sql.lastVersion.get() as { id: number }).id + 1
        const results = captures.map(recordOne)
        archive.flush()
        return results
      })
      archive.committed()
      return outcomes
    } catch (error) {
      archive.rollback()
      throw storeError(error, db.path)
    } finally {
      ahead.clear()
    }
  }

  /** Most captures are of a new document with a new body: trying to insert both also tells whether they are known. */
  function recordBody(capture: BodyCapture): CaptureOutcome {
    const added = insertPage(capture)
    if (added !== null) return addBody(capture, added, 1, 'new', 0)
    const known = sql.current.get(capture.host, capture.fp) as Known
    const decision = decideBody(capture, known, known.id === 0 ? null : known, () => hasLinksOf(known, capture))
    switch (decision.kind) {
      case 'add':
        supersede(known)
        note(capture, nextVersion, decision.note)
        return addBody(capture, known.documentId, known.n + 1, decision.reason, known.links)
      case 'confirm':
        return confirm(capture, known, decision)
      default:
        note(capture, known.id, decision.note)
        return { kind: 'incomplete' }
    }
  }

  function confirm(
    capture: BodyCapture,
    known: Known,
    { refill, renewValidators, relink, note: noted }: Extract<VersionDecision, { kind: 'confirm' }>,
  ): CaptureOutcome {
    if (refill) refillVersion(capture, known.id)
    note(capture, known.id, noted)
    if (renewValidators) sql.renew.run(capture.etag, capture.lastModified, known.id)
    if (relink) sql.relink.run(linkRow(capture, known.id, known.links), known.id)
    if (relink || known.original === known.id) return { kind: 'unchanged', duplicate: false }
    const original = sql.documentOf.get(known.original) as { document: number; run: number } | undefined
    return {
      kind: 'unchanged',
      duplicate: original !== undefined && wasMetElsewhere(original, known.documentId, capture.run),
    }
  }

  function supersede({ id, seenAt }: Known): void {
    if (id > 0) sql.supersede.run(seenAt, id)
  }

  function addBody(
    capture: BodyCapture,
    documentId: number,
    n: number,
    reason: VersionReason,
    previousLinks: number,
  ): CaptureOutcome {
    const id = nextVersion++
    const original = insertBody(capture, id)
    const record = ahead.keep(capture, id, original)
    const links = linkRow(capture, id, previousLinks)
    const originalId = original?.version ?? id
    if (n === 1 && reason === 'new' && capture.truncated === '' && (capture.completed ?? '') === '')
      insertFirst(id, documentId, capture, originalId, record, links)
    else insertVersion(id, documentId, n, reason, capture, '', 'kept', originalId, record, links)
    if (original !== null) sql.setOutcome.run('duplicate', documentId)
    return outcomeOfBody(id, reason, original)
  }

  /** Returns the version that already has an equal body; null if the body is stored under this version from now on. */
  function insertBody({ digest }: BodyCapture, versionId: number): Original | null {
    return sql.insertBody.run(digest, versionId).changes === 1 ? null : (sql.body.get(digest) as Original)
  }

  function insertFirst(
    id: number,
    documentId: number,
    capture: BodyCapture,
    originalId: number,
    { fileId, offset, length }: RecordPointer,
    links: number,
  ): void {
    const { at, status, type, size, digest, text, textRules, etag, lastModified, title, address } = capture
    sql.insertFirst.run(
      id,
      documentId,
      at,
      status,
      type,
      size,
      digest,
      text,
      textRules,
      etag,
      lastModified,
      title,
      address,
      originalId,
      fileId,
      offset,
      length,
      links,
    )
  }

  function insertVersion(
    id: number,
    documentId: number,
    n: number,
    reason: VersionReason,
    content: Content,
    location: string,
    body: BodyState,
    originalId: number,
    { fileId, offset, length }: RecordPointer,
    links: number,
  ): void {
    sql.insertVersion.run(
      id,
      documentId,
      n,
      reason,
      content.at,
      content.status,
      content.type,
      content.size,
      content.digest,
      content.text,
      content.textRules,
      content.etag,
      content.lastModified,
      content.truncated,
      content.completed ?? '',
      content.title,
      content.address,
      location,
      body,
      originalId,
      fileId,
      offset,
      length,
      links,
    )
  }

  /** Restores the record of a version that was lost or collected. */
  function refillVersion(capture: BodyCapture, versionId: number): void {
    const original = insertBody(capture, versionId)
    const { fileId, offset, length } = ahead.keep(capture, versionId, original)
    const { digest, size, text, textRules } = capture
    sql.refill.run(digest, size, text, textRules, original?.version ?? versionId, fileId, offset, length, versionId)
  }

  /** Lists whose fingerprints were made by other rules can't be compared: they count as equal. */
  function hasLinksOf({ links }: Known, capture: BodyCapture): boolean {
    const before = sql.linkList.get(links) as { naming: number; list: string } | undefined
    if (before !== undefined && before.naming !== capture.linkNaming) return true
    return (before?.list ?? '') === linkTextOf(capture)
  }

  /** The row with the version's links: that of the previous version if they are the same. */
  function linkRow(capture: BodyCapture, versionId: number, previous: number): number {
    const list = linkTextOf(capture)
    const before =
      previous === 0 ? undefined : (sql.linkList.get(previous) as { naming: number; list: string } | undefined)
    if (before?.list === list && before.naming === capture.linkNaming) return previous
    if (list === '') return 0
    sql.insertLinks.run(versionId, capture.linkNaming, capture.linkKeys, list)
    return versionId
  }

  /** Null if the document already exists. */
  function insertPage({ host, fp, url, parent, at, run, status, freshUntil, check }: BodyCapture): number | null {
    const forAll = isForAll(check) ? 1 : 0
    const { changes, lastInsertRowid } = sql.insertPage.run(
      host,
      fp,
      url,
      parent,
      at,
      run,
      status,
      nextVersion,
      freshUntil,
      forAll,
    )
    if (changes === 0) return null
    inserted++
    return Number(lastInsertRowid)
  }

  /** Inserts a document without a version. */
  function insertNoted(capture: NoteCapture | GoneCapture): void {
    const { host, fp, url, parent, at, run, status, outcome, location, check } = capture
    const reason = 'reason' in capture ? capture.reason : ''
    const failures = failuresAfter(null, { at, outcome })
    const forAll = isForAll(check) ? 1 : 0
    const { changes } = sql.insertNoted.run(
      ...[host, fp, url, parent, at, run, status, outcome, reason, failures, location, forAll],
    )
    if (changes !== 0) inserted++
  }

  function note(capture: Capture, version: number, noted: DocumentNote): void {
    const { outcome, reason, seenAt, notModified, freshUntil } = noted
    const { at, run, status, host, fp } = capture
    const location = 'location' in capture ? capture.location : ''
    sql.note.run(at, run, status, outcome, reason, location, version, seenAt, notModified, freshUntil, host, fp)
  }

  function recordNote(capture: NoteCapture): CaptureOutcome {
    const { at, run, status, outcome, reason, location, host, fp } = capture
    const isThere = confirmsCurrent(capture)
      ? confirmNote(sql.confirm, capture)
      : sql.attempt.run(at, run, status, outcome, reason, location, host, fp).changes === 1
    if (!isThere) insertNoted(capture)
    return noted
  }

  function confirmNote(statement: StatementSync, { at, run, status, freshUntil, host, fp }: NoteCapture): boolean {
    return statement.run(at, run, status, at, freshUntil, host, fp).changes === 1
  }

  function recordGone(capture: GoneCapture): CaptureOutcome {
    const known = sql.current.get(capture.host, capture.fp) as Known | undefined
    if (known === undefined) {
      insertNoted(capture)
      return noted
    }
    const decision = decideGone(capture, known, known.id === 0 ? null : known)
    if (decision.kind === 'note') {
      note(capture, known.id, decision.note)
      return noted
    }
    supersede(known)
    const id = nextVersion++
    const { at, status, address, location } = capture
    const content = { ...noContent, at, status, address }
    const record = archive.append(id, capture.render())
    insertVersion(id, known.documentId, known.n + 1, 'gone', content, location, 'none', id, record, 0)
    note(capture, id, decision.note)
    return { kind: 'gone', versionId: id }
  }

  function recordOne(capture: Capture): CaptureOutcome {
    if (isForAll(capture.check)) return keepForAll(capture)
    const before = sql.lastChecker.get(capture.host, capture.fp) as { run: number } | undefined
    const outcome = keep(capture)
    sql.reach.run(capture.check.watch, capture.hops, capture.host, capture.fp)
    if (capture.silent === true) return outcome
    const news = newsOf(outcome)
    if (news !== null) queueTask(capture, news, 1)
    else if (mayBringKnown(capture, before?.run ?? 0)) queueKnown(capture)
    return outcome
  }

  /** Pages crawled for all are wanted even if no profile needs them. The first line is a fast path: in a later crawl most are unchanged. */
  function keepForAll(capture: Capture): CaptureOutcome {
    if (capture.kind === 'note' && confirmsCurrent(capture) && confirmNote(sql.confirmShared, capture)) return noted
    const before = inserted
    const outcome = keep(capture)
    // A new document is inserted as `forAll`.
    if (inserted > before) return outcome
    const { host, fp } = capture
    if (sql.share.run(host, fp).changes === 1) sql.wantCurrent.run(host, fp)
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
        return noted
    }
  }

  function queueKnown(capture: Capture): void {
    const current = sql.currentOf.get(capture.host, capture.fp) as
      | (TaskVersion & { n: number; document: number })
      | undefined
    if (current === undefined) return
    const withText =
      current.reason === 'links'
        ? (sql.withText.get(current.document, current.n) as TaskVersion | undefined)
        : undefined
    const due = dueVersion(capture.check, current, withText)
    if (due !== null) queueTask(capture, due, 0)
  }

  function queueTask({ check: { watch, round, first }, hops }: Capture, versionId: number, made: 0 | 1): void {
    sql.insertTask.run(versionId, watch, hops, round, first ? 1 : 0, made)
  }

  return {
    record(captures) {
      const recording = last.then(() => recordNext(captures))
      last = recording.catch(() => {})
      return recording
    },
    async find(keys) {
      return db.readTogether(() =>
        keys.map(({ host, fp }) => {
          const row = sql.known.get(host, fp) as KnownRow | undefined
          return row === undefined ? null : knownOf(row)
        }),
      )
    },
    async links(known) {
      return db.readTogether(() =>
        known.map(({ versionId, url }) => {
          const row = sql.links.get(versionId) as [list: string] | undefined
          return row === undefined ? [] : unpackLinks(row[0], url)
        }),
      )
    },
  }
}

function knownOf(row: KnownRow): KnownDocument {
  const known: KnownDocument = {
    ...{ url: row[0], run: row[1], firstAt: row[2], versions: row[3], checkedAt: row[4], status: row[5] },
    ...{ versionId: row[6], etag: row[7], lastModified: row[8], digest: row[9], text: row[10], textRules: row[11] },
    ...{ truncated: row[12], body: row[13], notModified: row[14], isCopy: row[15] === 1 },
    ...{ linkKeys: row[16], linkNaming: row[17] },
  }
  if (row[18] !== null) known.linkText = row[18]
  return known
}
