import type { Check } from '../../core/request.ts'
import type { BodyState, Capture, CaptureOutcome } from '../contracts/documents.ts'
import type { VersionReason } from '../contracts/versions.ts'

/**
 * Versions that become tasks of the annotation engine when they are stored:
 * - a version added by a capture of the watch, even if only its links differ;
 * - the current version, if another watch found it since this one last checked, although this capture found no change;
 * - the current version that the watch reaches again in the same check, since it may be closer to the source this time;
 * - on the first check for a new owner, every current version. That a page is gone is only reported to those who were notified of the
 *   page: a first check that was killed may have notified them.
 */

/** The version that a capture added, or null. */
export function newsOf(outcome: CaptureOutcome): number | null {
  return 'versionId' in outcome ? outcome.versionId : null
}

/** A candidate for a task. */
export type TaskVersion = { id: number; reason: VersionReason; body: BodyState }

/**
 * If only the links of the current version are new, its text came with an earlier version. For a watch that has not seen the text, the
 * earlier version is due, unless its body is gone; for all others the current version is, because of its links.
 */
export function dueVersion(check: Check, current: TaskVersion, withText: TaskVersion | undefined): number | null {
  const news = withText ?? current
  if (!isDue(check, news)) return current.id > check.since ? current.id : null
  return news.body === 'kept' || news.reason === 'gone' ? news.id : current.id
}

/** Whether a capture that added no version may still make a task. `lastChecker` is the run or watch that checked the document before. */
export function mayBringKnown({ kind, check }: Capture, lastChecker: number): boolean {
  return check.first || lastChecker !== check.watch || kind === 'met'
}

/** Whether the version is a task, given a capture for which `mayBringKnown` holds. */
function isDue({ first, since }: Check, current: { id: number; reason: VersionReason }): boolean {
  return current.id > since || (first && current.reason !== 'gone')
}

/** A task is set aside after this many failed attempts. */
export const MAX_ATTEMPTS = 3

const MAX_REASON = 500

/** The reason as stored and shown, on one line. */
export function reasonText(reason: string): string {
  return reason
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
}
