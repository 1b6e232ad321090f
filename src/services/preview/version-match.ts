import type { ProfileDraft, Source } from '../../core/profile.ts'
import type { PreviewExample } from '../../core/reports/profile-report.ts'
import { createOwnerBudgets, createWorkBudget } from '../../core/work/work-budget.ts'
import type { CompiledInterests } from '../../matching/interests/compile-interests.ts'
import { relevanceOf } from '../../matching/match/evaluate.ts'
import type { DocumentTerms } from '../../matching/terms/document-terms.ts'
import type { KeptNoise, Version } from '../../store/contracts/versions.ts'
import { createDescribing, describeTracked } from '../annotating/change-summary.ts'
import { createChangeViews, type Viewer } from '../annotating/change-view.ts'
import { createMatchedDocuments, type MatchedDocument } from '../annotating/matched-document.ts'
import type { Content } from '../annotating/source-blocks.ts'
import { createItems } from '../annotating/version-items.ts'
import { createPastNoise } from '../annotating/version-noise.ts'

export type Found =
  | { kind: 'match'; example(): PreviewExample }
  | { kind: 'near'; relevance: number; example(): PreviewExample }
  /** It has text, but doesn't match. */
  | { kind: 'none' }
  /** There is no text to match. */
  | { kind: 'textless' }

/** A version with its body, and the body of the previous one if they are compared. */
export type ReadVersion = {
  version: Version
  content: Content
  before: Content | null
  previous: Version | null
  /** The learned noise of the document. */
  noise: KeptNoise
}

/** Interests, their owner ('' if unknown), and a function that learns word frequencies from each matched document. */
export type Judged = { compiled: CompiledInterests; owner: string; learn(terms: DocumentTerms): void }

/**
 * Matches a profile against versions as the annotation engine does: the same parts of pages, the same changes, the same matching, the
 * same noise as far as it is known today, the same summaries. Conditions on prices are ignored. Examples are computed lazily, only for
 * the few that are shown.
 */
export function createVersionMatch({ interests }: Pick<ProfileDraft, 'interests'>, { compiled, owner, learn }: Judged) {
  const viewsOf = createChangeViews<Viewer>()
  const profile = { owner, interests }

  return ({ version, content, before, previous, noise: kept }: ReadVersion, sources: readonly Source[]): Found => {
    const { id, documentId, url, n, title, firstSeenAt: at } = version
    const known = { document: documentId, version: id, url, n, at: new Date(at).toISOString(), title }
    const budgets = createOwnerBudgets(() => createWorkBudget())
    const noise = createPastNoise({ kept, version, previous, before, after: content })
    const views = viewsOf({ before, after: content, tellApart: noise.tellApart }, budgets)
    const itemsOf = createItems(version)
    const documentOf = createMatchedDocuments(version, learn)
    const best: { near: (Found & { kind: 'near' }) | null } = { near: null }
    let hasText = false

    function judge(document: MatchedDocument): Found | null {
      const exampleOf = (relevance: number) => () => {
        const { summary, explanation } = createDescribing(document)(compiled, relevance, createWorkBudget())
        return {
          ...known,
          title: document.item.title,
          relevance,
          summary: { text: summary.text, marks: summary.marks },
          explanation,
        }
      }
      const relevance = relevanceOf(compiled, document.terms)
      if (relevance !== null) return { kind: 'match', example: exampleOf(relevance) }
      const below = relevanceOf({ ...compiled, threshold: 0 }, document.terms)
      // Without any keyword it is no near miss.
      if (below !== null && below > (best.near?.relevance ?? 0))
        best.near = { kind: 'near', relevance: below, example: exampleOf(below) }
      return null
    }

    for (const source of sources.toSorted((a, b) => Number(b.process === 'filter') - Number(a.process === 'filter'))) {
      const view = noise.viewFor({ profile }, views.of({ source, profile }))
      hasText ||= view.page !== null
      if (source.process === 'archive' || view.page === null) continue
      for (const item of itemsOf(view, { isNew: before === null, isMet: false })) {
        if (source.process === 'track') {
          const { summary, explanation } = describeTracked(item)
          const shown = { summary: { text: summary.text, marks: summary.marks }, explanation }
          return { kind: 'match', example: () => ({ ...known, title: item.title, relevance: 1, ...shown }) }
        }
        const found = judge(documentOf(item, interests.match))
        if (found !== null) return found
      }
    }
    return hasText ? (best.near ?? { kind: 'none' }) : { kind: 'textless' }
  }
}
