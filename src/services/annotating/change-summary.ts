import type { Blocks, Change } from '../../core/change/change.ts'
import { changeLine } from '../../core/change/change-line.ts'
import type { MarkedText } from '../../store/contracts/annotations.ts'
import type { ChangeView } from './change-view.ts'

const MAX_SUMMARY = 400

/** For those who follow every change: what changed, or the beginning of what came. */
export function describeTracked(
  { page, change }: Pick<ChangeView, 'page' | 'change'>,
  /** The conditions that are met, in words. */
  conditions: readonly string[] | null = null,
): { summary: MarkedText; explanation: unknown } {
  const explanation = { tracked: true, ...(conditions !== null && conditions.length > 0 && { conditions }) }
  const isPage = change === null || change.told.length === 0
  return { summary: isPage ? beginningOf(page) : lineOf(change.told), explanation }
}

export function lineOf(told: readonly Change[]): MarkedText {
  return { text: changeLine(told).text.toWellFormed(), marks: [] }
}

/** Where nothing in particular is to be shown of a page. */
export function beginningOf(page: Blocks | null): MarkedText {
  let text = ''
  for (const block of page?.blocks ?? []) {
    text += text === '' ? block.text : `\n${block.text}`
    if (text.length >= MAX_SUMMARY) break
  }
  return { text: text.slice(0, MAX_SUMMARY).toWellFormed(), marks: [] }
}
