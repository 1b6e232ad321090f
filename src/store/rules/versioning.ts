import { isForAll } from '../../core/request.ts'
import type { BodyState, Capture, CaptureOutcome, NoteOutcome } from '../contracts/documents.ts'
import type { VersionReason } from '../contracts/versions.ts'

/**
 * Decides how a capture changes a document. A document is
 * - unknown: it has no row;
 * - without a version: it was requested, but no body came;
 * - there: its current version has a body (`new`, `changed` or `back`);
 * - gone: its current version is a `gone` one.
 *
 * A document's versions are numbered; the last one is current. When a capture differs from it, it is superseded: its
 * last-seen time moves from the document's row, where each check updates it, to its own row.
 *
 * Both engines decide here and carry the decision out in their own way. An engine that tries to insert the document first
 * need not ask about an unknown one: a body is its first version (`new`), anything else only adds the document's row.
 */
export type VersionDecision =
  /** The capture becomes the current version. */
  | { kind: 'add'; reason: AddedReason; note: DocumentNote }
  /** The current version was seen again. */
  | { kind: 'confirm'; note: DocumentNote; refill: boolean; renewValidators: boolean; relink: boolean }
  /** Cut off, while the stored version is complete. */
  | { kind: 'incomplete'; note: DocumentNote }
  /** A `gone` version is added. */
  | { kind: 'gone'; note: DocumentNote }
  /** Only the document's row changes. */
  | { kind: 'note'; note: DocumentNote }

export type AddedReason = Exclude<VersionReason, 'gone'>

/** Values for the document's row, in addition to time, run, status and location of the capture. */
export type DocumentNote = {
  outcome: string
  reason: string
  seenAt: number
  notModified: number
  /** Null leaves it unchanged. */
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

/** The validators stayed the same while the content changed: they are no longer sent. */
const VALIDATORS_LIE = -1

/** Decides on a body for a document that has a row. `sameLinks` compares its links with those of the current version. */
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
    // Page and links of a version must agree, so the same text with other links is a separate version.
    return add(capture, known, 'links', keptItsValidators(capture, current))
  }
  // Part of a page says nothing about the rest; keep the stored whole page.
  if (capture.truncated === 'time' && current.truncated === '') {
    const { seenAt, notModified } = known
    return {
      kind: 'incomplete',
      note: { outcome: 'failed', reason: 'total-timeout', seenAt, notModified, freshUntil: null },
    }
  }
  // Unchanged validators are correct if only the truncation differs.
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
    // The body was lost; or it was collected, and is needed again by a new watcher or a crawl for all.
    refill: body === 'lost' || (body === 'dropped' && (capture.check.first || isForAll(capture.check))),
    renewValidators: etag !== capture.etag || lastModified !== capture.lastModified,
    // Recomputes the fingerprints of links that were made by other rules.
    relink: !sameBody,
  }
}

function keptItsValidators(capture: BodyCapture, current: CurrentVersion): boolean {
  if (capture.etag !== '' || current.etag !== '') return capture.etag === current.etag
  return capture.lastModified !== '' && capture.lastModified === current.lastModified
}

/** Decides on a document that has a row and is gone or has moved. */
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

/** Whether an answer without a body confirms the current version and increments `notModified`; otherwise it is recorded as an attempt. */
export const confirmsCurrent = ({ outcome }: NoteCapture): boolean => outcome === 'unchanged'

/** Outcomes of a request that leave a document unread. */
const badOutcomes: readonly string[] = ['failed', 'skipped'] satisfies NoteOutcome[]

/** Number of consecutive failed requests after this one. Recording the same capture again doesn't count. */
export function failuresAfter(
  before: { failures: number; checkedAt: number } | null,
  { at, outcome }: { at: number; outcome: string },
): number {
  if (!badOutcomes.includes(outcome)) return 0
  return (before?.failures ?? 0) + (before?.checkedAt === at ? 0 : 1)
}

/** Content fields of a `gone` version. */
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

/** The version that a body is stored under, its document, and the last run that fetched the document. */
export type Original = { version: number; at: number; url: string; document: number; run: number }

/** Whether the body was fetched in this run under another URL. */
export function wasMetElsewhere(original: { document: number; run: number }, documentId: number, run: number): boolean {
  return original.document !== documentId && original.run === run
}

/** Outcome of adding a version. `original` is null if the body is stored under this version. */
export function outcomeOfBody(versionId: number, reason: VersionReason, original: Original | null): CaptureOutcome {
  if (reason === 'links') return { kind: 'relinked', versionId }
  return original === null ? { kind: 'stored', versionId } : { kind: 'duplicate', versionId, of: original.url }
}

const listed = badOutcomes.map((outcome) => `'${outcome}'`).join(', ')

/** SQL expressions of both engines, for a document `d` with its current version `v`. */
export const versionSql = {
  /** Uses the document's columns without an alias. */
  isBad: `outcome IN (${listed})`,
  /** `failuresAfter`, for an update that knows only the capture. */
  failuresAfter: (outcome: string, at: string): string =>
    `CASE WHEN ${outcome} IN (${listed}) THEN failures + (checked_at <> ${at}) ELSE 0 END`,
  /** 0 if there is none or it is gone. */
  knownVersion: `CASE WHEN v.reason IS NULL OR v.reason = 'gone' THEN 0 ELSE d.version END`,
  /** Empty, so that the request is unconditional, if the body is lost or the validators were found unreliable. */
  validator: (column: 'etag' | 'last_modified'): string =>
    `CASE WHEN v.body <> 'lost' AND d.not_modified >= 0 THEN v.${column} ELSE '' END`,
  /** Its body is stored under another version. */
  isCopy: 'coalesce(v.original <> v.id, false)',
  lastSeenAt: 'CASE WHEN d.version = v.id THEN d.seen_at ELSE v.seen_at END',
  /** Body state after the record was damaged. If there never was a body, only the response header is lost. */
  bodyOnceLost: `CASE WHEN body = 'none' THEN body ELSE 'lost' END`,
} as const

/** Number of versions whose body can no longer be read, and the URLs of the first ones. */
export type LostVersions = { count: number; urls: string[] }

const MAX_NAMED = 3

export function noteLost(lost: LostVersions, urlOf: () => string | undefined): void {
  lost.count++
  const url = lost.urls.length < MAX_NAMED ? urlOf() : undefined
  if (url !== undefined) lost.urls.push(url)
}
