import { isForAll } from '../../core/request.ts'
import type { BodyState, Capture, CaptureOutcome, NoteOutcome } from '../contracts/documents.ts'
import type { VersionReason } from '../contracts/versions.ts'

/**
 * What a capture makes of a document. A document is
 * - unknown: it has no row;
 * - without a version: it was asked for, and no body came;
 * - there: its current version has a body (`new`, `changed` or `back`);
 * - gone: its current version says so.
 *
 * A document's versions are numbered; the current one is the last. When a capture differs from it, it is superseded: the
 * time it was last seen moves from the document's row, where each check notes it, to its own.
 *
 * Both engines ask here and carry the decision out in their own way. An engine that tries to insert the document first
 * knows the answer for an unknown one: a body is its first version (`new`), anything else only enters its row.
 */
export type VersionDecision =
  /** The capture becomes the current version. */
  | { kind: 'add'; reason: AddedReason; note: DocumentNote }
  /** The current version was seen again. */
  | { kind: 'confirm'; note: DocumentNote; refill: boolean; renewValidators: boolean; relink: boolean }
  /** Broken off, and less than what is kept. */
  | { kind: 'incomplete'; note: DocumentNote }
  /** A version that says so is added. */
  | { kind: 'gone'; note: DocumentNote }
  /** Nothing but the document's row changes. */
  | { kind: 'note'; note: DocumentNote }

export type AddedReason = Exclude<VersionReason, 'gone'>

/** What is written to the document's row, beside time, run, status and location of the capture. */
export type DocumentNote = {
  outcome: string
  reason: string
  seenAt: number
  notModified: number
  /** Null leaves it as it was. */
  freshUntil: number | null
}

export type BodyCapture = Extract<Capture, { kind: 'body' }>
export type NoteCapture = Extract<Capture, { kind: 'note' }>
export type GoneCapture = Extract<Capture, { kind: 'gone' }>

type KnownState = { seenAt: number; notModified: number }

type CurrentVersion = {
  id: number
  reason: VersionReason
  digest: Uint8Array
  truncated: string
  etag: string
  lastModified: string
  body: BodyState
}

/** Its validators stayed the same while the content changed: they are not sent any more. */
const VALIDATORS_LIE = -1

/** A body that came for a document with a row. `sameLinks` compares its links with those of the current version. */
export function decideBody(
  capture: BodyCapture,
  known: KnownState,
  current: CurrentVersion | null,
  sameLinks: () => boolean,
): VersionDecision {
  if (current === null) return add(capture, known, 'new', false)
  if (current.reason === 'gone') return add(capture, known, 'back', false)
  if (capture.differsFrom === current.id) return add(capture, known, 'changed', false)
  if (capture.digest.equals(current.digest)) return confirm(capture, known, current, true)
  if (capture.sameTextAs === current.id) {
    if (sameLinks()) return confirm(capture, known, current, false)
    // A version's page and links agree: the same words with other links are a version of their own.
    return add(capture, known, 'links', keptItsValidators(capture, current))
  }
  // A part of a page says nothing about the rest; the whole page that is kept is worth more.
  if (capture.truncated === 'time' && current.truncated === '') {
    const { seenAt, notModified } = known
    return {
      kind: 'incomplete',
      note: { outcome: 'failed', reason: 'total-timeout', seenAt, notModified, freshUntil: null },
    }
  }
  // More or less of the same page is no lie.
  const isLie = capture.truncated === current.truncated && keptItsValidators(capture, current)
  return add(capture, known, 'changed', isLie)
}

function add(
  { at, freshUntil, completed }: BodyCapture,
  { notModified: before }: KnownState,
  reason: AddedReason,
  validatorsLie: boolean,
): VersionDecision {
  const notModified = validatorsLie || before < 0 ? VALIDATORS_LIE : completed ? before + 1 : 0
  return { kind: 'add', reason, note: { outcome: 'stored', reason: '', seenAt: at, notModified, freshUntil } }
}

function confirm(
  capture: BodyCapture,
  { notModified: before }: KnownState,
  { body, etag, lastModified }: CurrentVersion,
  sameBody: boolean,
): VersionDecision {
  const { at, freshUntil } = capture
  return {
    kind: 'confirm',
    note: {
      outcome: 'unchanged',
      reason: '',
      seenAt: at,
      notModified: capture.completed && before >= 0 ? before + 1 : Math.min(before, 0),
      freshUntil,
    },
    // Lost, or collected before a new watcher came who has not seen it yet, or a crawl for all.
    refill: body === 'lost' || (body === 'dropped' && (capture.check.first || isForAll(capture.check))),
    renewValidators: etag !== capture.etag || lastModified !== capture.lastModified,
    // Links that were named by other rules are named anew.
    relink: !sameBody,
  }
}

function keptItsValidators(capture: BodyCapture, current: CurrentVersion): boolean {
  if (capture.etag !== '' || current.etag !== '') return capture.etag === current.etag
  return capture.lastModified !== '' && capture.lastModified === current.lastModified
}

/** A document with a row that is not there any more, or moved. */
export function decideGone(
  { at, outcome, reason }: GoneCapture,
  { notModified }: KnownState,
  current: Pick<CurrentVersion, 'reason'> | null,
): VersionDecision {
  const freshUntil = null
  if (current === null) return { kind: 'note', note: { outcome, reason, seenAt: 0, notModified: 0, freshUntil } }
  if (current.reason === 'gone')
    return { kind: 'note', note: { outcome, reason, seenAt: at, notModified: 0, freshUntil } }
  return { kind: 'gone', note: { outcome, reason, seenAt: at, notModified: Math.min(notModified, 0), freshUntil } }
}

/** Whether an answer without a body confirms the current version, and counts as one more in a row; else it is noted as an attempt. */
export const confirmsCurrent = ({ outcome }: NoteCapture): boolean => outcome === 'unchanged'

/** Outcomes of a request that leave a document unread. */
const badOutcomes: readonly string[] = ['failed', 'skipped'] satisfies NoteOutcome[]

/** Requests in a row that came to nothing, after another one. The same capture recorded again is not another one. */
export function failuresAfter(
  before: { failures: number; checkedAt: number } | null,
  { at, outcome }: { at: number; outcome: string },
): number {
  if (!badOutcomes.includes(outcome)) return 0
  return (before?.failures ?? 0) + (before?.checkedAt === at ? 0 : 1)
}

/** What a version has that says its document is gone. */
export const noContent = {
  type: '',
  size: 0,
  digest: Buffer.alloc(0),
  text: null,
  textRules: 0,
  etag: '',
  lastModified: '',
  truncated: '',
  completed: '',
  title: '',
} as const

/** The version that a body is kept under, its document, and the run that met the document last. */
export type Original = { version: number; at: number; url: string; document: number; run: number }

/** Whether the body was met in this run under another URL. */
export function wasMetElsewhere(original: { document: number; run: number }, documentId: number, run: number): boolean {
  return original.document !== documentId && original.run === run
}

/** What came of a new version, by where its body is kept: null when it is kept under this one. */
export function outcomeOfBody(versionId: number, reason: VersionReason, original: Original | null): CaptureOutcome {
  if (reason === 'links') return { kind: 'relinked', versionId }
  return original === null ? { kind: 'stored', versionId } : { kind: 'duplicate', versionId, of: original.url }
}

const listed = badOutcomes.map((outcome) => `'${outcome}'`).join(', ')

/** Columns of a document `d` with its current version `v`, as conditions of both engines. */
export const versionSql = {
  /** Of a document's own columns. */
  isBad: `outcome IN (${listed})`,
  /** `failuresAfter`, for an update that knows the capture only. */
  failuresAfter: (outcome: string, at: string): string =>
    `CASE WHEN ${outcome} IN (${listed}) THEN failures + (checked_at <> ${at}) ELSE 0 END`,
  /** 0 where there is none or it is gone. */
  knownVersion: `CASE WHEN v.reason IS NULL OR v.reason = 'gone' THEN 0 ELSE d.version END`,
  /** A lost body must be fetched, and validators that lied are not believed: neither is asked for conditionally. */
  validator: (column: 'etag' | 'last_modified'): string =>
    `CASE WHEN v.body <> 'lost' AND d.not_modified >= 0 THEN v.${column} ELSE '' END`,
  /** Its body is kept under another version. */
  isCopy: 'coalesce(v.original <> v.id, false)',
  lastSeenAt: 'CASE WHEN d.version = v.id THEN d.seen_at ELSE v.seen_at END',
  /** A version whose record was damaged. Where there never was a body, only the response header is lost. */
  bodyOnceLost: `CASE WHEN body = 'none' THEN body ELSE 'lost' END`,
} as const

/** Versions whose body can't be read any more, with the URLs of the first ones. */
export type LostVersions = { count: number; urls: string[] }

const MAX_NAMED = 3

export function noteLost(lost: LostVersions, urlOf: () => string | undefined): void {
  lost.count++
  const url = lost.urls.length < MAX_NAMED ? urlOf() : undefined
  if (url !== undefined) lost.urls.push(url)
}
