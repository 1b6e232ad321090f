import { hash } from 'node:crypto'
import { isForAll } from '../../../core/request.ts'
import type { Capture, CaptureOutcome } from '../../contracts/documents.ts'
import type { VersionReason } from '../../contracts/versions.ts'
import { linkTextOf } from '../../rules/link-text.ts'
import { dueVersion, mayBringKnown, newsOf } from '../../rules/tasks.ts'
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
import { partsOf, type RecordPart, storedLength } from '../archive/record-parts.ts'
import type { BodyRow } from './documents-bodies.ts'
import type {
  DocumentState,
  LinkRow,
  ReachedRow,
  RefillRow,
  TaskRow,
  VersionRow,
  VersionState,
} from './documents-state.ts'

export type RecordRow = { id: number; parts: RecordPart[] }

/** A version that refers to the body of another one. */
export type Reference = { version: number; record: number; original: number; capture: BodyCapture }

export type PlanDeps = {
  /** Existing documents of the captures, by `keyOf`. */
  documents: Map<string, DocumentState>
  /** The next id for a document or version, in ascending order. */
  nextId(): number
  /** The version that keeps a body, by its digest in hexadecimal; bodies of this plan are added. */
  originals: Map<string, Original>
  /** Records already prepared, of bodies that will probably be stored. */
  prepared: ReadonlyMap<Capture, RecordPart[]>
}

export const keyOf = ({ host, fp }: { host: string; fp: bigint }): string => `${fp} ${host}`

/** Tells whether two lists of links are the same without transferring either of them. */
export function linkHash(list: string, naming: number): Buffer {
  return hash('sha256', `${naming}\n${list}`, 'buffer').subarray(0, 16)
}

/**
 * Computes in memory how a batch of captures changes the rows of one partition: captures are applied one after the other to the states of
 * documents and versions, and in the end each row is written once. `rules/versioning.ts` decides what becomes of a document.
 */
export function createPlan({ documents, nextId, originals, prepared }: PlanDeps) {
  const changedDocuments = new Set<DocumentState>()
  const changedVersions = new Set<VersionState>()
  const newVersions = new Map<number, VersionRow>()
  const runs = new Map<number, DocumentState>()
  const links = new Map<number, LinkRow>()
  const refills: RefillRow[] = []
  const records: RecordRow[] = []
  const tasks: TaskRow[] = []
  const reached = new Map<string, ReachedRow>()
  /** Current versions of documents that a crawl fetched for the first time. */
  const shared: number[] = []
  const references: Reference[] = []
  const bodies = new Map<string, BodyRow>()
  const unregistered = new Map<string, BodyRow>()
  for (const document of documents.values()) runs.set(document.id, document)

  function insertDocument(capture: Capture, outcome: string): DocumentState {
    const { host, fp, url, parent, at, run, status } = capture
    const location = 'location' in capture ? capture.location : ''
    const reason = 'reason' in capture ? capture.reason : ''
    const failures = failuresAfter(null, { at, outcome })
    const times = { firstAt: at, checkedAt: at, seenAt: 0, freshUntil: 0, notModified: 0 }
    const key = { id: nextId(), host, fp, url, parent }
    const answer = { run, status, outcome, reason, failures, location }
    const document = { ...key, ...times, ...answer, version: 0, forAll: false, current: null }
    documents.set(keyOf(capture), document)
    runs.set(document.id, document)
    changedDocuments.add(document)
    return document
  }

  function note(document: DocumentState, capture: Capture, noted: DocumentNote): void {
    attempt(document, capture, noted)
    document.seenAt = noted.seenAt
    document.notModified = noted.notModified
    document.freshUntil = noted.freshUntil ?? document.freshUntil
  }

  function attempt(
    document: DocumentState,
    capture: Capture,
    { outcome, reason }: Pick<DocumentNote, 'outcome' | 'reason'>,
  ): void {
    document.failures = failuresAfter(document, { at: capture.at, outcome })
    document.reason = reason
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
    const document = documents.get(keyOf(capture)) ?? insertDocument(capture, 'stored')
    const { current } = document
    const decision = decideBody(capture, document, current, () => hasLinksOf(current!, capture))
    if (decision.kind === 'confirm') return confirm(capture, document, current!, decision)
    if (decision.kind === 'add') supersede(document)
    note(document, capture, decision.note)
    return decision.kind === 'add' ? addBody(capture, document, decision.reason) : { kind: 'incomplete' }
  }

  function confirm(
    capture: BodyCapture,
    document: DocumentState,
    current: VersionState,
    decision: Extract<VersionDecision, { kind: 'confirm' }>,
  ): CaptureOutcome {
    if (decision.refill) refill(capture, document, current)
    else findUnregistered(capture, document, current)
    note(document, capture, decision.note)
    if (decision.renewValidators) {
      current.etag = capture.etag
      current.lastModified = capture.lastModified
      change(current)
    }
    if (decision.relink) relink(capture, current)
    const isOwn = decision.relink || current.original === current.id
    return { kind: 'unchanged', duplicate: !isOwn && isMetElsewhere(capture, current.original, document.id) }
  }

  /** Finds a body whose writer was interrupted before registering it. */
  function findUnregistered(capture: BodyCapture, document: DocumentState, { id, at, ...current }: VersionState): void {
    const { digest } = capture
    const name = digest.toString('hex')
    const holdsIt = current.body === 'kept' && current.original === id && current.digest.equals(digest)
    if (!holdsIt || originals.has(name)) return
    originals.set(name, { version: id, at, url: document.url, document: document.id, run: document.run })
    unregistered.set(name, { digest, version: id })
  }

  function isMetElsewhere({ digest, run }: BodyCapture, version: number, documentId: number): boolean {
    const original = originals.get(digest.toString('hex'))
    return original?.version === version && wasMetElsewhere(upToDate(original), documentId, run)
  }

  /** With the last run that fetched its document, as far as this plan knows. */
  const upToDate = (original: Original): Original => ({
    ...original,
    run: runs.get(original.document)?.run ?? original.run,
  })

  function relink(capture: BodyCapture, version: VersionState): void {
    const before = version.links
    linkUp(capture, version, version)
    if (version.links !== before) change(version)
  }

  /** Lists built under different naming rules can't be compared: they count as the same. */
  function hasLinksOf(version: VersionState, capture: BodyCapture): boolean {
    const { linkNaming } = capture
    if (version.linkNaming !== null && version.linkNaming !== linkNaming) return true
    const list = linkTextOf(capture)
    if (list === '' || version.linkHash === null) return list === '' && version.linkHash === null
    return version.linkHash.equals(linkHash(list, linkNaming))
  }

  /** Sets the version's links, sharing the previous version's list if it is the same. */
  function linkUp(capture: BodyCapture, to: VersionState, from: VersionState | null) {
    const { linkNaming, linkKeys } = capture
    const list = linkTextOf(capture)
    const hash = list === '' ? null : linkHash(list, linkNaming)
    if (hash !== null && from?.linkHash?.equals(hash) === true) {
      to.links = from.links
      to.linkHash = hash
      to.linkNaming = linkNaming
      return
    }
    to.links = hash === null ? 0 : to.id
    to.linkHash = hash
    to.linkNaming = hash === null ? null : linkNaming
    if (hash !== null) links.set(to.id, { id: to.id, naming: linkNaming, hash, list, keys: linkKeys })
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
      ...{
        text,
        textRules,
        etag,
        lastModified,
        truncated,
        completed: capture.completed ?? '',
        title,
        address,
        location: '',
        body: 'kept' as const,
      },
      ...{ original: original?.version ?? id, record: id, length: stored, links: 0, linkHash: null, linkNaming: null },
      withText: reason === 'links' ? (current!.withText ?? current!) : undefined,
    }
    linkUp(capture, version, current)
    addVersion(document, version)
    if (original !== null) document.outcome = 'duplicate'
    return outcomeOfBody(id, reason, original)
  }

  /** Restores the record of a version that was lost or collected. */
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
    const stored = archive(
      record,
      (original === null ? prepared.get(capture) : undefined) ??
        partsOf(capture.render(original === null ? null : { url: original.url, at: original.at })),
    )
    if (original === null) {
      const { at, digest } = capture
      originals.set(name, { version, at, url: document.url, document: document.id, run: capture.run })
      bodies.set(name, { digest, version })
    } else references.push({ version, record, original: original.version, capture })
    return { original, stored }
  }

  function archive(id: number, parts: RecordPart[]): number {
    records.push({ id, parts })
    return storedLength(parts)
  }

  function recordNote(capture: NoteCapture): CaptureOutcome {
    const { at, outcome, reason, freshUntil } = capture
    const document = documents.get(keyOf(capture))
    if (document === undefined) insertDocument(capture, outcome)
    else if (!confirmsCurrent(capture)) attempt(document, capture, { outcome, reason })
    else {
      note(document, capture, { outcome, reason: '', seenAt: at, notModified: document.notModified + 1, freshUntil })
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
    const decision = decideGone(capture, document, current)
    if (decision.kind === 'gone') supersede(document)
    note(document, capture, decision.note)
    if (decision.kind !== 'gone') return { kind: 'noted' }
    const id = nextId()
    const length = archive(id, partsOf(capture.render()))
    addVersion(document, {
      ...{
        ...noContent,
        id,
        document: document.id,
        n: current!.n + 1,
        reason: 'gone',
        at,
        seenAt: at,
        status,
        address,
      },
      ...{ location, body: 'none', original: id, record: id, length, links: 0, linkHash: null, linkNaming: null },
    })
    return { kind: 'gone', versionId: id }
  }

  /** Documents crawled for all are wanted, although no profile asked for them. */
  function keepForAll(capture: Capture): CaptureOutcome {
    const outcome = keep(capture)
    const document = documents.get(keyOf(capture))
    if (document === undefined || document.forAll) return outcome
    document.forAll = true
    changedDocuments.add(document)
    if (document.current !== null && !newVersions.has(document.current.id)) shared.push(document.current.id)
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

  function queueTask(capture: Capture, version: number, made: boolean): void {
    const { watch, round, first } = capture.check
    const document = documents.get(keyOf(capture))!.id
    tasks.push({ version, document, watch, hops: capture.hops, round, first, made })
  }

  function reach({ check: { watch }, hops, ...key }: Capture): void {
    const document = documents.get(keyOf(key))?.id
    if (document === undefined) return
    const before = reached.get(`${document} ${watch}`)
    if (before === undefined || before.hops > hops) reached.set(`${document} ${watch}`, { document, watch, hops })
  }

  return {
    record(capture: Capture): CaptureOutcome {
      if (isForAll(capture.check)) return keepForAll(capture)
      const lastChecker = documents.get(keyOf(capture))?.run ?? 0
      const outcome = keep(capture)
      reach(capture)
      if (capture.silent === true) return outcome
      const news = newsOf(outcome)
      if (news !== null) queueTask(capture, news, true)
      else if (mayBringKnown(capture, lastChecker)) {
        const current = documents.get(keyOf(capture))?.current ?? null
        const due = current === null ? null : dueVersion(capture.check, current, current.withText)
        if (due !== null) queueTask(capture, due, false)
      }
      return outcome
    },
    changes: () => ({
      documents: [...changedDocuments],
      newVersions: [...newVersions.values()],
      changedVersions: [...changedVersions],
      refills,
      links: [...links.values()],
      reached: [...reached.values()],
      records,
      tasks,
      shared,
      references,
      bodies: [...bodies.values()],
      unregistered: [...unregistered.values()],
    }),
  }
}

export type PlannedChanges = ReturnType<ReturnType<typeof createPlan>['changes']>
