import type { Check } from '../../core/request.ts'
import type { BodyState, Capture, CaptureOutcome } from '../contracts/documents.ts'
import type { VersionReason } from '../contracts/versions.ts'

/**
 * What becomes a task of the annotation engine, from the moment it is stored:
 * - a version that a capture of the watch made, also if only its links are others;
 * - the current version, found by another watch since this one checked last, although nothing changed in between;
 * - the current version that the watch meets again in the same check, since it may be nearer to the source this time;
 * - on the first check for a new owner, every current version. Of a page that is gone, only those hear who were told of the page: a
 *   first check that was killed may have told them.
 */

/** The version that a capture made and that is news, or null. */
export function newsOf(outcome: CaptureOutcome): number | null {
  return 'versionId' in outcome ? outcome.versionId : null
}

/** A version that may be a task. */
export type TaskVersion = { id: number; reason: VersionReason; body: BodyState }

/**
 * Where only the links of the current version are new, its text came with an earlier one. To a watch that has not seen the text, that
 * one is the news, unless it has no body any more; to all others it is the current version, for its links.
 */
export function dueVersion(check: Check, current: TaskVersion, withText: TaskVersion | undefined): number | null {
  const news = withText ?? current
  if (!isDue(check, news)) return current.id > check.since ? current.id : null
  return news.body === 'kept' || news.reason === 'gone' ? news.id : current.id
}

/** Whether a capture that made no news may still bring a task. `lastChecker` is the run or watch that checked the document before. */
export function mayBringKnown({ kind, check }: Capture, lastChecker: number): boolean {
  return check.first || lastChecker !== check.watch || kind === 'met'
}

/** Whether the version is a task, for a capture that may bring one. */
function isDue({ first, since }: Check, current: { id: number; reason: VersionReason }): boolean {
  return current.id > since || (first && current.reason !== 'gone')
}

/** A task that fails so many times is set aside. */
export const MAX_ATTEMPTS = 3

const MAX_REASON = 500

/** As it is stored and shown: one line. */
export function reasonText(reason: string): string {
  return reason
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
}
