import { withoutAccess } from '../../core/url/access.ts'
import { type AnnotationStore, type AnnotationSummary, noChanges } from '../../store/contracts/annotations.ts'
import type { Version } from '../../store/contracts/versions.ts'
import type { Found } from './annotation-draft.ts'
import type { Recipient } from './recipients.ts'

/**
 * Finds the recipients of a page that is gone: those who follow every change, and those who were notified of the page. On a recipient's
 * first check only the latter count: a page that was gone before is no news.
 */
export async function findGone(
  version: Version,
  covering: readonly Recipient[],
  newTo: ReadonlySet<Recipient>,
  annotations: Pick<AnnotationStore, 'last'>,
): Promise<Found[]> {
  const found: Found[] = []
  const said = {
    item: { entry: null, kind: 'gone', title: version.title },
    summary: { text: goneText(version), marks: [] },
    changes: noChanges,
    explanation: { gone: version.status },
  } as const
  for (const recipient of covering) {
    const { process } = recipient.source
    if (process === 'archive') continue
    const last = await annotations.last(recipient.profile.id, version.documentId)
    const wasNotified = last !== null && last.kind !== 'gone'
    if ((process === 'track' && !newTo.has(recipient)) || wasNotified)
      found.push({ recipient, relevance: last?.relevance ?? 1, ...said })
  }
  return found
}

const meanings = new Map([
  [401, 'sign-in required'],
  [403, 'forbidden'],
  [404, 'not found'],
  [410, 'gone'],
])

/** Describes why the page is gone. */
export function goneText({ status, location }: Pick<Version, 'status' | 'location'>): string {
  if (location !== '') return `Now redirects to ${withoutAccess(location)}`
  if (status === 401) return 'Now needs a sign-in (401)'
  const meaning = meanings.get(status)
  return `Gone: the server says ${status}${meaning === undefined ? '' : ` (${meaning})`}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Describes how long the page was gone, in the largest unit that fits. */
export function backText(awayMs: number): string {
  for (const [unit, ms] of units) {
    const count = Math.floor(awayMs / ms)
    if (count >= 1) return `Back after ${count} ${unit}${count === 1 ? '' : 's'}`
  }
  return 'Back after less than a minute'
}

/** Prefixes the summary with "Back after …", or replaces it for those who follow every change. Feed entries stay as they are. */
export function backSummary({ recipient, item, summary }: Found, awayMs: number): AnnotationSummary {
  if (item.entry !== null) return summary
  const text = backText(awayMs)
  if (recipient.source.process === 'track' || summary.text === '') return { text, marks: [] }
  const lead = `${text} · `
  const marks = summary.marks.map(([from, to]): [number, number] => [from + lead.length, to + lead.length])
  return { text: lead + summary.text, marks }
}
