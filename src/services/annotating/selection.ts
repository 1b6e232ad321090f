import type { Clock } from '../../core/clock.ts'
import { noChanges } from '../../store/contracts/annotations.ts'
import type { UrdMarks } from '../../store/contracts/profiles.ts'
import type { Version } from '../../store/contracts/versions.ts'
import { selectorsText } from '../sources/source-words.ts'
import type { Found } from './annotation-draft.ts'
import type { Recipient } from './recipients.ts'

export type SelectionDeps = {
  setUrds(ids: readonly number[], marks: UrdMarks): Promise<void>
  onProblem(message: string, fields: Record<string, unknown>): void
  clock: Clock
}

/**
 * Tracks whether the selectors of sources match something on their own pages. Owners are notified once when they stop matching, and
 * the source stays marked until they match again. The mark is written before the annotation: a repeated task finds its own version there
 * and reports it again, which makes no second annotation.
 */
export function createSelections({ setUrds, onProblem, clock }: SelectionDeps) {
  async function note({ urd, source, profile }: Recipient, version: Version, isMatched: boolean): Promise<void> {
    const selected = isMatched ? 'some' : 'nothing'
    if (urd.selected === selected) return
    const mark = { selected, selectedSince: clock.now(), selectedVersion: version.id } as const
    const wasMissing = urd.selected === 'nothing'
    await setUrds([urd.id], mark)
    // The next version may come before the profile is read again.
    Object.assign(urd, mark)
    const fields = { profile: profile.id, source: source.uri, url: version.url, select: source.select }
    if (!isMatched) onProblem('the selectors of a source match nothing', fields)
    else if (wasMissing) onProblem('the selectors of a source match again', fields)
  }

  return {
    /** Returns the notice for a recipient whose selectors match nothing; null if there is nothing to report. */
    async note(recipient: Recipient, version: Version, isMatched: boolean): Promise<Found | null> {
      if (recipient.source.select.length === 0) return null
      await note(recipient, version, isMatched)
      const isNews = !isMatched && recipient.urd.selectedVersion === version.id
      if (!isNews || recipient.source.process === 'archive') return null
      const summary = {
        text: `Nothing on the page matches ${selectorsText(recipient.source)}`,
        marks: [],
      }
      const explanation = { unmatched: recipient.source.select }
      const item = { entry: null, kind: version.reason === 'new' ? 'new' : 'changed', title: version.title } as const
      return { recipient, item, relevance: 1, summary, changes: noChanges, explanation, isNotice: true }
    },
  }
}
