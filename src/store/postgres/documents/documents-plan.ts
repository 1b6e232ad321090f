import type { Capture, CaptureOutcome } from '../../contracts/documents.ts'
import type { VersionReason } from '../../contracts/versions.ts'
import { packLinks } from '../../rules/link-text.ts'
import { partsOf, type RecordPart } from '../archive/record-parts.ts'
import type { DocumentState, LinkRow, RefillRow, TaskRow, VersionRow, VersionState } from './documents-state.ts'
import { taskOf } from './documents-tasks.ts'
import { linkHash } from './link-hash.ts'

/** The version that a body is kept under, its document, and the run that met the document last. */
export type Original = { version: number; at: number; url: string; document: number; run: number }

export type RecordRow = { id: number; parts: RecordPart[] }

export type BodyCapture = Extract<Capture, { kind: 'body' }>
type NoteCapture = Extract<Capture, { kind: 'note' }>
type GoneCapture = Extract<Capture, { kind: 'gone' }>

/** A version that refers to the body of another one. */
export type Reference = { version: number; record: number; original: number; capture: BodyCapture }

export type PlanDeps = {
  /** Documents of the captures that are there, by `keyOf`. */
  documents: Map<string, DocumentState>
  /** Ids of documents and versions to be used, in rising order. */
  nextId(): number
  /** Where a body is kept, by its digest in hexadecimal; bodies of this plan are added. */
  originals: Map<string, Original>
}

/** Its validators stood still while the content changed: they are not asked for again. */
const VALIDATORS_LIE = -1
const noDigest = Buffer.alloc(0)

export const keyOf = ({ host, fp }: { host: string; fp: bigint }): string => `${fp} ${host}`

/**
 * What a batch of captures of one partition makes of its rows, worked out in memory: captures change the states of documents and versions
 * one after the other, and in the end each row is written once.
 *
 * A document's versions are ordered by number; the current one is the last. When a capture differs from it, it is
 * superseded: the moment it was last seen moves from the document's row, where each check notes it, to its own.
 */
export function createPlan({ documents, nextId, originals }: PlanDeps) {
  const changedDocuments = new Set<DocumentState>()
  const changedVersions = new Set<VersionState>()
  const newVersions = new Map<number, VersionRow>()
  const runs = new Map<number, DocumentState>()
  const links = new Map<number, LinkRow>()
  const refills: RefillRow[] = []
  const records: RecordRow[] = []
  const tasks: TaskRow[] = []
  const references: Reference[] = []
  const bodies = new Map<string, { digest: Buffer; version: number }>()
  for (const document of documents.values()) runs.set(document.id, document)

  function insertDocument(capture: Capture, outcome: string): DocumentState {
    const { host, fp, url, parent, at, run, status } = capture
    const location = 'location' in capture ? capture.location : ''
    const times = { firstAt: at, checkedAt: at, seenAt: 0, freshUntil: 0, notModified: 0 }
    const key = { id: nextId(), host, fp, url, parent }
    const document = { ...key, ...times, run, status, outcome, location, version: 0, current: null }
    documents.set(keyOf(capture), document)
    runs.set(document.id, document)
    changedDocuments.add(document)
    return document
  }

  type Note = { outcome: string; seenAt: number; notModified: number; freshUntil?: number | null }

  function note(document: DocumentState, capture: Capture, { outcome, seenAt, notModified, freshUntil }: Note): void {
    attempt(document, capture, outcome)
    document.seenAt = seenAt
    document.notModified = notModified
    document.freshUntil = freshUntil ?? document.freshUntil
  }

  function attempt(document: DocumentState, capture: Capture, outcome: string): void {
    document.checkedAt = capture.at
    document.run = capture.run
    document.status = capture.status
    document.outcome = outcome
    document.location = 'location' in capture ? capture.location : ''
    changedDocuments.add(document)
  }

  function change(version: VersionState): void {
    if (!newVersions.has(version.id)) changedVersions.add(version)
  }

  function recordBody(capture: BodyCapture): CaptureOutcome {
    const known = documents.get(keyOf(capture))
    const document = known ?? insertDocument(capture, 'stored')
    const { current } = document
    if (current === null) return replace(capture, document, 'new')
    if (current.reason === 'gone') return replace(capture, document, 'back')
    if (capture.digest.equals(current.digest)) return confirm(capture, document, current, true)
    if (capture.sameTextAs === current.id) return confirm(capture, document, current, false)
    // What came in time says nothing about what did not; the whole page that is kept is worth more.
    if (capture.truncated === 'time' && current.truncated === '') {
      note(document, capture, { outcome: 'failed', seenAt: document.seenAt, notModified: document.notModified })
      return { kind: 'incomplete' }
    }
    return replace(capture, document, 'changed')
  }

  function confirm(
    capture: BodyCapture,
    document: DocumentState,
    current: VersionState,
    sameBody: boolean,
  ): CaptureOutcome {
    // Lost, or collected before somebody came who has not seen it yet.
    const isMissed = current.body === 'lost' || (current.body === 'dropped' && capture.check.first)
    if (isMissed) refill(capture, document, current)
    const notModified = Math.min(document.notModified, 0)
    note(document, capture, { outcome: 'unchanged', seenAt: capture.at, notModified, freshUntil: capture.freshUntil })
    if (current.etag !== capture.etag || current.lastModified !== capture.lastModified) {
      current.etag = capture.etag
      current.lastModified = capture.lastModified
      change(current)
    }
    // Behind the same words there may be other links. They are those of the page from now on.
    if (!sameBody) relink(capture, current)
    const isOwn = !sameBody || current.original === current.id
    return { kind: 'unchanged', duplicate: !isOwn && wasSeenElsewhere(capture, current.original, document.id) }
  }

  /** Whether the body was met in this run under another URL than the document's own. */
  function wasSeenElsewhere({ digest, run }: BodyCapture, version: number, documentId: number): boolean {
    const original = originals.get(digest.toString('hex'))
    return original?.version === version && original.document !== documentId && runOf(original) === run
  }

  const runOf = ({ document, run }: Original): number => runs.get(document)?.run ?? run

  function relink(capture: BodyCapture, version: VersionState): void {
    const before = version.links
    linkUp(capture, version, version)
    if (version.links !== before) change(version)
  }

  /** Gives the version its links: the list of the version before where it is the same. */
  function linkUp(
    { links: found, url, linkNaming, linkKeys }: BodyCapture,
    to: VersionState,
    from: VersionState | null,
  ) {
    const list = packLinks(found, url)
    const hash = list === '' ? null : linkHash(list, linkNaming)
    if (hash !== null && from?.linkHash?.equals(hash) === true) {
      to.links = from.links
      to.linkHash = hash
      return
    }
    to.links = hash === null ? 0 : to.id
    to.linkHash = hash
    if (hash !== null) links.set(to.id, { id: to.id, naming: linkNaming, hash, list, keys: linkKeys })
  }

  function replace(capture: BodyCapture, document: DocumentState, reason: VersionReason): CaptureOutcome {
    const { current } = document
    supersede(document)
    const lies = reason === 'changed' && keptItsValidators(capture, current!)
    const notModified = lies || document.notModified < 0 ? VALIDATORS_LIE : 0
    note(document, capture, { outcome: 'stored', seenAt: capture.at, notModified, freshUntil: capture.freshUntil })
    return addBody(capture, document, reason)
  }

  function supersede({ current, seenAt }: DocumentState): void {
    if (current === null) return
    current.seenAt = seenAt
    change(current)
  }

  function addVersion(document: DocumentState, version: VersionRow): void {
    newVersions.set(version.id, version)
    document.version = version.id
    document.current = version
    changedDocuments.add(document)
  }

  function addBody(capture: BodyCapture, document: DocumentState, reason: VersionReason): CaptureOutcome {
    const { current } = document
    const id = nextId()
    const { original, stored } = keepBody(capture, document, id, id)
    const { at, status, type, size, digest, text, textRules, etag, lastModified, truncated, title, address } = capture
    const version: VersionRow = {
      ...{ id, document: document.id, n: (current?.n ?? 0) + 1, reason, at, seenAt: at, status, type, size, digest },
      ...{ text, textRules, etag, lastModified, truncated, title, address, location: '', body: 'kept' as const },
      ...{ original: original?.version ?? id, record: id, length: stored, links: 0, linkHash: null },
    }
    linkUp(capture, version, current)
    addVersion(document, version)
    if (original === null) return { kind: 'stored', versionId: id }
    document.outcome = 'duplicate'
    const linksOffered = original.document !== document.id && runOf(original) === capture.run
    return { kind: 'duplicate', versionId: id, of: original.url, linksOffered }
  }

  /** Brings back the record of a version that was lost. */
  function refill(capture: BodyCapture, document: DocumentState, current: VersionState): void {
    const record = nextId()
    const { original, stored } = keepBody(capture, document, current.id, record)
    const { digest, size, text, textRules } = capture
    const source = original?.version ?? current.id
    refills.push({ id: current.id, digest, size, text, textRules, original: source, record, length: stored })
    Object.assign(current, { body: 'kept', digest, original: source })
  }

  /** Archives the body itself, or a reference to where it is kept. */
  function keepBody(capture: BodyCapture, document: DocumentState, version: number, record: number) {
    const name = capture.digest.toString('hex')
    const original = originals.get(name) ?? null
    const stored = archive(record, capture.render(original === null ? null : { url: original.url, at: original.at }))
    if (original === null) {
      const { at, digest } = capture
      originals.set(name, { version, at, url: document.url, document: document.id, run: capture.run })
      bodies.set(name, { digest, version })
    } else references.push({ version, record, original: original.version, capture })
    return { original, stored }
  }

  function archive(id: number, pieces: readonly Uint8Array[]): number {
    const parts = partsOf(pieces)
    records.push({ id, parts })
    return parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  function recordNote(capture: NoteCapture): CaptureOutcome {
    const document = documents.get(keyOf(capture))
    if (document === undefined) insertDocument(capture, capture.outcome)
    else if (capture.outcome !== 'unchanged') attempt(document, capture, capture.outcome)
    else {
      const { at, freshUntil } = capture
      note(document, capture, { outcome: 'unchanged', seenAt: at, notModified: document.notModified + 1, freshUntil })
      document.location = ''
    }
    return { kind: 'noted' }
  }

  function recordGone(capture: GoneCapture): CaptureOutcome {
    const { at, status, address, location, outcome } = capture
    const document = documents.get(keyOf(capture))
    if (document === undefined) {
      insertDocument(capture, outcome)
      return { kind: 'noted' }
    }
    const { current } = document
    if (current === null || current.reason === 'gone') {
      note(document, capture, { outcome, seenAt: current === null ? 0 : at, notModified: 0 })
      return { kind: 'noted' }
    }
    supersede(document)
    const id = nextId()
    const length = archive(id, capture.render())
    note(document, capture, { outcome, seenAt: at, notModified: Math.min(document.notModified, 0) })
    addVersion(document, {
      ...{ id, document: document.id, n: current.n + 1, reason: 'gone', at, seenAt: at, status, address, location },
      ...{ type: '', size: 0, digest: noDigest, text: null, textRules: 0, etag: '', lastModified: '', truncated: '' },
      ...{ title: '', body: 'none' as const, original: id, record: id, length, links: 0, linkHash: null },
    })
    return { kind: 'gone', versionId: id }
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

  return {
    record(capture: Capture): CaptureOutcome {
      if (capture.check.watch === 0) return keep(capture)
      const lastChecker = documents.get(keyOf(capture))?.run ?? 0
      const outcome = keep(capture)
      const task = taskOf(capture, outcome, documents.get(keyOf(capture)), lastChecker)
      if (task !== null) tasks.push(task)
      return outcome
    },
    changes: () => ({
      documents: [...changedDocuments],
      newVersions: [...newVersions.values()],
      changedVersions: [...changedVersions],
      refills,
      links: [...links.values()],
      records,
      tasks,
      references,
      bodies: [...bodies.values()],
    }),
  }
}

export type PlannedChanges = ReturnType<ReturnType<typeof createPlan>['changes']>

function keptItsValidators(capture: BodyCapture, current: VersionState): boolean {
  if (capture.etag !== '' || current.etag !== '') return capture.etag === current.etag
  return capture.lastModified !== '' && capture.lastModified === current.lastModified
}
