import type { AnnotationStore, MarkedText } from '../../store/contracts/annotations.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { Found } from './annotation-draft.ts'
import type { Recipient } from './recipients.ts'

/**
 * A page that is gone notifies those who follow every change, and those who were notified of the page. Of those whose first check this
 * is, only the latter: what was gone before they came is no news to them.
 */
export async function findGone(
  version: Version,
  covering: readonly Recipient[],
  newTo: ReadonlySet<Recipient>,
  annotations: Pick<AnnotationStore, 'last'>,
): Promise<Found[]> {
  const found: Found[] = []
  const text = version.location === '' ? `gone (status ${version.status})` : `moved to ${version.location}`
  const summary: MarkedText = { text, marks: [] }
  for (const recipient of covering) {
    const last = await annotations.last(recipient.profile.id, version.documentId)
    const wasNotified = last !== null && last.kind !== 'gone'
    const { process } = recipient.source
    if ((process === 'track' && !newTo.has(recipient)) || (process !== 'archive' && wasNotified))
      found.push({ recipient, relevance: last?.relevance ?? 1, summary, explanation: { gone: version.status } })
  }
  return found
}
