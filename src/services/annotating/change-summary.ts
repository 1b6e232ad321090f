import type { Block, Change } from '../../core/change/change.ts'
import { changeLine, type LinePart } from '../../core/change/change-line.ts'
import type { WorkBudget } from '../../core/work/work-budget.ts'
import { createDrafting } from '../../matching/annotate.ts'
import { type ChangeDocument, partAt } from '../../matching/change/change-document.ts'
import { type Explanation, explain } from '../../matching/explain/explanation.ts'
import { type CompiledInterests, interestsFor } from '../../matching/interests/compile-interests.ts'
import type { Place } from '../../matching/match/leaf-search.ts'
import { readDocument } from '../../matching/terms/document-terms.ts'
import { type AnnotationChanges, type AnnotationSummary, noChanges } from '../../store/contracts/annotations.ts'
import { type KeptChanges, keepChanges } from './annotation-changes.ts'
import type { MatchedDocument } from './matched-document.ts'
import type { VersionItem } from './version-items.ts'

/** The text of an annotation: a line, a list of changes, and the reason. */
export type Description = { summary: AnnotationSummary; changes: AnnotationChanges; explanation: unknown }

const MAX_SUMMARY = 400

/** For recipients that follow every change: what changed, or the beginning of a new text. */
export function describeTracked(
  { told, blocks }: Pick<VersionItem, 'told' | 'blocks'>,
  /** The conditions met, in words. */
  conditions: readonly string[] | null = null,
): Description {
  const explanation = { tracked: true, ...(conditions !== null && conditions.length > 0 && { conditions }) }
  if (told === null || told.length === 0)
    return { summary: { text: beginningOf(blocks), marks: [] }, changes: noChanges, explanation }
  return { summary: { ...lineOf(told), marks: [] }, changes: keepChanges(told).changes, explanation }
}

/** For matched interests: the best passages of a new text, or the changes, with the hits marked. */
export function createDescribing(matched: MatchedDocument) {
  const { document, terms, change, item } = matched
  const draft = createDrafting(document, terms)
  return (interests: CompiledInterests, relevance: number, budget: WorkBudget): Description => {
    const told = item.told ?? []
    if (change === null) {
      const { summary, explanation } = draft(0, interests, relevance, budget)
      if (told.length === 0) return { summary, changes: noChanges, explanation: { ...explanation } }
      return {
        summary: markedLine(told, interestsFor(interests, terms), budget),
        changes: keepChanges(told).changes,
        explanation: { ...explanation },
      }
    }
    const { explanation, passages } = explain(interests, terms, relevance, budget)
    const hit = new Set<number>()
    for (const { places } of passages)
      for (const { where, start } of places) {
        const part = where === 'body' ? partAt(change, start) : null
        if (part !== null) hit.add(part.change)
      }
    const kept = keepChanges(told, hit)
    // Show only the changes with hits, and count the others.
    const shown = hit.size === 0 ? told : told.filter((_, n) => hit.has(n))
    // A line is too short for language detection: use the language of the document.
    const summary = markedLine(shown, interestsFor(interests, terms), budget, told.length - shown.length)
    return { summary, changes: kept.changes, explanation: placedInChanges(explanation, change, kept) }
  }
}

/** The summary of a text without particular passages to show. */
export function beginningOf(blocks: readonly Block[] | null): string {
  let text = ''
  for (const block of blocks ?? []) {
    text += text === '' ? withoutTitle(block) : `\n${block.text}`
    if (text.length >= MAX_SUMMARY) break
  }
  return text.slice(0, MAX_SUMMARY).toWellFormed()
}

/** Removes the title that a feed entry repeats before its text. */
function withoutTitle({ text, title = '' }: Block): string {
  const head = `${title} — `
  return title !== '' && text.startsWith(head) ? text.slice(head.length) : text
}

function lineOf(told: readonly Change[], further = 0): Omit<AnnotationSummary, 'marks'> {
  const { text, parts, more } = changeLine(told, further)
  return {
    text: text.toWellFormed(),
    parts: parts.map((part) => ({ ...part, text: part.text.toWellFormed() })),
    more,
  }
}

/** Marks only hits in the new text of the line. */
function markedLine(
  told: readonly Change[],
  interests: CompiledInterests,
  budget: WorkBudget,
  further = 0,
): AnnotationSummary {
  const line = lineOf(told, further)
  const { passages } = explain(interests, readDocument({ url: '', title: '', text: line.text }), 0, budget)
  const old = oldRanges(line.parts ?? [])
  const hits = passages
    .flatMap(({ places }) => places)
    .filter(({ start, end }) => !old.some((range) => start < range.end && end > range.start))
    .sort((a, b) => a.start - b.start || b.end - a.end)
  const marks: [number, number][] = []
  for (const { start, end } of hits) {
    const last = marks.at(-1)
    if (last === undefined || start >= last[1]) marks.push([start, end])
    else if (end > last[1]) last[1] = end
  }
  return { ...line, marks }
}

/** Ranges of removed text and of signs that the line adds. */
function oldRanges(parts: readonly LinePart[]): { start: number; end: number }[] {
  let start = 0
  return parts.flatMap(({ kind, text }) => {
    const range = { start, end: start + text.length }
    start = range.end
    return kind === 'removed' || kind === 'sign' ? [range] : []
  })
}

/** A place in the kept changes: in the new text of one of them, or in its path. */
export type ChangePlace = { where: 'change' | 'path'; change: number; start: number; end: number }

/** Translates the places of an explanation from the matched text to the annotation's changes. */
function placedInChanges(explanation: Explanation, document: ChangeDocument, kept: KeptChanges) {
  const placed = (places: readonly Place[]) =>
    places.flatMap((place): (Place | ChangePlace)[] => {
      const part = place.where === 'body' ? partAt(document, place.start) : null
      if (part === null) return place.where === 'title' ? [place] : []
      const from = place.start - part.start + part.from
      const found = kept.placeOf(part.change, part.of, from, from + place.end - place.start)
      return found === null ? [] : [{ where: part.of === 'path' ? 'path' : 'change', ...found }]
    })
  const { expression, terms } = explanation
  return {
    ...explanation,
    match: 'change',
    terms: terms.map((term) => ({ ...term, places: placed(term.places) })),
    expression:
      expression === null
        ? null
        : { ...expression, parts: expression.parts.map((part) => ({ ...part, places: placed(part.places) })) },
  }
}
