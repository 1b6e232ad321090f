import { schemeOutcome } from '../../fetchers/router.ts'
import type { WatchRow } from '../../store/contracts/watches.ts'
import type { WatchSnapshot } from '../scheduler/scheduler-report.ts'
import type { OwnedSource } from './owner-sources.ts'

/** What a source is like for its owner. Where several hold, the first of them is told. */
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
  | 'nothing-matched'
  | 'empty'
  | 'changed'
  | 'unchanged'

/** What went wrong, where something did: it stays so while the next check is under way. */
export type Trouble = Extract<
  SourceState,
  'blocked-by-robots' | 'blocked-by-site' | 'sign-in-failed' | 'not-found' | 'failing' | 'refused' | 'unsupported'
>

/** What a source came to, by what is known without a look at its documents. */
export type SourceFacts = {
  source: OwnedSource
  /** Undefined where it is not known yet. */
  row: WatchRow | undefined
  snapshot: WatchSnapshot | undefined
}

export type DocumentFacts = {
  /** Nothing of the whole profile was ever told. */
  neverTold: boolean
  /** There is a page, and no text on it. */
  hasNoText: boolean
}

export function isPaused({ paused, isProfilePaused }: OwnedSource): boolean {
  return paused || isProfilePaused
}

/** Null where the last check went well, or where there was none. */
export function troubleOf({ unsupported }: OwnedSource, row: WatchRow | undefined): Trouble | null {
  if (unsupported !== null) return 'unsupported'
  if (row === undefined || row.checkedAt === 0) return null
  const { outcome, status } = row
  if (outcome.startsWith('skipped')) return troubleOfRefusal(outcome)
  // A page that has just gone is a change, too.
  if (outcome.startsWith('failed') || outcome === 'redirect' || status >= 400) return troubleOfStatus(status)
  return null
}

function troubleOfRefusal(outcome: string): Trouble {
  if (outcome === 'skipped: robots') return 'blocked-by-robots'
  return outcome === 'skipped: type' || outcome === schemeOutcome ? 'unsupported' : 'refused'
}

function troubleOfStatus(status: number): Trouble {
  if (status === 404 || status === 410) return 'not-found'
  if (status === 401 || status === 407) return 'sign-in-failed'
  return status === 403 || status === 429 || status === 451 ? 'blocked-by-site' : 'failing'
}

/** `failing` is for counts and filters: somebody should do something about it. */
export function isFailing(source: OwnedSource, row: WatchRow | undefined): boolean {
  return !isPaused(source) && troubleOf(source, row) !== null
}

export function stateOf({ source, row, snapshot }: SourceFacts, { neverTold, hasNoText }: DocumentFacts): SourceState {
  if (isPaused(source)) return 'paused'
  if (source.unsupported !== null) return 'unsupported'
  const under = snapshot?.state
  if (under === 'out') return 'checking'
  if (under === 'ready' || under === 'asked' || under === 'held') return 'queued'
  const healthError = troubleOf(source, row)
  if (healthError !== null) return healthError
  // Others may have had it checked before; for this owner nothing was looked at yet.
  if (row === undefined || row.checkedAt === 0 || source.visitedAt === 0) return 'not-yet'
  if (source.process === 'filter' && neverTold) return 'nothing-matched'
  if (hasNoText) return 'empty'
  // What the first visit finds is the base line.
  return row.outcome === 'changed' && row.changedAt > source.visitedAt ? 'changed' : 'unchanged'
}

/** Since when it is so; null where that says nothing. */
export function sinceOf(state: SourceState, row: WatchRow | undefined): number | null {
  if (row === undefined || state === 'paused' || state === 'queued' || state === 'not-yet') return null
  if (state === 'checking') return row.round || null
  if (state === 'changed') return row.changedAt || null
  return (state === 'unchanged' ? row.changedAt || row.since : row.since) || null
}
