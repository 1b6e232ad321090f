import type { Capture, CaptureOutcome } from '../../contracts/documents.ts'
import type { DocumentState, TaskRow } from './documents-state.ts'

/**
 * What is news to a watch waits for the annotation engine from the very moment that it is kept. A version that another watch
 * has found since this one looked last is news too, although nothing changed in between; so is one that this watch meets
 * again in the same check, since it may be nearer to the source this time. What was gone by its first look is none.
 */
export function taskOf(
  capture: Capture,
  outcome: CaptureOutcome,
  document: DocumentState | undefined,
  /** The run, or the watch, that had checked the document before. */
  lastChecker: number,
): TaskRow | null {
  const current = document?.current ?? null
  if (document === undefined || current === null) return null
  const { watch, round, since, first } = capture.check
  const task = { document: document.id, watch, hops: capture.hops, round, first }
  if ('versionId' in outcome) return { ...task, version: outcome.versionId, made: true }
  if (!first && lastChecker === watch && capture.kind !== 'met') return null
  const isGone = current.reason === 'gone'
  const isNotable = (current.id > since || (first && !isGone)) && (!isGone || !first || since > 0)
  return isNotable ? { ...task, version: current.id, made: false } : null
}
