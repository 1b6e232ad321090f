import type { WatchRow } from '../../store/contracts/watches.ts'
import type { WatchSnapshot } from '../scheduler/scheduler-report.ts'
import type { OwnedSource } from './owner-sources.ts'

/** The state of a source for its owner. If several apply, `stateOf` decides. */
export type SourceState =
  | 'paused'
  | 'checking'
  | 'queued'
  | 'not-yet'
  | 'blocked-by-robots'
  | 'blocked-by-site'
  | 'sign-in-failed'
  | 'not-found'
  | 'failing'
  | 'refused'
  | 'unsupported'
  | 'nothing-selected'
  | 'blind'
  | 'too-expensive'
  | 'nothing-matched'
  | 'empty'
  | 'changed'
  | 'unchanged'

/** What went wrong, if anything; it stays while the next check is in progress. */
export type Trouble = Extract<
  SourceState,
  | 'blocked-by-robots'
  | 'blocked-by-site'
  | 'sign-in-failed'
  | 'not-found'
  | 'failing'
  | 'refused'
  | 'unsupported'
  | 'nothing-selected'
  | 'blind'
  | 'too-expensive'
>

/** What is known about a source without reading its documents. */
export type SourceFacts = {
  source: OwnedSource
  /** Undefined if not known yet. */
  row: WatchRow | undefined
  snapshot: WatchSnapshot | undefined
}

export type DocumentFacts = {
  /** The profile has never produced an annotation. */
  neverNotified: boolean
  /** The page exists but has no text. */
  hasNoText: boolean
}

export function isPaused({ paused, isProfilePaused }: OwnedSource): boolean {
  return paused || isProfilePaused
}

/** Null if the last check succeeded, or there was none. */
export function troubleOf({ unsupported, aside, selected }: OwnedSource, row: WatchRow | undefined): Trouble | null {
  if (unsupported !== null) return 'unsupported'
  const ofCheck = troubleOfCheck(row)
  if (ofCheck !== null) return ofCheck
  if (selected === 'nothing') return 'nothing-selected'
  if (selected !== '' && selected !== 'some') return 'blind'
  return aside === '' ? null : 'too-expensive'
}

function troubleOfCheck(row: WatchRow | undefined): Trouble | null {
  if (row === undefined || row.checkedAt === 0) return null
  const { outcome, status } = row
  if (outcome.startsWith('skipped')) return troubleOfRefusal(outcome)
  // A page that has just disappeared counts as a change, too.
  if (outcome.startsWith('failed') || outcome === 'redirect' || status >= 400) return troubleOfStatus(status)
  return null
}

function troubleOfRefusal(outcome: string): Trouble {
  if (outcome === 'skipped: robots') return 'blocked-by-robots'
  return outcome === 'skipped: type' ? 'unsupported' : 'refused'
}

function troubleOfStatus(status: number): Trouble {
  if (status === 404 || status === 410) return 'not-found'
  if (status === 401 || status === 407) return 'sign-in-failed'
  return status === 403 || status === 429 || status === 451 ? 'blocked-by-site' : 'failing'
}

/** `failing` is for counts and filters: it needs attention. */
export function isFailing(source: OwnedSource, row: WatchRow | undefined): boolean {
  return !isPaused(source) && troubleOf(source, row) !== null
}

export function stateOf(
  { source, row, snapshot }: SourceFacts,
  { neverNotified, hasNoText }: DocumentFacts,
): SourceState {
  if (isPaused(source)) return 'paused'
  if (source.unsupported !== null) return 'unsupported'
  const under = snapshot?.state
  if (under === 'out') return 'checking'
  if (under === 'ready' || under === 'asked' || under === 'held') return 'queued'
  const healthError = troubleOf(source, row)
  if (healthError !== null) return healthError
  // Others may have had it checked before; for this owner it is new.
  if (row === undefined || row.checkedAt === 0 || source.visitedAt === 0) return 'not-yet'
  if (source.process === 'filter' && neverNotified) return 'nothing-matched'
  if (hasNoText) return 'empty'
  // The first visit is the baseline.
  return row.outcome === 'changed' && changedAtFor(source, row) > 0 ? 'changed' : 'unchanged'
}

/** When the source last changed for this owner, not counting the first visit; 0 if never. */
export function changedAtFor({ visitedAt }: OwnedSource, row: WatchRow | undefined): number {
  return row !== undefined && visitedAt > 0 && row.changedAt > visitedAt ? row.changedAt : 0
}

/** Since when the state holds; null if not applicable. */
export function sinceOf(state: SourceState, source: OwnedSource, row: WatchRow | undefined): number | null {
  if (row === undefined || ['paused', 'queued', 'not-yet', 'too-expensive'].includes(state)) return null
  if (state === 'checking') return row.round || null
  if (state === 'nothing-selected' || state === 'blind') return source.selectedSince || null
  if (state === 'changed') return row.changedAt || null
  return (state === 'unchanged' ? changedAtFor(source, row) || source.visitedAt : row.since) || null
}
