import { createWorkBudget, type WorkBudget } from '../core/work/work-budget.ts'
import { type Explanation, explain } from './explain/explanation.ts'
import type { CompiledInterests } from './interests/compile-interests.ts'
import { relevanceOf } from './match/evaluate.ts'
import type { MatchIndex } from './match/match-index.ts'
import { type Summary, type SummaryLimits, summarise } from './summary/summary.ts'
import { type DocumentTerms, readDocument } from './terms/document-terms.ts'

/** A version as input of annotation: its text and metadata. */
export type AnnotatedDocument = {
  readonly url: string
  readonly title: string
  /** The visible text; it may begin with the title. */
  readonly text: string
  /** Language stated by the page (`lang`, `Content-Language`); '' or absent if not stated. */
  readonly language?: string | undefined
  /** When this version was first seen, in milliseconds. */
  readonly at: number
}

/** One profile's interests, under an id of the caller. */
export type Recipient = { readonly id: number; readonly interests: CompiledInterests }

/** The parts of an annotation that follow from the text alone; the caller adds owner, kind, urgency and expiry. */
export type AnnotationDraft = {
  readonly recipient: number
  readonly url: string
  readonly at: number
  readonly title: string
  readonly language: string
  readonly relevance: number
  readonly summary: Summary
  readonly explanation: Explanation
}

export type AnnotateLimits = SummaryLimits & { maxTokens?: number }

/** One draft for each recipient that the document matches, in the order of the recipients. */
export function annotate(
  document: AnnotatedDocument,
  recipients: Iterable<Recipient>,
  limits: AnnotateLimits = {},
): AnnotationDraft[] {
  const terms = readDocument(document, limits)
  const draft = createDrafting(document, terms, limits)
  const drafts: AnnotationDraft[] = []
  for (const { id, interests } of recipients) {
    const relevance = relevanceOf(interests, terms)
    if (relevance !== null) drafts.push(draft(id, interests, relevance))
  }
  return drafts
}

/**
 * The same for all profiles of an index. The index keeps only what it needs of a profile, so the caller provides the interests of
 * those that match; profiles it no longer knows are skipped.
 */
export function annotateAll(
  document: AnnotatedDocument,
  index: MatchIndex,
  interestsOf: (id: number) => CompiledInterests | undefined,
  limits: AnnotateLimits = {},
): AnnotationDraft[] {
  const terms = readDocument(document, limits)
  const draft = createDrafting(document, terms, limits)
  const drafts: AnnotationDraft[] = []
  for (const { id, relevance } of index.match(terms)) {
    const interests = interestsOf(id)
    if (interests !== undefined) drafts.push(draft(id, interests, relevance))
  }
  return drafts
}

type Drafting = (
  recipient: number,
  interests: CompiledInterests,
  relevance: number,
  budget?: WorkBudget,
) => AnnotationDraft

/** Drafts annotations for one document that is already read; for callers with their own matching. */
export function createDrafting(
  document: AnnotatedDocument,
  terms: DocumentTerms,
  limits: SummaryLimits = {},
): Drafting {
  const { url, at, title, text } = document
  return (recipient, interests, relevance, budget = createWorkBudget()) => {
    const { explanation, passages } = explain(interests, terms, relevance, budget)
    const summary = summarise(text, passages, limits, terms.bodyStart)
    return { recipient, url, at, title, language: terms.language, relevance, summary, explanation }
  }
}
