import { changeSummary } from '../../archive/diff/change-summary.ts'
import { createIgnoredText, ignoredBy } from '../../core/text/ignored-text.ts'
import type { OwnerBudgets, WorkBudget } from '../../core/work/work-budget.ts'
import type { MarkedText } from '../../store/contracts/annotations.ts'
import type { VersionReason } from '../../store/contracts/versions.ts'
import type { Recipient } from './recipients.ts'

/** `before` is null where there is nothing to compare with, `after` where the version has no text. */
export type TextChange = { reason: VersionReason; before: string | null; after: string | null }

/** A change as a profile that ignores part of the text sees it. */
export type ChangeView = {
  /** Only ignored parts have changed. */
  readonly isIgnored: boolean
  /** For those who follow every change the summary is the change itself. */
  describe(): { summary: MarkedText; explanation: unknown }
}

const MAX_SUMMARY = 400
/** What it costs to cut, compare and describe, for each character. */
const COMPARING = 2

export type ChangeViews = {
  of(recipient: Recipient): ChangeView
  /** Recipients that were asked for and whose lists could not be applied: their owner's expressions took too much work. */
  tooExpensive(): Recipient[]
}

/**
 * Shows one change to many. Profiles that ignore the same share the result. However many profiles an owner has,
 * all their lists together get the work of one, so that one owner's expressions cannot delay others. Those beyond it see
 * the whole change.
 */
export function createChangeViews(): (change: TextChange, budgetOf: OwnerBudgets) => ChangeViews {
  const ignored = createIgnoredText()

  function viewOf({ reason, before, after }: TextChange, ignore: readonly string[], budget: WorkBudget) {
    const text = after ?? ''
    budget.left -= COMPARING * (text.length + (before?.length ?? 0))
    const seen = ignored.cut(text, ignore, budget)
    const seenBefore = before === null ? null : ignored.cut(before, ignore, budget)
    if (seen === null || (before !== null && seenBefore === null)) return null
    // Gone and back are news by themselves, and so is a change that is none of the text.
    const mayBeIgnored = reason === 'changed' && after !== null && before !== null && before !== after
    return createView(seenBefore, seen, mayBeIgnored && flat(seenBefore!) === flat(seen))
  }

  return (change, budgetOf) => {
    const whole = createView(change.before, change.after ?? '', false)
    const views = new Map<string, ChangeView>()
    const tooExpensive = new Set<Recipient>()
    return {
      of(recipient) {
        const { profile } = recipient
        const ignore = ignoredBy(profile.interests)
        if (ignore.length === 0) return whole
        const name = JSON.stringify(ignore)
        const view = views.get(name) ?? viewOf(change, ignore, budgetOf(profile.owner))
        if (view === null) tooExpensive.add(recipient)
        else views.set(name, view)
        return view ?? whole
      },
      tooExpensive: () => [...tooExpensive],
    }
  }
}

function createView(before: string | null, after: string, isIgnored: boolean): ChangeView {
  let made: ReturnType<ChangeView['describe']> | null = null
  return {
    isIgnored,
    describe() {
      made ??= describeChange(before, after)
      return made
    },
  }
}

function describeChange(before: string | null, after: string): ReturnType<ChangeView['describe']> {
  if (before === null) return { summary: beginningOf(after), explanation: { tracked: true } }
  const { added, removed, passages } = changeSummary(before, after)
  const summary = passages.length > 0 ? passagesOf(passages) : removed > 0 ? removalOf(removed) : beginningOf(after)
  return { summary, explanation: { tracked: true, added, removed } }
}

/** Where nothing in particular is to be shown of a text. */
export function beginningOf(text: string): MarkedText {
  return { text: text.slice(0, MAX_SUMMARY).toWellFormed(), marks: [] }
}

/** Nothing came: what went is not there to be shown, but how much it was. */
function removalOf(words: number): MarkedText {
  return { text: words === 1 ? 'One word was removed.' : `${words} words were removed.`, marks: [] }
}

function passagesOf(passages: readonly string[]): MarkedText {
  let text = ''
  const marks: [number, number][] = []
  for (const passage of passages) {
    if (text !== '') text += ' … '
    marks.push([text.length, text.length + passage.length])
    text += passage
  }
  return { text, marks }
}

/** Where a line ends is no change. */
function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
